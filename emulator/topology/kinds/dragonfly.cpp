#include "emulator/topology/kinds/dragonfly.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/hosts.h"
#include "emulator/topology/kinds/group_keys.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

/// The group that a group's global cable leads to, and the number that the cable has there.
struct GlobalEnd {
  unsigned group, cable;
};

GlobalEnd other_end(const Dragonfly& shape, unsigned group, unsigned cable) {
  const unsigned groups = shape.groups;
  switch (shape.arrangement) {
    case GlobalArrangement::absolute: {
      const unsigned other = cable < group ? cable : cable + 1;
      return {other, group < other ? group : group - 1};
    }
    case GlobalArrangement::palm_tree:
      return {(group + groups - cable - 1) % groups, groups - 2 - cable};
    case GlobalArrangement::circulant: {
      const unsigned steps = cable / 2 + 1;
      if (cable % 2 != 0) return {(group + groups - steps) % groups, cable - 1};
      const bool half_way_round = cable == groups - 2;  // the last of an odd number
      return {(group + steps) % groups, half_way_round ? cable : cable + 1};
    }
  }
  return {};
}

}  // namespace

SwitchGraph dragonfly(const Dragonfly& shape, unsigned hosts_per_switch) {
  const unsigned a = shape.switches_per_group, h = shape.global_per_switch;
  if (shape.groups == 0 || a == 0) throw Error("a dragonfly has at least one group of one switch");
  if (std::uint64_t{a} * h + 1 < shape.groups) {
    throw Error(fmt::format(
        "{} groups are more than the {} that {} switches of {} global ports each can be joined to",
        shape.groups, std::uint64_t{a} * h + 1, a, h));
  }
  if (std::uint64_t{shape.groups} * a > SwitchGraph::most_switches)
    throw Error(fmt::format("a dragonfly of more than {} switches", SwitchGraph::most_switches));
  SwitchGraph graph;
  for (SwitchId at = 0; at < shape.switches(); ++at) graph.add_switch(hosts_per_switch + a - 1 + h);
  add_hosts_everywhere(graph, hosts_per_switch);
  const auto local_port = [&](unsigned from, unsigned to) {
    return static_cast<PortNumber>(hosts_per_switch + (to < from ? to : to - 1));
  };
  for (unsigned group = 0; group < shape.groups; ++group)
    for (unsigned from = 0; from < a; ++from)
      for (unsigned to = from + 1; to < a; ++to)
        graph.connect({group * a + from, local_port(from, to)}, {group * a + to, local_port(to, from)});
  const auto global_end = [&](unsigned group, unsigned port) {
    return SwitchPort{group * a + port / h, static_cast<PortNumber>(hosts_per_switch + a - 1 + port % h)};
  };
  for (unsigned copy = 0; copy < shape.cables_between_groups(); ++copy) {
    for (unsigned group = 0; group < shape.groups; ++group) {
      for (unsigned cable = 0; cable + 1 < shape.groups; ++cable) {
        const GlobalEnd other = other_end(shape, group, cable);
        if (other.group < group) continue;  // laid from there
        const unsigned first = copy * (shape.groups - 1);
        graph.connect(global_end(group, first + cable), global_end(other.group, first + other.cable));
      }
    }
  }
  return graph;
}

/// All cables between the two halves of the groups, where it costs more to divide all groups.
TopologyFacts dragonfly_facts(const Dragonfly& shape) {
  TopologyFacts facts;
  facts.tiers = {"within groups", "between groups"};
  facts.tier = [shape](SwitchId a, SwitchId b) {
    return static_cast<std::size_t>(shape.group_of(a) != shape.group_of(b));
  };
  if (shape.groups % 2 != 0) return facts;
  const std::uint64_t half = shape.groups / 2, between = half * half * shape.cables_between_groups(),
                      half_group = shape.switches_per_group / 2;
  const std::uint64_t divided = shape.groups * half_group * (shape.switches_per_group - half_group);
  if (between <= divided) facts.bisection = between;
  return facts;
}

}  // namespace topology

namespace {

struct DragonflySettings {
  std::uint32_t switches_per_group = 4;
  GlobalArrangement arrangement = GlobalArrangement::palm_tree;
};

const Table<DragonflySettings>& dragonfly_table() {
  using S = DragonflySettings;
  static const auto table =
      Table<S>("network")
          .key("switches-per-group", &S::switches_per_group, "of a dragonfly",
               {.at_least = "1", .at_most = "1024", .unit = "switches"})
          .choice(
              "global-arrangement", &S::arrangement, {"absolute", "palm-tree", "circulant"},
              "of a dragonfly: cable n of group G leads to group n, or n + 1 from G on (absolute); to "
              "group G - n - 1 (palm-tree); or by turns forwards and backwards round the groups (circulant)");
  return table;
}

Dragonfly dragonfly_shape(const Settings& settings) {
  const topology::GroupSettings groups = topology::group_table().read(settings);
  const DragonflySettings own = dragonfly_table().read(settings);
  const std::uint64_t most = std::uint64_t{own.switches_per_group} * groups.global_cables + 1;
  return {topology::groups_of(groups, most), own.switches_per_group, groups.global_cables, own.arrangement};
}

}  // namespace

TopologyKind dragonfly_kind() {
  std::vector<Key> keys = topology::group_table().keys();
  for (const Key& key : dragonfly_table().keys()) keys.push_back(key);
  TopologyKind kind{
      "dragonfly",
      "`groups` of `switches-per-group`, each joined to all others of its group and by `global-cables` to "
      "other groups; hosts on all of them",
      std::move(keys),
      "network.groups",
      [](const Settings& settings, const SwitchPorts& ports) {
        return topology::dragonfly(dragonfly_shape(settings), ports.hosts);
      },
      [](const Settings& settings, std::size_t) {
        return NetworkShape{NetworkShape::Kind::groups, dragonfly_shape(settings).switches_per_group};
      },
      [](const Settings& settings) -> RoutedShape { return dragonfly_shape(settings); },
      [](const Settings& settings, const SwitchPorts&) {
        return topology::dragonfly_facts(dragonfly_shape(settings));
      }};
  kind.grown = [](const Settings& before, const SwitchPorts&, const topology::Growth& growth) {
    const Dragonfly shape = dragonfly_shape(before);
    const std::uint64_t most = std::uint64_t{shape.switches_per_group} * shape.global_per_switch + 1;
    Settings settings = before;
    settings["network.groups"] =
        std::int64_t{topology::grown_groups(growth, shape.switches_per_group, most, "dragonfly")};
    return settings;
  };
  return kind;
}

}  // namespace morgana
