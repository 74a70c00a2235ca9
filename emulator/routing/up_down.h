#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/topology/distances.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// The up*/down* orientation of a network: levels are distances from a root, breadth first; the upper end of
/// a cable is the switch nearer to the root, or of two on the same level the one with the lower number. A
/// packet that never goes up after it has gone down can't take part in a deadlock. Source: Flich, López,
/// Malumbres and Duato, "Boosting the Performance of Myrinet Networks", 2002, section 2.
class UpDown {
 public:
  enum class Direction : std::uint8_t { up, down, none };

  /// Switches that no cables join to the root are oriented from the lowest of them, part by part.
  /// @throws Error if there is no such root
  explicit UpDown(const SwitchGraph& graph, SwitchId root = 0);

  SwitchId root() const { return root_; }
  unsigned level(SwitchId at) const { return level_[at]; }
  /// Which way a packet goes that leaves through this channel; none if it comes from or goes to a host or
  /// nothing, or back to the same switch (a loop can't be oriented: routes through it are never legal).
  Direction direction(CableChannel channel) const { return direction_[channel]; }
  /// Whether these channels, crossed in one piece, never go up after they have gone down.
  bool legal(std::span<const CableChannel> leg) const;

 private:
  SwitchId root_;
  std::vector<unsigned> level_;
  std::vector<Direction> direction_;
  std::vector<bool> loop_;  // channels of cables from a switch to itself
};

}  // namespace morgana
