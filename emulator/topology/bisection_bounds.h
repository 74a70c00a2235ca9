#pragma once

#include <cstdint>
#include <optional>

#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Between which numbers a bisection lies: trunks between two halves with equally many hosts, or as equally
/// as whole switches allow, of which no switch's hosts are divided.
struct BisectionBounds {
  std::uint64_t at_least = 0;
  std::uint64_t at_most = 0;
};

/// For networks of which no closed form is known. Nothing where switches with hosts have different numbers of
/// them, where fewer than two have any, and for networks of more than 2^21 pairs of joined switches.
///
/// At least: the spectral bound. A division is a vector x of 1 and -1, one for each switch; it cuts x'Lx / 4
/// trunks, L the Laplacian of the network, and x is orthogonal to h, which is 1 at switches with hosts and 0
/// at others. So the cut is at least n / 4 times the smallest eigenvalue of L on vectors orthogonal to h:
/// where all switches have hosts that is the second smallest of L (Donath and Hoffman, "Lower Bounds for the
/// Partitioning of Graphs", IBM J. Res. Dev. 17(5), 1973; Fiedler, 1973). Of an odd number of switches with
/// hosts x'h is 1, and what that takes off is taken off. The eigenvalue comes from the Lanczos method, less
/// its residual.
///
/// At most: the best division found by Fiduccia and Mattheyses' moves of single switches ("A Linear-Time
/// Heuristic for Improving Network Partitions", DAC 1982), from halves by the eigenvector, by the numbers of
/// switches and by chance (the same one each time).
std::optional<BisectionBounds> bisection_bounds(const SwitchGraph& graph);

}  // namespace morgana
