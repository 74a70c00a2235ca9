#pragma once

#include <vector>

#include "emulator/topology/switch_plan.h"
#include "emulator/topology/topology_facts.h"

namespace morgana::topology {

/// A HyperX: switches at the points of a grid, each joined to all others in every line of it. Source: Ahn,
/// Binkert, Davis, McLaren and Schreiber, "HyperX: Topology, Routing, and Packaging of Efficient Large-Scale
/// Networks", SC 2009. Sides of the same length with as many hosts a switch are a flattened butterfly (Kim,
/// Dally and Abts, ISCA 2007), sides of 2 a hypercube.
struct HyperXShape {
  std::vector<unsigned> sides;   ///< S_1, S_2, ...: switches along each dimension, each >= 1
  std::vector<unsigned> cables;  ///< K_1, K_2, ...: between two switches of a line in each dimension
};

/// Switch x + y * sides[0] + z * sides[0] * sides[1] ...; hosts on all of them. @throws Error for too many
/// switches
SwitchPlan hyperx(const HyperXShape& shape);

/// Tiers by dimension. The bisection cuts one dimension in halves, K_i S_i / 4 trunks a switch (Ahn et
/// al., 2.2), where that is the cheapest one and its side is even.
TopologyFacts hyperx_facts(const HyperXShape& shape);

}  // namespace morgana::topology
