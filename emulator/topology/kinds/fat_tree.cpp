#include "emulator/topology/kinds/fat_tree.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/kinds/xgft.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

const Table<FatTreeShape>& tree_table() {
  static const auto table = Table<FatTreeShape>("network")
                                .key("arity", &FatTreeShape::arity,
                                     "switches below each switch of a tree; ports up and down of a fat "
                                     "tree's: the uplinks of each leaf, so "
                                     "that hosts-per-switch over arity is its oversubscription",
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

TopologyKind fat_tree_kind() {
  TopologyKind kind{
      "fat-tree",
      "a k-ary n-tree of `arity` and `levels`; the lowest level, switches 0 and following, has the hosts, "
      "`arity` of them on each where the network does not say otherwise",
      topology::tree_keys(),
      "network.levels",
      [](const Settings& settings, const SwitchPorts&) {
        return topology::fat_tree(topology::tree_shape(settings));
      },
      [](const Settings& settings, std::size_t switches) {
        const unsigned levels = topology::tree_shape(settings).levels;
        return NetworkShape{NetworkShape::Kind::levels, static_cast<unsigned>(switches) / levels};
      },
      {},
      [](const Settings& settings, const SwitchPorts&) {
        return topology::xgft_facts(topology::as_xgft(topology::tree_shape(settings)));
      }};
  kind.grown = [](const Settings& settings, const SwitchPorts&, const topology::Growth& growth) {
    return topology::grown_xgft(settings, topology::as_xgft(topology::tree_shape(settings)), growth);
  };
  return kind;
}

}  // namespace morgana
