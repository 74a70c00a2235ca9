#pragma once

#include <cstddef>
#include <vector>

#include "emulator/routing/usable_arcs.h"
#include "emulator/topology/kinds/grid.h"

namespace morgana {

/// The usable cables of a HyperX, by where they lead: to a coordinate of a dimension.
class HyperXCables {
 public:
  /// @param graph  of this grid: each switch has cables to all others in each of its lines
  /// @throws Error if the graph has other switches
  HyperXCables(const SwitchGraph& graph, const Grid& grid, const ChannelFilter& usable);

  std::size_t switches() const { return switches_; }
  std::size_t dimensions() const { return sides_.size(); }
  unsigned side(std::size_t dimension) const { return sides_[dimension]; }
  unsigned coordinate(SwitchId at, std::size_t dimension) const {
    return at / strides_[dimension] % sides_[dimension];
  }
  /// The switch in the same line of a dimension with another coordinate.
  SwitchId moved(SwitchId at, std::size_t dimension, unsigned to) const {
    return at + to * strides_[dimension] - coordinate(at, dimension) * strides_[dimension];
  }
  /// Ports of the cables to that switch, none to itself.
  const std::vector<PortNumber>& ports(SwitchId at, std::size_t dimension, unsigned to) const {
    return ports_[at * lists_ + first_[dimension] + to];
  }
  /// Every switch reaches all others of its lines by one cable.
  bool whole() const { return whole_; }

 private:
  std::vector<unsigned> sides_;
  std::vector<SwitchId> strides_;
  std::size_t switches_ = 1;
  std::vector<std::size_t> first_;              // of each dimension: in a switch's lists
  std::size_t lists_ = 0;                       // of a switch: one for each coordinate of each dimension
  std::vector<std::vector<PortNumber>> ports_;  // by switch, then list
  bool whole_ = true;
};

}  // namespace morgana
