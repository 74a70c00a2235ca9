#include "emulator/topology/kinds/hyperx.h"

#include "emulator/topology/count_lists.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/kinds/grid_keys.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {

SwitchPlan hyperx(const HyperXShape& shape) {
  SwitchPlan plan = without_trunks(static_cast<std::uint32_t>(points_of(shape.sides, "hyperx")), 0);
  SwitchId stride = 1;
  for (std::size_t dimension = 0; dimension < shape.sides.size(); ++dimension) {
    const unsigned side = shape.sides[dimension];
    for (SwitchId at = 0; at < plan.switches; ++at) {
      const unsigned here = at / stride % side;
      for (unsigned there = here + 1; there < side; ++there)
        for (unsigned cable = 0; cable < shape.cables[dimension]; ++cable)
          plan.trunks.emplace_back(at, at + (there - here) * stride);
    }
    stride *= side;
  }
  return plan;
}

TopologyFacts hyperx_facts(const HyperXShape& shape) {
  TopologyFacts facts = grid_facts(shape.sides);
  const std::uint64_t switches = points_of(shape.sides, "hyperx");
  std::uint64_t cheapest = 0;  // K_i S_i
  for (std::size_t dimension = 0; dimension < shape.sides.size(); ++dimension) {
    const std::uint64_t side = shape.sides[dimension], per_switch = side * shape.cables[dimension];
    if (side == 1 || (cheapest > 0 && per_switch > cheapest)) continue;
    const bool halves = side % 2 == 0;
    if (cheapest == 0 || per_switch < cheapest || halves)
      facts.bisection = halves ? std::optional(switches * per_switch / 4) : std::nullopt;
    cheapest = per_switch;
  }
  return facts;
}

}  // namespace topology

namespace {

topology::HyperXShape hyperx_shape(const Settings& settings) {
  const std::vector<unsigned> sides = topology::grid_sides(settings);
  return {sides, topology::parallel_cables(settings, sides.size(), "dimension")};
}

}  // namespace

TopologyKind hyperx_kind() {
  std::vector<Key> keys = topology::grid_keys();
  keys.push_back(topology::parallel_cables_key());
  TopologyKind kind{
      "hyperx",
      "`columns` x `rows` x `planes` switches, or `sides`, each joined to all others in its line of every "
      "dimension by `parallel-cables`; hosts on all of them; a flattened butterfly where all sides are equal",
      std::move(keys),
      "network.columns",
      [](const Settings& settings, const SwitchPorts& ports) {
        return topology::graph_of(topology::hyperx(hyperx_shape(settings)), ports.hosts);
      },
      [](const Settings& settings, std::size_t) {
        return topology::grid_shape(topology::grid_sides(settings), NetworkShape::Kind::lattice);
      },
      [](const Settings& settings) -> RoutedShape {
        return Grid{topology::grid_sides(settings), Grid::Lines::full};
      },
      [](const Settings& settings, const SwitchPorts&) {
        return topology::hyperx_facts(hyperx_shape(settings));
      }};
  kind.size_key_if_set = "network.sides";
  kind.grown = [](const Settings& before, const SwitchPorts&, const topology::Growth& growth) {
    topology::HyperXShape shape = hyperx_shape(before);
    for (std::size_t n = shape.sides.size(); n-- > 0;) {  // a side of one switch is no dimension
      if (shape.sides[n] > 1) continue;
      shape.sides.erase(shape.sides.begin() + static_cast<std::ptrdiff_t>(n));
      shape.cables.erase(shape.cables.begin() + static_cast<std::ptrdiff_t>(n));
    }
    Settings settings =
        topology::with_sides(before, topology::grown_sides(shape.sides, shape.cables, growth, "hyperx"));
    settings[topology::parallel_cables_key().name] = topology::list_text(shape.cables);
    return settings;
  };
  return kind;
}

}  // namespace morgana
