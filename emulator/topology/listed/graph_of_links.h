#pragma once

#include "emulator/core/link_load.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// The graph that a network's links are the channels of: for callers that have a network and ask where its
/// hosts hang. @param links  both directions of every cable, hosts numbered without gaps
SwitchGraph graph_of(const NetworkLinks& links);

}  // namespace morgana
