#pragma once

#include <vector>

#include "emulator/routing/minimal_routing.h"
#include "emulator/routing/topologies/hyperx_cables.h"

namespace morgana {

/// On a HyperX, one dimension after the other, each by one cable: packets cross as many as coordinates
/// differ, and no cycle closes. Of several cables between two switches the packet's flow decides. Source:
/// Ahn, Binkert, Davis, McLaren and Schreiber, "HyperX: Topology, Routing, and Packaging of Efficient
/// Large-Scale Networks", SC 2009, section 3.
class HyperXRouting final : public MinimalRouting {
 public:
  /// @param graph  of this grid: each switch has cables to all others in each of its lines
  /// @param usable  packets that would need a pair of switches whose cables all are not have no way
  /// @throws Error if the graph has other switches
  HyperXRouting(const SwitchGraph& graph, const Grid& grid, const ChannelFilter& usable)
      : cables_(graph, grid, usable) {}
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override;
  bool looks_at_inputs() const override { return false; }
  unsigned hops(SwitchId from, SwitchId to) const override;
  bool leads(SwitchId from, SwitchId to) const override;

 private:
  /// The cables to the next switch on the way.
  const std::vector<PortNumber>& next(SwitchId at, SwitchId to) const;

  HyperXCables cables_;
};

}  // namespace morgana
