#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_plan.h"

namespace morgana {

/// Switches, trunks between them and hosts, each cable with its link, for networks in which ports have no
/// numbers to choose.
struct CablePlan {
  struct Trunk {
    SwitchId a, b;
    Link link;
  };
  struct Access {
    SwitchId at;
    Link link;
  };
  std::uint32_t switches = 1;
  std::vector<Trunk> trunks = {};
  std::vector<Access> hosts = {};

  /// All cables alike, hosts spread from the first switch that has any to the last.
  static CablePlan uniform(const topology::SwitchPlan& plan, std::size_t hosts, const Link& link);

  /// On each switch the hosts take the first ports, in their order, and the trunks the others, in theirs.
  /// @throws Error for switches that there are not
  CabledGraph graph() const;
};

/// The switches, trunks and hosts of a graph, in its order: what `graph()` makes the same graph of, if hosts
/// have its first ports and trunks the others.
CablePlan cable_plan_of(const CabledGraph& network);

}  // namespace morgana
