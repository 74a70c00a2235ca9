#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana::topology {

/// Switches and the trunks between them, for networks in which ports have no numbers to choose: a switch has
/// as many as are plugged in.
struct SwitchPlan {
  std::uint32_t switches = 1;
  std::vector<std::pair<SwitchId, SwitchId>> trunks;
  std::vector<SwitchId> with_hosts;  ///< switches on which hosts may hang, in the order of the hosts
};

/// Switches that no trunks join yet; those from `first_with_hosts` on have hosts.
SwitchPlan without_trunks(std::uint32_t switches, SwitchId first_with_hosts);
/// Switches in a line; hosts on all of them. @param switches  >= 1, here and below
SwitchPlan chain(std::uint32_t switches);
/// A chain whose ends are joined; with fewer than three switches it is a chain.
SwitchPlan ring(std::uint32_t switches);
/// Switch 0 is the hub of the others, which have the hosts; alone it has them itself.
SwitchPlan star(std::uint32_t switches);
/// A tree of `levels` levels in which every switch but the last level's has `arity` below it: switch 0 is the
/// root, those below switch i are arity * i + 1 and the following. The last level has the hosts.
/// @throws Error for an arity or levels below 1, or too many switches
SwitchPlan tree(std::uint32_t arity, std::uint32_t levels);
/// The switches and cables of a graph, in its order; its hosts' switches have hosts, or all if it has none.
SwitchPlan plan_of(const SwitchGraph& graph);

/// The switch of each of so many hosts, spread over the plan's as evenly as they go, the first host on the
/// first switch and the last on the last.
std::vector<SwitchId> spread(const SwitchPlan& plan, std::size_t hosts);
/// The same number of hosts on each, one switch after the other.
std::vector<SwitchId> filled(const SwitchPlan& plan, std::uint32_t hosts_per_switch);

/// On each switch the hosts take the first ports, in their order, and the trunks the others, in theirs.
/// @throws Error as SwitchGraph
SwitchGraph graph_of(const SwitchPlan& plan, const std::vector<SwitchId>& switch_of_host);
/// With the same number of hosts on each switch that has any.
inline SwitchGraph graph_of(const SwitchPlan& plan, std::uint32_t hosts_per_switch) {
  return graph_of(plan, filled(plan, hosts_per_switch));
}

}  // namespace morgana::topology
