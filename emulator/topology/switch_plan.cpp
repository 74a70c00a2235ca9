#include "emulator/topology/switch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emulator/core/error.h"

namespace morgana::topology {
SwitchPlan without_trunks(std::uint32_t switches, SwitchId first_with_hosts) {
  SwitchPlan plan{switches, {}, {}};
  plan.with_hosts.resize(switches - first_with_hosts);
  std::iota(plan.with_hosts.begin(), plan.with_hosts.end(), first_with_hosts);
  return plan;
}

SwitchPlan plan_of(const SwitchGraph& graph) {
  SwitchPlan plan{static_cast<std::uint32_t>(graph.switches()), {}, {}};
  for (const SwitchGraph::Cable& cable : graph.cables()) plan.trunks.emplace_back(cable.a.at, cable.b.at);
  for (SwitchId at = 0; at < plan.switches; ++at)
    if (graph.hosts() == 0 || !graph.hosts_at(at).empty()) plan.with_hosts.push_back(at);
  return plan;
}

std::vector<SwitchId> spread(const SwitchPlan& plan, std::size_t hosts) {
  std::vector<SwitchId> at(hosts, plan.with_hosts.front());
  const std::size_t gaps = hosts - 1, last = plan.with_hosts.size() - 1;
  for (std::size_t host = 1; host < hosts; ++host)
    at[host] = plan.with_hosts[(2 * host * last + gaps) / (2 * gaps)];
  return at;
}

std::vector<SwitchId> filled(const SwitchPlan& plan, std::uint32_t hosts_per_switch) {
  std::vector<SwitchId> at;
  for (const SwitchId id : plan.with_hosts) at.insert(at.end(), hosts_per_switch, id);
  return at;
}

SwitchGraph graph_of(const SwitchPlan& plan, const std::vector<SwitchId>& switch_of_host) {
  const auto check = [&](SwitchId at) {
    if (at >= plan.switches)
      throw Error(fmt::format("there is no switch {}, only {} numbered from 0", at, plan.switches));
  };
  for (const SwitchId at : switch_of_host) check(at);
  for (const auto& [a, b] : plan.trunks) check(a), check(b);
  std::vector<unsigned> ports(plan.switches);
  for (const SwitchId at : switch_of_host) ++ports[at];
  std::vector<unsigned> next(plan.switches);  // free port of each switch, for trunks
  for (SwitchId at = 0; at < plan.switches; ++at) next[at] = ports[at];
  for (const auto& [a, b] : plan.trunks) ++ports[a], ++ports[b];
  SwitchGraph graph;
  for (const unsigned count : ports) graph.add_switch(std::max(count, 1U));
  std::vector<unsigned> host_port(plan.switches);
  for (const SwitchId at : switch_of_host) graph.add_host({at, static_cast<PortNumber>(host_port[at]++)});
  for (const auto& [a, b] : plan.trunks) {
    const SwitchPort from{a, static_cast<PortNumber>(next[a]++)};
    graph.connect(from, {b, static_cast<PortNumber>(next[b]++)});
  }
  return graph;
}

}  // namespace morgana::topology
