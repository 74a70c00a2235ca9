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
/// How many times as much, with three significant digits and no exponent: "1.37", "24.0", "1390",
/// "0.0510".
std::string readable_ratio(double ratio);
/// Any number with at most so many significant digits, those before its point all, and no exponent from 1e-6
/// on: "1.5", "11834", "0.00002".
std::string readable_number(double number, int digits = 4);
/// A share of 0 to 1 as "12.3 %".
std::string readable_share(double share);
/// A relative difference as "+12.3 %"; what rounds to nothing is "0.0 %".
std::string readable_difference(double relative);

}  // namespace morgana
