#include "emulator/topology/fat_tree.h"

#include <fmt/format.h>

#include "emulator/core/error.h"

namespace morgana::topology {

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

}  // namespace morgana::topology
