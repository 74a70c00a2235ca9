#include "emulator/network/ethernet/switch_tables.h"

#include <set>

#include "emulator/routing/forwarding_table.h"
#include "emulator/routing/multipath.h"

namespace morgana::ethernet {
namespace {

std::shared_ptr<const Routing> routing_over(const CabledGraph& network, const RoutesParameters& parameters,
                                            const ChannelFilter& usable) {
  switch (parameters.routes) {
    case Routes::ecmp:
      return std::make_shared<EcmpRouting>(network.graph, usable, parameters.ecmp_seed);
    case Routes::d_mod_k:
      return std::make_shared<DModKRouting>(network.graph, usable);
    case Routes::listed:
      return parameters.table;
    case Routes::spanning_tree:
      break;
  }
  const std::vector<Link> links = network.links();
  const auto cost = [&](CableChannel channel) {
    return bridge_path_cost(links[channel].rate.bits_per_second());
  };
  return std::make_shared<ForwardingTable>(spanning_tree_table(network.graph, parameters.root, cost, usable));
}

}  // namespace

SwitchTables::SwitchTables(const CabledGraph& network, const RoutesParameters& parameters,
                           const NetworkFaults& faults, SimTime convergence)
    : graph_(network.graph) {
  const std::vector<SimTime> death = times_of_death(network.graph, faults);
  std::set<SimTime> starts{SimTime::from_ps(-1)};  // before the first fault, even one at 0 s
  for (const NetworkFault& fault : faults) starts.insert(fault.when + convergence);
  for (const SimTime start : starts) {
    const auto usable = [&](CableChannel channel) {
      return start < SimTime() || death[channel] == SimTime::max() || death[channel] + convergence > start;
    };
    epochs_.push_back({start, routing_over(network, parameters, usable)});
  }
}

bool SwitchTables::same_way(HostNumber from, HostNumber to, std::size_t first, std::size_t last) const {
  const SwitchId end = graph_.port_of(to).at;
  for (SwitchPort input = graph_.port_of(from); input.at != end;) {
    const RoutedPacket packet{input, 0, from, to, end, flow_of(from, to)};
    const auto choice = routing(first).choose(packet, IdleOutputs());
    for (std::size_t later = first + 1; later <= last; ++later)
      if (routing(later).choose(packet, IdleOutputs()) != choice) return false;
    if (!choice) return true;
    input = graph_.neighbour({input.at, choice->port}).switch_port();
  }
  return true;
}

}  // namespace morgana::ethernet
