#pragma once

#include <string>
#include <vector>

#include "emulator/network/myrinet/routes/route.h"

namespace morgana {

/// A route under which a packet that holds one channel waits for another.
struct ChannelDependency {
  CableChannel holds, wants;
  HostNumber from, to;  ///< of the route
};

/// Whether packets on these routes can wait for each other in a cycle. A packet holds the channels of a leg
/// behind its head while it waits for the next one; a host takes packets in whole, so that what leads to an
/// in-transit host doesn't depend on what leads away from it (emulator/routing/channel_dependencies.h).
/// @return the dependencies of a cycle, each wanting what the next one holds and the last one what the first
/// holds, as few as possible through one of its channels; empty if there is none: the table is safe.
/// @throws Error for a route that leads nowhere
std::vector<ChannelDependency> find_deadlock(const SwitchGraph& graph, const RouteTable& table);

/// A line for each dependency: "switch 0 port 2 -> switch 1 port 3 is held while ... is wanted, by the route
/// from host 0 to host 5".
std::string describe(const SwitchGraph& graph, const std::vector<ChannelDependency>& cycle);

}  // namespace morgana
