#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/report/pictures/link_map.h"

namespace morgana {

/// Puts the nodes of a graph where its edges pull them (Graphviz's neato, always with the same result). The
/// edges are 1 long in the median, or longer, so that any two nodes are 0.85 apart.
/// @param edges  between nodes that there are; those between the same two count once
/// @throws Error if Graphviz is missing or fails
std::vector<MapPoint> pulled_places(std::size_t nodes,
                                    const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace morgana
