#pragma once

#include <vector>

#include "emulator/report/link_map.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// A picture of a network's cables, each direction a line of its own, on the right of who drives along it.
/// @param columns  > 0: the switches stand in rows of so many, and cables round the edge are cut; 0: in a
/// circle
/// @param utilisation  by channel
/// @return without title
LinkMap link_map(const SwitchGraph& graph, unsigned columns, const std::vector<double>& utilisation);

}  // namespace morgana
