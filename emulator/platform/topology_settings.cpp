#include "emulator/platform/topology_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"
#include "emulator/platform/sections.h"
#include "emulator/platform/topology_items.h"
#include "emulator/routing/forwarding_table.h"
#include "emulator/topology/fat_tree.h"
#include "emulator/topology/switch_plan.h"
#include "emulator/topology/torus.h"

namespace morgana {
namespace {

Link trunk_link(const TopologySettings& settings) {
  Link link = settings.link;
  if (settings.trunk_rate > BitRate(0)) link.rate = settings.trunk_rate;
  return link;
}

topology::SwitchPlan torus_plan(const TopologySettings& settings) {
  topology::TorusShape shape;
  shape.sides = {settings.columns, settings.rows, settings.planes};
  shape.hosts_per_switch = 0;
  shape.ports_per_switch = SwitchGraph::most_ports_of_routes;
  return topology::plan_of(topology::torus(shape));
}

/// @param wrong_key  where to mend what can't be made
topology::SwitchPlan plan_of(const TopologySettings& settings, std::string& wrong_key) {
  const auto check_size = [&](std::uint64_t switches) {
    if (switches <= settings.most_switches) return;
    throw Error(fmt::format("{} switches are more than {}", switches, settings.most_switches));
  };
  topology::SwitchPlan plan;
  switch (settings.kind) {
    case TopologyKind::chain:
      return topology::chain(settings.switches);
    case TopologyKind::ring:
      return topology::ring(settings.switches);
    case TopologyKind::star:
      return topology::star(settings.switches);
    case TopologyKind::tree:
      wrong_key = "network.levels";
      plan = topology::tree(settings.arity, settings.levels);
      check_size(plan.switches);
      return plan;
    case TopologyKind::torus:
      wrong_key = "network.columns";
      check_size(std::uint64_t{settings.columns} * settings.rows * settings.planes);
      return torus_plan(settings);
    case TopologyKind::fat_tree:
      wrong_key = "network.levels";
      plan = topology::plan_of(topology::fat_tree({settings.arity, settings.levels}));
      check_size(plan.switches);
      return plan;
    case TopologyKind::listed:
      break;
  }
  wrong_key = "network.trunks";
  plan = topology::chain(settings.switches);
  plan.trunks.clear();
  for (const std::string& item : settings.trunks) {
    const ListedTrunk trunk = listed_trunk(item, settings.switches, settings.link);
    plan.trunks.emplace_back(trunk.a, trunk.b);
  }
  return plan;
}

std::vector<ListedHost> listed_hosts(const TopologySettings& settings, std::uint32_t switches) {
  std::vector<ListedHost> hosts;
  for (const std::string& item : settings.hosts_at)
    hosts.push_back(listed_host(item, switches, settings.link));
  return hosts;
}

std::vector<SwitchId> places(const TopologySettings& settings, const topology::SwitchPlan& plan,
                             std::size_t hosts) {
  if (settings.hosts_per_switch > 0) {
    const std::size_t all = plan.with_hosts.size() * settings.hosts_per_switch;
    if (all > most_hosts) throw Error(fmt::format("{} hosts are more than {}", all, most_hosts));
    return topology::filled(plan, settings.hosts_per_switch);
  }
  return topology::spread(plan, std::max<std::size_t>(hosts, 1));
}

CabledGraph cabled(const TopologySettings& settings, std::size_t hosts, std::string& wrong_key) {
  const topology::SwitchPlan plan = plan_of(settings, wrong_key);
  CabledGraph network;
  network.trunks.assign(plan.trunks.size(), trunk_link(settings));
  if (settings.kind == TopologyKind::listed) {
    network.trunks.clear();
    for (const std::string& item : settings.trunks)
      network.trunks.push_back(listed_trunk(item, settings.switches, trunk_link(settings)).link);
  }
  std::vector<SwitchId> at;
  if (settings.hosts_at.empty()) {
    wrong_key = "network.hosts-per-switch";
    at = places(settings, plan, hosts);
    network.hosts.assign(at.size(), settings.link);
  } else {
    wrong_key = "network.hosts-at";
    for (const ListedHost& host : listed_hosts(settings, plan.switches)) {
      at.push_back(host.at);
      network.hosts.push_back(host.link);
    }
  }
  network.graph = topology::graph_of(plan, at);
  return network;
}

/// Switches with hosts that no trunks join; nothing if there are none.
std::optional<std::pair<SwitchId, SwitchId>> missing_way(const SwitchGraph& graph) {
  const ForwardingTable table = shortest_path_table(graph, [](CableChannel) { return true; });
  const SwitchId first = graph.port_of(0).at;
  for (HostNumber host = 1; host < graph.hosts(); ++host) {
    const SwitchId at = graph.port_of(host).at;
    if (at != first && !table.towards(first, at)) return {{first, at}};
  }
  return std::nullopt;
}

}  // namespace

std::size_t hosts_of(const TopologySettings& settings) {
  if (!settings.hosts_at.empty()) return settings.hosts_at.size();
  if (settings.hosts_per_switch == 0) return 0;
  std::string ignored;
  return settings.hosts_per_switch * plan_of(settings, ignored).with_hosts.size();
}

std::optional<Complaint> check(const TopologySettings& settings, std::int64_t hosts) {
  if (settings.kind != TopologyKind::listed && !settings.trunks.empty())
    return Complaint{"network.trunks", "trunks are listed only where network.topology = \"listed\""};
  if (!settings.hosts_at.empty() && settings.hosts_per_switch > 0) {
    return Complaint{"network.hosts-per-switch",
                     "network.hosts-at says where the hosts hang; keep one of the two"};
  }
  std::string wrong_key = "network.topology";
  try {
    // Spread hosts may hang on every switch that may have any.
    const std::size_t any = plan_of(settings, wrong_key).with_hosts.size();
    const CabledGraph network = cabled(settings, any, wrong_key);
    if (const auto missing = missing_way(network.graph)) {
      const auto [from, to] = *missing;
      return Complaint{"network.trunks",
                       fmt::format("no trunks lead from switch {} to switch {}, and hosts hang on both: add "
                                   "one, such as \"{}-{}\"",
                                   from, to, from, to)};
    }
    const std::size_t ports = hosts_of(settings);
    if (ports > 0 && hosts > static_cast<std::int64_t>(ports)) {
      return Complaint{"hosts.count",
                       fmt::format("{} hosts don't fit: the network has ports for {}", hosts, ports)};
    }
  } catch (const Error& error) {
    return Complaint{wrong_key, error.what()};
  }
  return std::nullopt;
}

CabledGraph network_of(const TopologySettings& settings, std::size_t hosts) {
  std::string ignored;
  CabledGraph network = cabled(settings, hosts, ignored);
  if (hosts <= network.graph.hosts()) return network;
  if (!settings.hosts_at.empty()) {
    throw Error(
        fmt::format("host {} hangs on no switch: network.hosts-at says where for {} hosts, but {} are "
                    "needed; add the others",
                    settings.hosts_at.size(), settings.hosts_at.size(), hosts));
  }
  throw Error(
      fmt::format("the network has ports for {} hosts, and {} are needed: give it more switches, or "
                  "raise network.hosts-per-switch",
                  network.graph.hosts(), hosts));
}

NetworkKind::Sketch sketch_of(const TopologySettings& settings) {
  using Kind = NetworkShape::Kind;
  std::string ignored;
  const topology::SwitchPlan plan = plan_of(settings, ignored);
  NetworkKind::Sketch sketch{{Kind::free}, std::max<std::size_t>(2, plan.with_hosts.size())};
  if (hosts_of(settings) > 0) sketch.hosts = 0;
  switch (settings.kind) {
    case TopologyKind::chain:
      sketch.shape = {Kind::grid, settings.switches};
      break;
    case TopologyKind::ring:
      sketch.shape = {Kind::circle};
      break;
    case TopologyKind::star:
      if (settings.switches > 1) sketch.shape = {Kind::tree, settings.switches - 1};
      break;
    case TopologyKind::tree:
      sketch.shape = {Kind::tree, settings.arity};
      break;
    case TopologyKind::torus:
      sketch.shape = {Kind::grid, settings.columns};
      break;
    case TopologyKind::fat_tree:
      sketch.shape = {Kind::levels, plan.switches / settings.levels};
      break;
    case TopologyKind::listed:
      break;
  }
  return sketch;
}

}  // namespace morgana
