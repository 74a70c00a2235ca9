#include "emulator/topology/cable_plan.h"

namespace morgana {

CablePlan CablePlan::uniform(const topology::SwitchPlan& plan, std::size_t hosts, const Link& link) {
  CablePlan cables{plan.switches};
  for (const auto& [a, b] : plan.trunks) cables.trunks.push_back({a, b, link});
  if (hosts > 0)
    for (const SwitchId at : topology::spread(plan, hosts)) cables.hosts.push_back({at, link});
  return cables;
}

CabledGraph CablePlan::graph() const {
  topology::SwitchPlan plan{switches, {}, {}};
  CabledGraph network;
  for (const Trunk& trunk : trunks) {
    plan.trunks.emplace_back(trunk.a, trunk.b);
    network.trunks.push_back(trunk.link);
  }
  std::vector<SwitchId> at;
  for (const Access& host : hosts) {
    at.push_back(host.at);
    network.hosts.push_back(host.link);
  }
  network.graph = topology::graph_of(plan, at);
  return network;
}

CablePlan cable_plan_of(const CabledGraph& network) {
  const SwitchGraph& graph = network.graph;
  CablePlan plan{static_cast<std::uint32_t>(graph.switches())};
  for (std::size_t trunk = 0; trunk < network.trunks.size(); ++trunk)
    plan.trunks.push_back({graph.cables()[trunk].a.at, graph.cables()[trunk].b.at, network.trunks[trunk]});
  for (HostNumber host = 0; host < graph.hosts(); ++host)
    plan.hosts.push_back({graph.port_of(host).at, network.hosts[host]});
  return plan;
}

}  // namespace morgana
