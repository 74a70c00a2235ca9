#pragma once

#include <vector>

#include "emulator/schema/schema.h"
#include "emulator/topology/switch_plan.h"
#include "emulator/topology/topology_facts.h"

namespace morgana::topology {

/// An extended generalised fat tree XGFT(h; m_1, ..., m_h; w_1, ..., w_h): a switch of level i has m_i
/// children and w_(i+1) parents. Hosts are level 0, with one cable each (w_1 = 1), m_1 of them on each switch
/// of level 1. Source: Ohring, Ibel, Das and Kumar, "On Generalized Fat Trees", IPPS 1995. Several cables may
/// join a switch and each of its parents (SimGrid's and Zahavi's parallel-ports generalised fat tree; Zahavi,
/// "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real Life Fat Trees", 2010).
struct XgftShape {
  std::vector<unsigned> children;  ///< m_2, ..., m_h, each >= 1; none: a single switch
  std::vector<unsigned> parents;   ///< w_2, ..., w_h
  std::vector<unsigned> cables;    ///< from a switch of level 1, 2, ... to each of its parents
};

/// Switches of each level from 1 on: of level i, w_2 ... w_i m_(i+1) ... m_h.
/// @throws Error for lists of different lengths and for too many switches
std::vector<SwitchId> xgft_levels(const XgftShape& shape);

/// Level 1, which has the hosts, comes first. Switches of a level are numbered by digits, the lowest first:
/// digit i says which child (below level i + 2) or which parent (from level i + 2 on) a switch is; a switch
/// and its parents differ in one digit. @throws Error as xgft_levels
SwitchPlan xgft(const XgftShape& shape);

/// Tiers by level, and the bisection where the top level has an even number of children: the cheapest way to
/// cut off half of the subtrees of one height.
TopologyFacts xgft_facts(const XgftShape& shape);

struct Growth;
/// The keys of a topology xgft that such a tree grows to. @throws TopologyError as grown_tree (growth.h)
Settings grown_xgft(Settings settings, const XgftShape& shape, const Growth& growth);

}  // namespace morgana::topology
