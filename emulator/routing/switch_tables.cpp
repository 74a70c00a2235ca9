#include "emulator/routing/switch_tables.h"

#include <algorithm>
#include <map>
#include <vector>

namespace morgana {
namespace {

/// Which cables between switches are down, by number: what all routings follow from.
std::vector<std::size_t> cables_down(const SwitchGraph& graph, const Outages& outages, SimTime at) {
  std::vector<std::size_t> down;
  for (std::size_t n = 0; n < graph.cables().size(); ++n) {
    const auto& [a, b] = graph.cables()[n];
    if (outages.is_down(graph.channel_from(a), at) || outages.is_down(graph.channel_from(b), at))
      down.push_back(n);
  }
  return down;
}

}  // namespace

SwitchTables::SwitchTables(const CabledGraph& network, const RoutesParameters& parameters,
                           const NetworkFaults& faults, SimTime convergence)
    : graph_(network.graph) {
  const Outages outages(network.graph, faults);
  const auto always = [](CableChannel) { return true; };
  epochs_.push_back({SimTime::from_ps(-1), make_routing(network, parameters, always)});  // before any fault
  if (!outages.any()) return;
  RoutesParameters shared = parameters;
  if (shared.order == nullptr) shared.order = std::make_shared<UpDownOrder>(graph_);
  std::map<std::vector<std::size_t>, std::shared_ptr<const Routing>> made{{{}, epochs_.front().routing}};
  for (const SimTime change : outages.changes()) {
    const auto usable = [&](CableChannel channel) { return !outages.is_down(channel, change); };
    std::shared_ptr<const Routing>& routing = made[cables_down(graph_, outages, change)];
    if (routing == nullptr) routing = make_routing(network, shared, usable);
    epochs_.push_back({change + convergence, routing});
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
