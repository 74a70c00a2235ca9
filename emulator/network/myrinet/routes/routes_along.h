#pragma once

#include "emulator/network/myrinet/routes/route.h"
#include "emulator/routing/routing.h"

namespace morgana {

/// The source routes that lead packets where switches with this routing would lead them. All hosts of a
/// switch share theirs.
/// @param routing  deterministic, whatever a packet's source and flow
/// @throws Error if no way leads to a host, or round in a circle, or over more switches than a header holds
RouteTable routes_along(const SwitchGraph& graph, const Routing& routing);

}  // namespace morgana
