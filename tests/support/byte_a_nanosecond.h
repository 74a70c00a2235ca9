#pragma once

#include <cstdint>

namespace morgana::testing {

// Fabrics whose cables take a nanosecond for a byte. A packet is 1024 B of payload, BTH 12 B and ICRC 4 B.

constexpr std::int64_t packet_ns = 1040;

/// A switch with four hosts.
constexpr const char* one_switch = R"(
[hosts]
count = 4
[network]
kind = "fabric"
topology = "star"
rate = "8 Gb/s"
propagation = "1 ns"
mtu = "1100 B"
header = "0 B"
smallest-packet = "1 B"
buffer = "64 KiB"
[transport]
kind = "rc"
path-mtu = "1024 B"
global-header = "0 B"
outstanding-packets = 1024
)";

/// Hosts 0 and 1 at one leaf, 2 and 3 at the other, and one cable up from each.
constexpr const char* two_leaves = R"(
[network]
kind = "fabric"
topology = "leaf-spine"
leaves = 2
spines = 1
hosts-per-switch = 2
rate = "8 Gb/s"
propagation = "1 ns"
mtu = "1100 B"
header = "0 B"
smallest-packet = "1 B"
buffer = "64 KiB"
[transport]
kind = "rc"
path-mtu = "1024 B"
global-header = "0 B"
outstanding-packets = 1024
)";

}  // namespace morgana::testing
