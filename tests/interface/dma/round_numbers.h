#pragma once

#include "emulator/host/io_bus.h"

namespace morgana {

/// A nanosecond a byte: a burst of 100 B takes 200 ns, a word of 4 B 104 ns.
constexpr IoBusParameters round_numbers{BitRate(8'000'000'000), SimTime::from_ps(100'000), Bytes(100),
                                        Bytes(4)};

}  // namespace morgana
