#pragma once

#include "emulator/network/myrinet/mapping/parameters.h"
#include "emulator/network/myrinet/routes/route.h"

namespace morgana {

/// The switch with the fewest cables to all hosts, the lowest of those.
SwitchId central_switch(const SwitchGraph& graph);

/// Routes between the hosts of a map that can't deadlock; the up*/down* orientation's root is the central
/// switch.
RouteTable routes_for(const NetworkMap& map, MappedRoutes kind, std::uint64_t seed);

}  // namespace morgana
