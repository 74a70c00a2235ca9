#pragma once

#include "emulator/topology/switch_plan.h"
#include "emulator/topology/topology_facts.h"

namespace morgana::topology {

/// A Dragonfly+, or Megafly: groups of leaves and spines, each leaf joined to each spine of its group; spines
/// have cables to those of other groups, equally many between any two groups. Source: Shpiner, Haramaty,
/// Eliad, Zdornov, Gafni and Zahavi, "Dragonfly+: Low Cost Topology for Scaling Datacenters", HiPINEB 2017.
struct DragonflyPlusShape {
  unsigned groups = 5;
  unsigned leaves = 2, spines = 2;  ///< of each group
  unsigned global_cables = 2;       ///< of each spine, at most: what does not go up evenly stays open
};

/// Group g has the leaves g (leaves + spines) and following, then its spines; hosts hang on leaves. A group's
/// global cables are numbered spine by spine; number n leads to the group n + 1 further on, from the start
/// again after the last group. @throws Error where spines have too few cables for all groups, and for too
/// many switches
SwitchPlan dragonfly_plus(const DragonflyPlusShape& shape);

/// Tiers within and between groups, and the bisection of an even number of groups: all cables between the two
/// halves of the groups, where it costs more to divide all groups.
TopologyFacts dragonfly_plus_facts(const DragonflyPlusShape& shape);

}  // namespace morgana::topology
