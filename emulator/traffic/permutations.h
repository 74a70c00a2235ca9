#pragma once

#include <cstdint>
#include <vector>

#include "emulator/traffic/pattern.h"

namespace morgana {

/// The destination of each host, for patterns in which every host has always the same one; empty for others.
/// @throws Error for a number of hosts that the pattern is not made for, and for a file that is no
/// permutation
std::vector<HostNumber> permutation_of(const TrafficPattern& pattern, std::size_t hosts, std::uint64_t seed);

}  // namespace morgana
