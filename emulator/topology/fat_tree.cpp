#include "emulator/topology/fat_tree.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

const Table<FatTreeShape>& tree_table() {
  static const auto table =
      Table<FatTreeShape>("network")
          .key("arity", &FatTreeShape::arity,
               "switches below each switch of a tree; ports up and down of a fat tree's",
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

SwitchGraph fat_tree(const FatTreeShape& shape) {
  const unsigned arity = shape.arity, levels = shape.levels;
  if (arity < 1 || levels < 1) {
    throw Error(fmt::format("a fat tree of arity {} and {} levels: both are at least 1", arity, levels));
  }
  if (2 * arity > SwitchGraph::most_ports_of_routes) {
    throw Error(fmt::format("a fat tree of arity {} takes switches of {} ports: at most {}", arity, 2 * arity,
                            SwitchGraph::most_ports_of_routes));
  }
  SwitchId width = 1;  // switches of a level
  const auto check_size = [&] {
    if (std::uint64_t{width} * levels <= SwitchGraph::most_switches) return;
    throw Error(fmt::format("a fat tree of more than {} switches: take a smaller arity or fewer levels",
                            SwitchGraph::most_switches));
  };
  check_size();
  for (unsigned level = 1; level < levels; ++level) {
    width *= arity;
    check_size();
  }
  SwitchGraph graph;
  for (SwitchId n = 0; n < width * levels; ++n) {
    graph.add_switch(n < width * (levels - 1) ? 2 * arity : arity);
  }
  for (SwitchId leaf = 0; leaf < width; ++leaf) {
    for (unsigned n = 0; n < arity; ++n) graph.add_host(leaf);
  }
  SwitchId stride = 1;
  for (unsigned level = 0; level + 1 < levels; ++level, stride *= arity) {
    for (SwitchId w = 0; w < width; ++w) {
      const unsigned digit = w / stride % arity;
      for (unsigned up = 0; up < arity; ++up) {
        const SwitchId above = w - digit * stride + up * stride;
        graph.connect({level * width + w, static_cast<PortNumber>(arity + up)},
                      {(level + 1) * width + above, static_cast<PortNumber>(digit)});
      }
    }
  }
  return graph;
}

}  // namespace topology

TopologyKind fat_tree_kind() {
  return {
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
      }};
}

}  // namespace morgana
