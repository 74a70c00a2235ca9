#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/routing/minimal_routing.h"
#include "emulator/routing/usable_arcs.h"
#include "emulator/topology/kinds/grid.h"

namespace morgana {

/// Dimension order on a grid: a packet goes all its way along the first dimension, then along the second, and
/// so on, each time the shorter way round. Half way round a ring of an even number of switches both ways are
/// equally long: packets from switches with an even coordinate go up, the others down.
///
/// On a torus it uses two virtual channels: 0 until the packet has crossed the ring's dateline, the cable
/// between the last switch and the first, and 1 on that cable and after it, up to the end of the dimension;
/// so no ring of channels closes. On a mesh it uses one. Source: Dally and Seitz, "Deadlock-Free Message
/// Routing in Multiprocessor Interconnection Networks", IEEE Transactions on Computers 36(5), 1987.
class DimensionOrderRouting final : public MinimalRouting {
 public:
  /// @param graph  of this grid, a mesh or torus: switch x + y * sides[0] + ... has a cable to each neighbour
  /// @param usable  packets that would need another cable have no way
  /// @throws Error if a cable is missing
  DimensionOrderRouting(const SwitchGraph& graph, const Grid& grid, const ChannelFilter& usable);
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override;
  unsigned virtual_channels() const override { return wraps() ? 2 : 1; }
  unsigned hops(SwitchId from, SwitchId to) const override;
  bool leads(SwitchId from, SwitchId to) const override;

 private:
  struct Step {
    std::size_t dimension = 0;
    bool up = false;
    bool crosses_dateline = false;
  };
  bool wraps() const { return grid_.lines == Grid::Lines::closed; }
  Step step(SwitchId at, SwitchId to) const;
  unsigned coordinate(SwitchId at, std::size_t dimension) const {
    return at / strides_[dimension] % grid_.sides[dimension];
  }
  PortNumber port(SwitchId at, const Step& next) const {
    return ports_[at * grid_.sides.size() + next.dimension][next.up ? 1 : 0];
  }
  bool is_off(SwitchId at, PortNumber port) const { return !whole_ && off_[first_port_[at] + port]; }
  SwitchId behind(SwitchId at, const Step& next) const;
  bool came_along(const RoutedPacket& packet, std::size_t dimension) const;

  Grid grid_;
  bool whole_ = true;      // no cable is off
  std::vector<bool> off_;  // by channel
  std::vector<SwitchId> strides_;
  std::vector<std::array<PortNumber, 2>> ports_;  // by switch and dimension: down, up
  std::vector<std::uint8_t> dimension_of_;        // by channel that a switch sends on; others: no_dimension
  std::vector<std::uint32_t> first_port_;         // by switch
};

}  // namespace morgana
