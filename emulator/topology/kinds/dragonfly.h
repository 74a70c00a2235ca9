#pragma once

#include <cstdint>

#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Which group a group's global cable leads to. Sources: Hastings et al., "Comparing Global Link Arrangements
/// for Dragonfly Networks", IEEE CLUSTER 2015 (absolute, circulant); Camarero, Vallejo and Beivide,
/// "Topological Characterization of Hamming and Dragonfly Networks and Its Implications on Routing", ACM
/// TACO 11(4), 2014 (palm-tree).
enum class GlobalArrangement : std::uint8_t {
  absolute,   ///< cable n of group G to group n, or n + 1 from G on
  palm_tree,  ///< to group G - n - 1, round the groups
  circulant,  ///< to group G + n/2 + 1 if n is even, G - (n + 1)/2 if odd, round the groups
};

/// A dragonfly: groups of switches, each joined to all others of its group by a local cable, and each with
/// global cables to other groups; every two groups are joined. Switch r of group G is number G * a + r.
/// Source: Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable Dragonfly Topology", ISCA 2008.
struct Dragonfly {
  unsigned groups = 9;              ///< g, 1 .. a h + 1
  unsigned switches_per_group = 4;  ///< a
  unsigned global_per_switch = 2;   ///< h: global ports of a switch
  GlobalArrangement arrangement = GlobalArrangement::palm_tree;

  unsigned switches() const { return groups * switches_per_group; }
  unsigned group_of(SwitchId at) const { return at / switches_per_group; }
  /// Global cables between each two groups: as many for all pairs; ports that are left over stay free.
  unsigned cables_between_groups() const {
    return groups > 1 ? switches_per_group * global_per_switch / (groups - 1) : 0;
  }
};

namespace topology {

/// Each switch has its hosts on the first ports, then the cables to the other switches of its group in
/// ascending order, then its global ports. Global port q of a group is port q mod h of its switch q / h; it
/// has global cable q mod (g - 1) of the arrangement, and a group's further cables to the same group follow
/// after the first of all. @throws Error if there are more groups than ports lead to
SwitchGraph dragonfly(const Dragonfly& shape, unsigned hosts_per_switch);

}  // namespace topology
}  // namespace morgana
