#include "emulator/network/atm/topology.h"

#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/routing/forwarding_table.h"
#include "emulator/topology/switch_plan.h"

namespace morgana::atm {
namespace {

/// Host numbers from 0 to hosts-1 become switch numbers from first to last, as evenly as they go.
std::uint32_t spread(std::size_t host, std::size_t hosts, std::uint32_t first, std::uint32_t last) {
  if (hosts < 2) return first;
  const std::size_t gaps = hosts - 1;
  return first + static_cast<std::uint32_t>((2 * host * (last - first) + gaps) / (2 * gaps));
}

Topology bare(std::uint32_t switches, std::size_t hosts, std::uint32_t first, const Link& link) {
  Topology topology;
  topology.switches = switches;
  for (std::size_t host = 0; host < hosts; ++host)
    topology.hosts.push_back({spread(host, hosts, first, switches - 1), link});
  return topology;
}

}  // namespace

Topology Topology::chain(std::uint32_t switches, std::size_t hosts, const Link& link) {
  Topology topology = bare(switches, hosts, 0, link);
  for (std::uint32_t s = 0; s + 1 < switches; ++s) topology.trunks.push_back({s, s + 1, link});
  return topology;
}

Topology Topology::ring(std::uint32_t switches, std::size_t hosts, const Link& link) {
  Topology topology = chain(switches, hosts, link);
  if (switches > 2) topology.trunks.push_back({switches - 1, 0, link});
  return topology;
}

Topology Topology::star(std::uint32_t switches, std::size_t hosts, const Link& link) {
  Topology topology = bare(switches, hosts, switches > 1 ? 1 : 0, link);
  for (std::uint32_t s = 1; s < switches; ++s) topology.trunks.push_back({0, s, link});
  return topology;
}

void Topology::check() const {
  if (switches == 0) throw Error("an ATM network needs at least one switch: set network.switches");
  for (std::size_t t = 0; t < trunks.size(); ++t)
    if (trunks[t].a >= switches || trunks[t].b >= switches || trunks[t].a == trunks[t].b)
      throw Error("ATM: trunk " + std::to_string(t) + " must join two different switches of 0 to " +
                  std::to_string(switches - 1));
  for (std::size_t h = 0; h < hosts.size(); ++h)
    if (hosts[h].at >= switches)
      throw Error("ATM: host " + std::to_string(h) + " must hang on a switch of 0 to " +
                  std::to_string(switches - 1));
  const Routes routes(*this);
  for (std::size_t h = 1; h < hosts.size(); ++h)
    if (hosts[h].at != hosts[0].at && routes.trunk(hosts[0].at, hosts[h].at) == Routes::none)
      throw Error("ATM: no trunks lead from host 0 to host " + std::to_string(h) + ": add one");
}

Topology topology_of(const CabledGraph& network) {
  const SwitchGraph& graph = network.graph;
  Topology topology{static_cast<std::uint32_t>(graph.switches()), {}, {}};
  for (std::size_t trunk = 0; trunk < network.trunks.size(); ++trunk) {
    const auto& [rate, propagation] = network.trunks[trunk];
    topology.trunks.push_back({graph.cables()[trunk].a.at, graph.cables()[trunk].b.at, {rate, propagation}});
  }
  for (HostNumber host = 0; host < graph.hosts(); ++host)
    topology.hosts.push_back(
        {graph.port_of(host).at, {network.hosts[host].rate, network.hosts[host].propagation}});
  return topology;
}

// Switches that have nothing but trunks, in their order: the lowest port is the trunk with the lowest number.
Routes::Routes(const Topology& topology)
    : switches_(topology.switches),
      trunk_(static_cast<std::size_t>(topology.switches) * topology.switches, none) {
  topology::SwitchPlan plan{switches_, {}, {}};
  std::vector<std::vector<std::uint32_t>> trunk_at(switches_);  // by port
  for (std::uint32_t t = 0; t < topology.trunks.size(); ++t) {
    const Topology::Trunk& trunk = topology.trunks[t];
    plan.trunks.emplace_back(trunk.a, trunk.b);
    trunk_at[trunk.a].push_back(t);
    trunk_at[trunk.b].push_back(t);
  }
  const SwitchGraph graph = topology::graph_of(plan, {});
  const ForwardingTable table = shortest_path_table(graph, [](CableChannel) { return true; });
  const Routing& routing = table;
  for (SwitchId at = 0; at < switches_; ++at) {
    for (SwitchId to = 0; to < switches_; ++to) {
      const auto port = routing.output({{at, 0}, to}, IdleOutputs());
      if (port) trunk_[static_cast<std::size_t>(at) * switches_ + to] = trunk_at[at][*port];
    }
  }
}

}  // namespace morgana::atm
