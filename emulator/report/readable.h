#pragma once

#include <string>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// A time for people: four significant digits and the unit that suits ("12.35 us", "1.500 s", "0 s").
std::string readable(SimTime time);
/// A time measured or averaged in seconds, likewise.
std::string readable_seconds(double seconds);
/// A size for people: "512 B", "64.00 KiB", "1.250 MiB".
std::string readable(Bytes size);
/// A share of 0 to 1 as "12.3 %".
std::string readable_share(double share);
/// A relative difference as "+12.3 %"; what rounds to nothing is "0.0 %".
std::string readable_difference(double relative);

}  // namespace morgana
