#include "emulator/topology/kinds/fat_tree.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/kinds/tier_keys.h"
#include "emulator/topology/kinds/xgft.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

const Table<FatTreeShape>& tree_table() {
  static const auto table = Table<FatTreeShape>("network")
                                .key("arity", &FatTreeShape::arity,
                                     "switches below each switch of a tree; ports up and down of a fat "
                                     "tree's: the uplinks of each leaf, and the number of leaves is arity to "
                                     "the power of levels - 1; oversubscription changes the uplinks alone",
                                     {.at_least = "1", .at_most = "64", .unit = "ports"})
                                .key("levels", &FatTreeShape::levels, "of a tree or a fat tree",
                                     {.at_least = "1", .at_most = "12", .unit = "levels"});
  return table;
}

}  // namespace

std::vector<Key> tree_keys() {
  return tree_table().keys();
}

FatTreeShape tree_shape(const Settings& settings) {
  return tree_table().read(settings);
}

XgftShape as_xgft(const FatTreeShape& shape) {
  const std::vector<unsigned> each(shape.levels - 1, shape.arity);
  return {each, each, std::vector<unsigned>(each.size(), 1)};
}

SwitchGraph fat_tree(const FatTreeShape& shape) {
  const unsigned arity = shape.arity, levels = shape.levels;
  if (arity < 1 || levels < 1) {
    throw Error(fmt::format("a fat tree of arity {} and {} levels: both are at least 1", arity, levels));
  }
  if (2 * arity > SwitchGraph::most_ports_of_routes) {
    throw Error(fmt::format("a fat tree of arity {} takes switches of {} ports: at most {}", arity, 2 * arity,
                            SwitchGraph::most_ports_of_routes));
  }
  return graph_of(xgft(as_xgft(shape)), arity);
}

}  // namespace topology

namespace {

/// With network.oversubscription the leaves have other uplinks than `arity`, and the levels above them as
/// many switches for that; leaves and hosts stay.
topology::XgftShape xgft_shape_of(const Settings& settings, const SwitchPorts& ports) {
  const topology::FatTreeShape tree = topology::tree_shape(settings);
  topology::XgftShape shape = topology::as_xgft(tree);
  if (const double factor = topology::oversubscription(settings); factor > 0 && !shape.parents.empty())
    shape.parents.front() =
        topology::uplinks_for(factor, ports.hosts_said > 0 ? ports.hosts_said : tree.arity, ports.trunk_speed,
                              1, "network.hosts-per-switch or network.trunk-rate");
  return shape;
}

}  // namespace

TopologyKind fat_tree_kind() {
  std::vector<Key> keys = topology::tree_keys();
  keys.push_back(topology::subscription_key());
  TopologyKind kind{
      "fat-tree",
      "a k-ary n-tree of `arity` and `levels`; the lowest level, switches 0 and following, has the hosts, "
      "`arity` of them on each where the network does not say otherwise; `oversubscription` changes the "
      "uplinks of these switches",
      std::move(keys),
      "network.levels",
      [](const Settings& settings, const SwitchPorts& ports) {
        const topology::FatTreeShape tree = topology::tree_shape(settings);
        if (!(topology::oversubscription(settings) > 0)) return topology::fat_tree(tree);
        return topology::graph_of(topology::xgft(xgft_shape_of(settings, ports)), tree.arity);
      },
      [](const Settings& settings, std::size_t switches) {
        const auto [arity, levels] = topology::tree_shape(settings);
        if (!(topology::oversubscription(settings) > 0) || levels < 2)
          return NetworkShape{NetworkShape::Kind::levels, static_cast<unsigned>(switches) / levels};
        unsigned leaves = 1;
        for (unsigned level = 1; level < levels; ++level) leaves *= arity;
        std::vector<unsigned> of_levels(levels, (static_cast<unsigned>(switches) - leaves) / (levels - 1));
        of_levels.front() = leaves;
        return NetworkShape{NetworkShape::Kind::levels, leaves, std::move(of_levels)};
      },
      {},
      [](const Settings& settings, const SwitchPorts& ports) {
        return topology::xgft_facts(xgft_shape_of(settings, ports));
      }};
  kind.grown = [](const Settings& before, const SwitchPorts& ports, const topology::Growth& growth) {
    Settings settings = topology::grown_xgft(before, xgft_shape_of(before, ports), growth);
    settings.erase(topology::subscription_key().name);
    return settings;
  };
  return kind;
}

}  // namespace morgana
