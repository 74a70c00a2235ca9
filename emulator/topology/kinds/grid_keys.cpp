#include "emulator/topology/kinds/grid_keys.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/count_lists.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/topology_kind.h"

namespace morgana::topology {
namespace {

struct ThreeSides {
  std::uint32_t columns = 8, rows = 8, planes = 1;
  bool operator==(const ThreeSides&) const = default;
};

const Table<ThreeSides>& three_sides_table() {
  const Limits limits{.at_least = "1", .at_most = "1024"};
  static const auto table =
      Table<ThreeSides>("network")
          .key("columns", &ThreeSides::columns, "of a torus, a mesh or a hyperx", limits)
          .key("rows", &ThreeSides::rows, "of a torus, a mesh or a hyperx", limits)
          .key("planes", &ThreeSides::planes, "of a torus, a mesh or a hyperx", limits);
  return table;
}

Key sides_key() {
  return count_list_key(
      "sides", "", "switches",
      "of a torus, a mesh or a hyperx of any number of dimensions: switches along each, as in "
      "\"4x4x4x2\"; without: columns, rows and planes");
}

}  // namespace

std::vector<Key> grid_keys() {
  std::vector<Key> keys = three_sides_table().keys();
  keys.push_back(sides_key());
  return keys;
}

std::vector<unsigned> grid_sides(const Settings& settings) {
  const ThreeSides three = three_sides_table().read(settings);
  std::vector<unsigned> sides = count_list(settings, sides_key());
  if (sides.empty()) return {three.columns, three.rows, three.planes};
  if (three != ThreeSides{})
    throw TopologyError(
        "network.sides",
        "network.columns, network.rows or network.planes say it, too; keep one of the two ways");
  return sides;
}

Settings with_sides(Settings settings, const std::vector<unsigned>& sides) {
  for (const Key& key : three_sides_table().keys()) settings.erase(key.name);
  settings[sides_key().name] = list_text(sides);
  return settings;
}

std::size_t points_of(const std::vector<unsigned>& sides, std::string_view name) {
  std::size_t switches = 1;
  for (const unsigned side : sides) {
    if (side == 0)
      throw Error(fmt::format("a {} with a side of 0 switches: every side takes at least 1", name));
    switches *= side;
    if (switches > SwitchGraph::most_switches) {
      throw Error(fmt::format("a {} of more than {} switches: make its sides shorter", name,
                              SwitchGraph::most_switches));
    }
  }
  return switches;
}

NetworkShape grid_shape(const std::vector<unsigned>& sides, NetworkShape::Kind flat) {
  std::vector<unsigned> longer;  // a side of one switch is no dimension to draw
  for (const unsigned side : sides)
    if (side > 1) longer.push_back(side);
  if (longer.size() > 2) return {NetworkShape::Kind::lattice, longer.front(), longer};
  return {flat, sides.empty() ? 1 : sides.front()};
}

TopologyFacts grid_facts(const std::vector<unsigned>& sides) {
  TopologyFacts facts;
  if (sides.empty()) return facts;
  facts.tiers.clear();
  for (std::size_t dimension = 0; dimension < sides.size(); ++dimension)
    facts.tiers.push_back(fmt::format("dimension {}", dimension + 1));
  facts.tier = [sides](SwitchId a, SwitchId b) {
    std::size_t dimension = 0;
    while (dimension + 1 < sides.size() && a % sides[dimension] == b % sides[dimension]) {
      a /= sides[dimension];
      b /= sides[dimension];
      ++dimension;
    }
    return dimension;
  };
  return facts;
}

}  // namespace morgana::topology
