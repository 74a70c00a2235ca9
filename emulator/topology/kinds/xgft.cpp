#include "emulator/topology/kinds/xgft.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "emulator/core/error.h"
#include "emulator/topology/count_lists.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {

std::vector<SwitchId> xgft_levels(const XgftShape& shape) {
  const std::size_t steps = shape.children.size();
  if (shape.parents.size() != steps)
    throw TopologyError(
        "network.parents",
        fmt::format("it lists {} {} and network.children {}: write one for each level above "
                    "the lowest",
                    shape.parents.size(), shape.parents.size() == 1 ? "number" : "numbers", steps));
  assert(shape.cables.size() == steps);
  std::vector<SwitchId> levels;
  std::uint64_t all = 0;
  for (std::size_t level = 0; level <= steps; ++level) {
    std::uint64_t width = 1;
    for (std::size_t digit = 0; digit < steps && width <= SwitchGraph::most_switches; ++digit)
      width *= digit < level ? shape.parents[digit] : shape.children[digit];
    all += width;
    if (all > SwitchGraph::most_switches)
      throw Error(fmt::format("a fat tree of more than {} switches: take smaller numbers or fewer levels",
                              SwitchGraph::most_switches));
    levels.push_back(static_cast<SwitchId>(width));
  }
  return levels;
}

SwitchPlan xgft(const XgftShape& shape) {
  const std::vector<SwitchId> levels = xgft_levels(shape);
  SwitchPlan plan;
  plan.switches = 0;
  for (const SwitchId width : levels) plan.switches += width;
  for (SwitchId leaf = 0; leaf < levels.front(); ++leaf) plan.with_hosts.push_back(leaf);
  SwitchId stride = 1,
           first = 0;  // of the digit that changes between the two levels; first switch of the lower
  for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
    const unsigned children = shape.children[level], parents = shape.parents[level];
    for (SwitchId below = 0; below < levels[level]; ++below) {
      const SwitchId low = below % stride, high = below / stride / children;
      for (unsigned up = 0; up < parents; ++up) {
        const SwitchId above = low + stride * (up + parents * high);
        for (unsigned cable = 0; cable < shape.cables[level]; ++cable)
          plan.trunks.emplace_back(first + below, first + levels[level] + above);
      }
    }
    first += levels[level];
    stride *= parents;
  }
  return plan;
}

TopologyFacts xgft_facts(const XgftShape& shape) {
  const std::vector<SwitchId> levels = xgft_levels(shape);
  TopologyFacts facts;
  const std::size_t steps = shape.children.size();
  if (steps == 0) return facts;
  facts.tiers.clear();
  std::vector<SwitchId> ends;  // of each level but the last
  for (std::size_t level = 0; level < steps; ++level) {
    facts.tiers.push_back(fmt::format("levels {}-{}", level + 1, level + 2));
    ends.push_back((level > 0 ? ends.back() : 0) + levels[level]);
  }
  facts.tier = [ends](SwitchId a, SwitchId b) {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), std::min(a, b)) -
                                    ends.begin());
  };
  if (shape.children.back() % 2 != 0) return facts;
  for (std::size_t level = 0; level < steps; ++level) {
    // A half of all subtrees up to this level has a half of the trunks from it upwards.
    const std::uint64_t upwards = std::uint64_t{levels[level]} * shape.parents[level] * shape.cables[level];
    facts.bisection = std::min(facts.bisection.value_or(upwards / 2), upwards / 2);
  }
  return facts;
}

}  // namespace topology

namespace {

Key children_key() {
  return topology::count_list_key(
      "children", "4, 4", "switches",
      "of an xgft: m_2, m_3, ... of XGFT(h; m; w), the switches below each switch of level 2, 3, ...; m_1 is "
      "hosts-per-switch");
}

Key parents_key() {
  return topology::count_list_key("parents", "4, 4", "switches",
                                  "of an xgft: w_2, w_3, ... of XGFT(h; m; w), the switches above each "
                                  "switch of level 1, 2, ...; w_1 is 1: "
                                  "hosts have one cable");
}

topology::XgftShape xgft_shape(const Settings& settings) {
  topology::XgftShape shape{
      topology::count_list(settings, children_key()), topology::count_list(settings, parents_key()), {}};
  shape.cables = topology::parallel_cables(settings, shape.children.size(), "level");
  return shape;
}

}  // namespace

Settings topology::grown_xgft(Settings settings, const XgftShape& shape, const Growth& growth) {
  constexpr std::size_t most_levels = 16;
  const XgftShape grown = grown_tree(shape, growth, "fat tree", most_levels);
  settings["network.topology"] = std::string("xgft");
  settings[children_key().name] = list_text(grown.children);
  settings[parents_key().name] = list_text(grown.parents);
  settings[parallel_cables_key().name] = list_text(grown.cables);
  return settings;
}

TopologyKind xgft_kind() {
  TopologyKind kind{
      "xgft",
      "an extended generalised fat tree XGFT(h; m; w) of `children` and `parents`; hosts on the lowest "
      "level, "
      "switches 0 and following",
      {children_key(), parents_key(), topology::parallel_cables_key()},
      "network.children",
      [](const Settings& settings, const SwitchPorts& ports) {
        return topology::graph_of(topology::xgft(xgft_shape(settings)), ports.hosts);
      },
      [](const Settings& settings, std::size_t) {
        const auto levels = topology::xgft_levels(xgft_shape(settings));
        return NetworkShape{NetworkShape::Kind::levels, levels.front(), {levels.begin(), levels.end()}};
      },
      {},
      [](const Settings& settings, const SwitchPorts&) {
        return topology::xgft_facts(xgft_shape(settings));
      }};
  kind.grown = [](const Settings& settings, const SwitchPorts&, const topology::Growth& growth) {
    return topology::grown_xgft(settings, xgft_shape(settings), growth);
  };
  return kind;
}

}  // namespace morgana
