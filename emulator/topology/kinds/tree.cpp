#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/switch_plan.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {

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
  SwitchPlan plan = without_trunks(static_cast<std::uint32_t>(above + width), static_cast<SwitchId>(above));
  for (SwitchId at = 1; at < plan.switches; ++at) plan.trunks.emplace_back((at - 1) / arity, at);
  return plan;
}

}  // namespace topology

TopologyKind tree_kind() {
  return {"tree",
          "`levels` levels of switches with `arity` below each; the last level has the hosts",
          topology::tree_keys(),
          "network.levels",
          [](const Settings& settings, const SwitchPorts& ports) {
            const auto [arity, levels] = topology::tree_shape(settings);
            return topology::graph_of(topology::tree(arity, levels), ports.hosts);
          },
          [](const Settings& settings, std::size_t) {
            return NetworkShape{NetworkShape::Kind::tree, topology::tree_shape(settings).arity};
          },
          {},
          [](const Settings& settings, const SwitchPorts&) {
            TopologyFacts facts;
            const auto [arity, levels] = topology::tree_shape(settings);
            if (levels > 1 && arity % 2 == 0) facts.bisection = arity / 2;
            return facts;
          }};
}

}  // namespace morgana
