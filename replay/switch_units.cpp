#include "replay/switch_units.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "emulator/platform/platform_network.h"

namespace morgana {
namespace {

SwitchId switch_of(const SwitchGraph& graph, HostId host) {
  return graph.port_of(static_cast<HostNumber>(host)).at;
}

/// The switch of each node's GPUs; empty if a node's are at several.
std::vector<SwitchId> switches_of_nodes(const SwitchGraph& graph, std::span<const HostId> hosts,
                                        const nccl::GpuLayout& layout) {
  std::vector<SwitchId> switches;
  for (std::size_t rank = 0; rank < hosts.size(); ++rank) {
    const SwitchId at = switch_of(graph, hosts[rank]);
    if (rank % static_cast<std::size_t>(layout.per_node) == 0)
      switches.push_back(at);
    else if (at != switches.back())
      return {};
  }
  return switches;
}

/// Trunks from each switch to the nearest with hosts.
std::vector<std::uint32_t> levels_of(const SwitchGraph& graph) {
  std::vector<std::uint32_t> level(graph.switches(), ~std::uint32_t{0});
  std::vector<SwitchId> reached;
  for (SwitchId at = 0; at < graph.switches(); ++at)
    if (!graph.hosts_at(at).empty()) {
      level[at] = 0;
      reached.push_back(at);
    }
  for (std::size_t i = 0; i < reached.size(); ++i)
    for (unsigned port = 0; port < graph.ports(reached[i]); ++port) {
      const Neighbour& other = graph.neighbour({reached[i], static_cast<PortNumber>(port)});
      if (!other.is_switch() || level[other.id] != ~std::uint32_t{0}) continue;
      level[other.id] = level[reached[i]] + 1;
      reached.push_back(other.id);
    }
  return level;
}

std::vector<SwitchId> switches_above(const SwitchGraph& graph, const std::vector<std::uint32_t>& level,
                                     SwitchId at) {
  std::set<SwitchId> above;
  for (unsigned port = 0; port < graph.ports(at); ++port) {
    const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
    if (other.is_switch() && level[other.id] == level[at] + 1) above.insert(other.id);
  }
  return {above.begin(), above.end()};
}

}  // namespace

SwitchUnitPlaces units_of_nodes(const SwitchGraph& graph, std::span<const HostId> hosts,
                                const nccl::GpuLayout& layout) {
  SwitchUnitPlaces places;
  places.at = switches_of_nodes(graph, hosts, layout);
  if (places.at.empty()) return places;
  auto units = std::make_shared<nccl::SwitchUnits>();
  for (; std::cmp_less(units->count, places.at.size()); ++units->count) {
    units->of_node.push_back(units->count);
    units->above.push_back(-1);
  }
  places.units = std::move(units);
  return places;
}

SwitchUnitPlaces units_of_network(const SwitchGraph& graph, std::span<const HostId> hosts,
                                  const nccl::GpuLayout& layout, const SwitchUnitPlaces* with_nodes) {
  const std::vector<SwitchId> nodes = switches_of_nodes(graph, hosts, layout);
  if (nodes.size() < 2) return {};
  SwitchUnitPlaces places;
  auto units = std::make_shared<nccl::SwitchUnits>();
  if (with_nodes != nullptr && with_nodes->units) {
    *units = *with_nodes->units;
    places.at = with_nodes->at;
  }
  const std::vector<std::uint32_t> level = levels_of(graph);
  for (int rail = 0; rail < layout.rails; ++rail) {
    units->above_node.emplace_back();
    std::vector<SwitchId> below = nodes;         // switches of one level of the tree
    std::vector<int> unit_of(nodes.size(), -1);  // theirs; -1: a node's switch, which has none in this tree
    std::size_t divisor = 1;
    while (below.size() > 1 || units->above_node.back().empty()) {
      std::map<SwitchId, int> found;
      std::vector<SwitchId> next;
      std::vector<int> next_units;
      std::size_t most_parents = 1;
      for (std::size_t i = 0; i < below.size(); ++i) {
        const std::vector<SwitchId> above = switches_above(graph, level, below[i]);
        if (above.empty()) return {};
        most_parents = std::max(most_parents, above.size());
        const SwitchId parent = above[static_cast<std::size_t>(rail) / divisor % above.size()];
        const auto [place, is_new] = found.try_emplace(parent, units->count);
        if (is_new) {
          ++units->count;
          units->above.push_back(-1);
          places.at.push_back(parent);
          next.push_back(parent);
          next_units.push_back(place->second);
        }
        if (unit_of[i] >= 0)
          units->above[static_cast<std::size_t>(unit_of[i])] = place->second;
        else
          units->above_node.back().push_back(place->second);
      }
      divisor *= most_parents;
      below = std::move(next);
      unit_of = std::move(next_units);
    }
  }
  places.units = std::move(units);
  return places;
}

SwitchUnitPlaces units_of_group(const Platform& platform, const nccl::Parameters& parameters,
                                std::span<const HostId> hosts, nccl::GpuLayout& layout) {
  using Ability = nccl::Parameters::Ability;
  const bool nodes = parameters.nvls == Ability::yes, network = parameters.collnet == Ability::yes;
  if (!nodes && !network) return {};
  const auto last = static_cast<std::size_t>(*std::ranges::max_element(hosts));
  const auto graph = PlatformNetwork::graph_for_units(platform, last + 1);
  if (!graph) return {};
  SwitchUnitPlaces places;
  if (nodes) places = units_of_nodes(*graph, hosts, layout);
  if (places.units) layout.nvls = nccl::Reducers::here;
  if (!network) return places;
  if (PlatformNetwork::may_fail(platform)) {
    layout.collnet = nccl::Reducers::may_fail;
    return places;
  }
  if (auto all = units_of_network(*graph, hosts, layout, &places); all.units) {
    places = std::move(all);
    layout.collnet = nccl::Reducers::here;
  }
  return places;
}

}  // namespace morgana
