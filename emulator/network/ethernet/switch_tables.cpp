#include "emulator/network/ethernet/switch_tables.h"

#include <set>

namespace morgana::ethernet {
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
    epochs_.push_back({start, make_routing(network, parameters, usable)});
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
