#include "emulator/topology/dragonfly.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/hosts.h"

namespace morgana::topology {
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

}  // namespace morgana::topology
