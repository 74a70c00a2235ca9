#pragma once

#include "emulator/core/link_load.h"
#include "emulator/core/network_shape.h"
#include "emulator/report/pictures/link_map.h"

namespace morgana {

/// A picture of a network: its switches as its shape has them, hosts around their switch, and each direction
/// of a cable as a line of its own, on the right of who sends along it. Cables that go round the edge of a
/// grid are cut in two. The title is left to the caller.
/// @param coloured  by utilisation
/// @throws Error if the shape is free and Graphviz is missing
LinkMap map_of(const NetworkLinks& links, NetworkShape shape, bool coloured);

}  // namespace morgana
