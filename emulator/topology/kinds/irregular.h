#pragma once

#include <cstdint>

#include "emulator/topology/switch_graph.h"

namespace morgana::topology {

/// Switches joined at random. Source: Flich, López, Malumbres and Duato, "Boosting the Performance of
/// Myrinet Networks", 2002, 5.1 (8, 16, 32 and 64 switches of eight ports, each with four
/// hosts and four cables to other switches, at most one between the same two).
struct IrregularShape {
  unsigned switches = 16;
  unsigned hosts_per_switch = 4;
  unsigned cables_per_switch = 4;  ///< < switches; switches x cables even
  unsigned ports_per_switch = 8;
};

/// Hosts on the first ports, numbered switch by switch; cables where chance puts them. The paper says nothing
/// about how its networks were drawn. Chosen: pairs of free ports one after the other, each equally likely
/// among those that may still be joined, from the start again if it gets stuck or falls apart (Steger and
/// Wormald, "Generating Random Regular Graphs Quickly", 1999: nearly uniform over all such networks).
/// @throws Error if no such network exists
SwitchGraph irregular(const IrregularShape& shape, std::uint64_t seed);

}  // namespace morgana::topology
