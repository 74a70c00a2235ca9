#pragma once

#include <vector>

#include "emulator/topology/switch_graph.h"
#include "emulator/topology/topology_facts.h"

namespace morgana::topology {

/// A torus of any number of dimensions: every switch is joined to its next neighbours, in both directions of
/// each dimension. Source: Flich, López, Malumbres and Duato, "Boosting the Performance of
/// Myrinet Networks", 2002, 5.1 (8 x 8, switches
/// of 16 ports, 8 hosts each, 4 ports left open).
struct TorusShape {
  /// Switches along each dimension, >= 1. Along a side of 2 the neighbours in both directions are the same
  /// switch and a single cable joins them (so sides of 2 give a hypercube); a side of 1 has no cables.
  std::vector<unsigned> sides{8, 8};
  unsigned hosts_per_switch = 8;
  unsigned ports_per_switch = 16;
};

/// Switch x + y * sides[0] + z * sides[0] * sides[1] ... has the hosts on its first ports, then for each
/// dimension the port upwards and the port downwards. Hosts are numbered switch by switch.
/// @throws Error if a switch has too few ports, or a side is 0
SwitchGraph torus(const TorusShape& shape);

/// The same without the cables between the last switches of each dimension and the first: a mesh. Switches at
/// its edges have free ports.
SwitchGraph mesh(const TorusShape& shape);

/// The same with express channels: also joined to the second-next neighbours in each dimension (8 x 8: all 16
/// ports are used). Switches that a cable joins already get no second one: none along sides below 4, one
/// express cable along a side of 4. Source: as torus; Dally, "Express Cubes", 1991.
SwitchGraph express_torus(const TorusShape& shape);

/// Tiers by dimension, and the bisection of a torus or mesh (`wraps` or not) whose longest side is even: all
/// trunks of that dimension in its middle, and on a torus at its edge. Source: Dally and Towles, "Principles
/// and Practices of Interconnection Networks", 2004, 5.2.
TopologyFacts torus_facts(const std::vector<unsigned>& sides, bool wraps);

}  // namespace morgana::topology
