#include "emulator/topology/kinds/dragonfly_plus.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/kinds/group_keys.h"
#include "emulator/topology/kinds/tier_keys.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

/// Cables between two groups.
unsigned cables_of_pair(const DragonflyPlusShape& shape) {
  return shape.groups > 1 ? shape.spines * shape.global_cables / (shape.groups - 1) : 0;
}

}  // namespace

SwitchPlan dragonfly_plus(const DragonflyPlusShape& shape) {
  const unsigned groups = shape.groups, leaves = shape.leaves, spines = shape.spines,
                 global_cables = shape.global_cables;
  const std::uint64_t group_size = std::uint64_t{leaves} + spines;
  if (groups * group_size > SwitchGraph::most_switches)
    throw Error(fmt::format("a dragonfly-plus of more than {} switches: take fewer groups",
                            SwitchGraph::most_switches));
  const unsigned rounds = cables_of_pair(shape);
  if (groups > 1 && rounds == 0)
    throw Error(
        fmt::format("{} groups take {} cables from each to the others, and its {} spines have {} each: raise "
                    "network.global-cables or network.spines, or take fewer groups",
                    groups, groups - 1, spines, global_cables));
  SwitchPlan plan;
  plan.switches = static_cast<std::uint32_t>(groups * group_size);
  const auto spine_of = [&](unsigned group, unsigned cable) {
    return static_cast<SwitchId>(group * group_size + leaves + cable / global_cables);
  };
  for (unsigned group = 0; group < groups; ++group) {
    const auto first = static_cast<SwitchId>(group * group_size);
    for (unsigned leaf = 0; leaf < leaves; ++leaf) {
      plan.with_hosts.push_back(first + leaf);
      for (unsigned spine = 0; spine < spines; ++spine)
        plan.trunks.emplace_back(first + leaf, first + leaves + spine);
    }
  }
  for (unsigned round = 0; round < rounds; ++round) {
    for (unsigned a = 0; a < groups; ++a) {
      for (unsigned b = a + 1; b < groups; ++b) {
        const unsigned ahead = b - a, start = round * (groups - 1);
        plan.trunks.emplace_back(spine_of(a, start + ahead - 1), spine_of(b, start + groups - ahead - 1));
      }
    }
  }
  return plan;
}

TopologyFacts dragonfly_plus_facts(const DragonflyPlusShape& shape) {
  TopologyFacts facts;
  facts.tiers = {"within a group", "between groups"};
  const std::uint64_t group_size = std::uint64_t{shape.leaves} + shape.spines;
  facts.tier = [group_size](SwitchId a, SwitchId b) {
    return static_cast<std::size_t>(a / group_size != b / group_size);
  };
  if (shape.groups % 2 != 0) return facts;
  const std::uint64_t half = shape.groups / 2, between = half * half * cables_of_pair(shape);
  const std::uint64_t divided = std::uint64_t{shape.groups} * (shape.leaves / 2) * shape.spines;
  if (between <= divided) facts.bisection = between;
  return facts;
}

}  // namespace topology

namespace {

topology::DragonflyPlusShape plus_shape(const Settings& settings) {
  constexpr unsigned usual_leaves = 2;
  const topology::GroupSettings groups = topology::group_table().read(settings);
  const topology::TierSizes sizes = topology::tier_table().read(settings);
  const unsigned leaves = sizes.leaves > 0 ? sizes.leaves : usual_leaves;
  const unsigned spines = sizes.spines > 0 ? sizes.spines : leaves;
  return {topology::groups_of(groups, std::uint64_t{spines} * groups.global_cables + 1), leaves, spines,
          groups.global_cables};
}

}  // namespace

TopologyKind dragonfly_plus_kind() {
  std::vector<Key> keys = topology::group_table().keys();
  for (const Key& key : topology::tier_table().keys()) keys.push_back(key);
  TopologyKind kind{
      "dragonfly-plus",
      "`groups` of `leaves` and `spines`, whose spines have `global-cables` to other groups; hosts on "
      "the leaves",
      std::move(keys),
      "network.groups",
      [](const Settings& settings, const SwitchPorts& ports) {
        return topology::graph_of(topology::dragonfly_plus(plus_shape(settings)), ports.hosts);
      },
      [](const Settings& settings, std::size_t) {
        const topology::DragonflyPlusShape shape = plus_shape(settings);
        return NetworkShape{NetworkShape::Kind::groups, shape.leaves + shape.spines};
      },
      {},
      [](const Settings& settings, const SwitchPorts&) {
        return topology::dragonfly_plus_facts(plus_shape(settings));
      }};
  kind.grown = [](const Settings& before, const SwitchPorts&, const topology::Growth& growth) {
    const topology::DragonflyPlusShape shape = plus_shape(before);
    const std::uint64_t most = std::uint64_t{shape.spines} * shape.global_cables + 1;
    Settings settings = before;
    settings["network.groups"] =
        std::int64_t{topology::grown_groups(growth, shape.leaves, most, "dragonfly-plus")};
    return settings;
  };
  return kind;
}

}  // namespace morgana
