#include "emulator/routing/switch_tables.h"

#include <algorithm>

namespace morgana {
SwitchTables::SwitchTables(const CabledGraph& network, const RoutesParameters& parameters,
                           const NetworkFaults& faults, SimTime convergence)
    : graph_(network.graph) {
  const Outages outages(network.graph, faults);
  const auto always = [](CableChannel) { return true; };
  epochs_.push_back({SimTime::from_ps(-1), make_routing(network, parameters, always)});  // before any fault
  for (const SimTime change : outages.changes()) {
    const auto usable = [&](CableChannel channel) { return !outages.is_down(channel, change); };
    epochs_.push_back({change + convergence, make_routing(network, parameters, usable)});
  }
}

unsigned SwitchTables::virtual_channels() const {
  unsigned most = 1;
  for (const Epoch& epoch : epochs_) most = std::max(most, epoch.routing->virtual_channels());
  return most;
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

}  // namespace morgana
