#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/schema/schema.h"
#include "emulator/topology/kinds/xgft.h"

namespace morgana::topology {

/// What a network grows to: network.grows-within. Each topology that can says in its own file how; all keep
/// the kind of switch and the hosts on each; all but grids keep the oversubscription, too.
struct Growth {
  std::uint64_t hosts = 0;  ///< that it has to have ports for
  unsigned hosts_per_switch = 1;
  unsigned ports = 0;  ///< that a switch may use

  /// How many switches with hosts that takes.
  std::uint64_t switches() const { return (hosts + hosts_per_switch - 1) / hosts_per_switch; }
};

/// @param largest  "a dragonfly of 33 groups", the largest member. @param switches  of it that have hosts
/// @throws TopologyError for hosts.count
[[noreturn]] void throw_outgrown(const Growth& growth, const std::string& largest, std::uint64_t switches);

/// @param used  ports of a switch. @throws TopologyError for network.grows-within if it may not use as many
void require_ports(const Growth& growth, std::uint64_t used);

/// A fat tree with more subtrees below its top level: as many as take the hosts, if a top switch has a port
/// for each. The cables up to the top level stay as many, and go to as few top switches as they divide evenly
/// among, by parallel cables, but to no fewer than there are. Else the top level becomes one in between, with
/// half of its ports down and half up, whatever it had below it, and a new one of as few switches stands
/// above it. Source: Zahavi, "D-Mod-K Routing Providing Non-Blocking Traffic for Shift Permutations on Real
/// Life Fat Trees", 2010 (real life fat trees: all switches alike, top switches with all ports down, constant
/// bandwidth between levels).
/// @param name  "fat tree". @param most_levels  of switches, at least as many as it has
XgftShape grown_tree(XgftShape shape, const Growth& growth, const std::string& name, std::size_t most_levels);

/// A grid none of whose sides is shorter: of those that have ports for the hosts the ones whose longest side
/// is the shortest, which keeps grids even; of these that of the fewest switches, then the most even one,
/// then that with the longer sides in front. @param cables  of a switch in one dimension for each further
/// switch of that side; 0: sides of any length take as many ports
std::vector<unsigned> grown_sides(const std::vector<unsigned>& sides, const std::vector<unsigned>& cables,
                                  const Growth& growth, const std::string& name);

/// Groups for so many hosts. @param switches  of a group that have hosts. @param most  groups that its cables
/// lead to. @param name  "dragonfly"
unsigned grown_groups(const Growth& growth, unsigned switches, std::uint64_t most, const std::string& name);

/// As a list key takes it: "20, 5".
std::string list_text(const std::vector<unsigned>& numbers);

}  // namespace morgana::topology
