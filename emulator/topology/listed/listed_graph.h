#pragma once

#include <cstdint>
#include <vector>

#include "emulator/topology/listed/listed_items.h"
#include "emulator/topology/network_topology.h"

namespace morgana {

/// The trunks that network.cables and network.trunks list, in this order.
/// @param switches  that there are. @param link  of trunks that say nothing else
/// @throws TopologyError naming the key and the item, here and below
std::vector<ListedTrunk> listed_trunks(const TopologyHosting& hosting, std::uint32_t switches,
                                       const Link& link);

/// The hosts that network.hosts-at lists.
std::vector<ListedHost> listed_hosts(const TopologyHosting& hosting, std::uint32_t switches,
                                     const Link& link);

/// The network that lists make where ports have numbers. Ports that are named are taken first; the others are
/// the lowest free ones, hosts before cables. Without network.hosts-at so many hosts at every switch as
/// network.hosts-per-switch says. All switches are joined.
SwitchGraph listed_graph(const TopologyHosting& hosting, std::uint32_t switches);

}  // namespace morgana
