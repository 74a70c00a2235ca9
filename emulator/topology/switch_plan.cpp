#include "emulator/topology/switch_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emulator/core/error.h"

namespace morgana::topology {
namespace {

SwitchPlan alone(std::uint32_t switches, SwitchId first_with_hosts) {
  SwitchPlan plan{switches, {}, {}};
  plan.with_hosts.resize(switches - first_with_hosts);
  std::iota(plan.with_hosts.begin(), plan.with_hosts.end(), first_with_hosts);
  return plan;
}

}  // namespace

SwitchPlan chain(std::uint32_t switches) {
  SwitchPlan plan = alone(switches, 0);
  for (SwitchId at = 0; at + 1 < switches; ++at) plan.trunks.emplace_back(at, at + 1);
  return plan;
}

SwitchPlan ring(std::uint32_t switches) {
  SwitchPlan plan = chain(switches);
  if (switches > 2) plan.trunks.emplace_back(switches - 1, 0);
  return plan;
}

SwitchPlan star(std::uint32_t switches) {
  SwitchPlan plan = alone(switches, switches > 1 ? 1 : 0);
  for (SwitchId at = 1; at < switches; ++at) plan.trunks.emplace_back(0, at);
  return plan;
}

SwitchPlan tree(std::uint32_t arity, std::uint32_t levels) {
  if (arity < 1 || levels < 1)
    throw Error(fmt::format("a tree of arity {} and {} levels: both are at least 1", arity, levels));
  std::uint64_t width = 1, above = 0;
  for (std::uint32_t level = 1; level < levels; ++level) {
    above += width;
    width *= arity;
    if (above + width > SwitchGraph::most_switches)
      throw Error(fmt::format("a tree of more than {} switches: take a smaller arity or fewer levels",
                              SwitchGraph::most_switches));
  }
  SwitchPlan plan = alone(static_cast<std::uint32_t>(above + width), static_cast<SwitchId>(above));
  for (SwitchId at = 1; at < plan.switches; ++at) plan.trunks.emplace_back((at - 1) / arity, at);
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
