#include "emulator/network/ethernet/switch_tables.h"

#include <set>

namespace morgana::ethernet {

SwitchTables::SwitchTables(const CabledGraph& network, Routes routes, SwitchId root,
                           const NetworkFaults& faults, SimTime convergence)
    : graph_(network.graph) {
  const SwitchGraph& graph = network.graph;
  const std::vector<SimTime> death = times_of_death(graph, faults);
  const std::vector<Link> links = network.links();
  const auto cost = [&](CableChannel channel) {
    return bridge_path_cost(links[channel].rate.bits_per_second());
  };
  std::set<SimTime> starts{SimTime::from_ps(-1)};  // before the first fault, even one at 0 s
  for (const NetworkFault& fault : faults) starts.insert(fault.when + convergence);
  for (const SimTime start : starts) {
    const auto usable = [&](CableChannel channel) {
      return start < SimTime() || death[channel] == SimTime::max() || death[channel] + convergence > start;
    };
    epochs_.push_back(
        {start, std::make_shared<ForwardingTable>(routes == Routes::spanning_tree
                                                      ? spanning_tree_table(graph, root, cost, usable)
                                                      : shortest_path_table(graph, usable))});
  }
}

bool SwitchTables::same_way(SwitchId from, SwitchId to, std::size_t first, std::size_t last) const {
  for (SwitchId at = from; at != to;) {
    const RoutedPacket packet{{at, 0}, to};
    const auto port = routing(first).output(packet, IdleOutputs());
    for (std::size_t later = first + 1; later <= last; ++later)
      if (routing(later).output(packet, IdleOutputs()) != port) return false;
    if (!port) return true;
    at = graph_.neighbour({at, *port}).id;
  }
  return true;
}

}  // namespace morgana::ethernet
