// Placements that take hosts in another order than that of their numbers.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "emulator/core/random.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/placement.h"
#include "emulator/platform/rails.h"
#include "emulator/platform/values.h"
#include "emulator/topology/listed/graph_of_links.h"

namespace morgana {
namespace {

using HostNumbers = std::vector<std::uint32_t>;

HostNumbers shuffled(std::size_t hosts, std::uint64_t seed) {
  HostNumbers order(hosts);
  std::iota(order.begin(), order.end(), 0U);
  RandomStream chance(seed, "random placement");
  for (std::size_t left = hosts; left > 1; --left) std::swap(order[left - 1], order[chance.below(left)]);
  return order;
}

/// The hosts of each group, by their numbers; groups by theirs.
std::vector<HostNumbers> hosts_by_group(std::size_t hosts, const HostGroups& groups) {
  const std::vector<std::uint32_t> group_of = groups(hosts);
  std::map<std::uint32_t, HostNumbers> by_group;
  for (std::uint32_t host = 0; host < hosts; ++host) by_group[group_of[host]].push_back(host);
  std::vector<HostNumbers> all;
  for (auto& [group, members] : by_group) all.push_back(std::move(members));
  return all;
}

/// The first host of each group, the second of each that has one, and so on.
HostNumbers alternately(const std::vector<HostNumbers>& groups, std::size_t hosts) {
  HostNumbers order;
  for (std::size_t n = 0; order.size() < hosts; ++n)
    for (const HostNumbers& group : groups)
      if (n < group.size()) order.push_back(group[n]);
  return order;
}

}  // namespace

std::vector<HostId> place_in_order(std::size_t ranks, const Placement& placement, std::size_t hosts,
                                   std::size_t most, const HostGroups& groups) {
  std::vector<HostId> host_of;
  const auto put = [&](std::uint32_t host) { host_of.push_back(static_cast<HostId>(host)); };
  if (placement.kind == Placement::Kind::random) {
    const HostNumbers order = shuffled(hosts, placement.seed);
    const std::size_t on_each = placement.per_host > 0 ? most : (ranks + hosts - 1) / hosts;
    for (std::size_t rank = 0; rank < ranks; ++rank) put(order[rank / on_each]);
    return host_of;
  }
  const std::vector<HostNumbers> all = hosts_by_group(hosts, groups);
  if (placement.kind == Placement::Kind::over_groups) {
    const HostNumbers order = alternately(all, hosts);
    const std::size_t used = placement.per_host > 0 ? (ranks + most - 1) / most : hosts;
    for (std::size_t rank = 0; rank < ranks; ++rank) put(order[rank % used]);
    return host_of;
  }
  for (const HostNumbers& group : all)
    for (std::size_t n = 0; n < group.size() * most && host_of.size() < ranks; ++n)
      put(group[placement.per_host > 0 ? n / most : n % group.size()]);
  return host_of;
}

HostGroups host_groups(const Platform& platform, std::size_t nics, const Placement& placement) {
  return [&platform, nics, placement](std::size_t hosts) {
    return platform.groups_of_hosts(hosts, nics, placement);
  };
}

std::vector<std::uint32_t> Platform::groups_of_hosts(std::size_t hosts, std::size_t nics,
                                                     const Placement& placement) const {
  const Resolved& platform = values_->resolved;
  const NetworkKind& kind = network_kind(platform.network);
  if (!kind.sketch)
    throw Error(fmt::format(
        "--map {}: the network of platform {} (network.kind = \"{}\") has no switches, and so no groups of "
        "hosts; choose another map",
        name_of(placement), values_->name, kind.name));
  const std::size_t on_rail = nics_on_rail(platform.settings);
  nics = rails_of(platform.settings) > 1 ? on_rail : std::max(nics, on_rail);
  const NetworkShape shape = kind.sketch(platform.settings).shape;
  const SwitchGraph graph = kind.topology ? kind.topology(platform.settings).network(hosts * nics).graph
                                          : graph_of(network_graph(hosts * nics).links);
  const bool larger = !placement.racks && shape.kind == NetworkShape::Kind::groups && shape.width > 0;
  std::vector<std::uint32_t> group_of;
  for (std::size_t host = 0; host < hosts; ++host) {
    const SwitchId at = graph.port_of(static_cast<HostNumber>(host * nics)).at;
    group_of.push_back(larger ? at / shape.width : at);
  }
  return group_of;
}

}  // namespace morgana
