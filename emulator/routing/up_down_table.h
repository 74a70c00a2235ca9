#pragma once

#include <memory>
#include <vector>

#include "emulator/routing/destination_table.h"
#include "emulator/routing/routing.h"

namespace morgana {

/// The roots: switches from which more than 90 % of the hosts are equally far, over the fewest cables, and no
/// more than 5 % at any other distance, as OpenSM finds them by itself (osm_ucast_updn.c); of these the ones
/// that are nearest to the hosts. OpenSM takes them all, with them the leaves of a tree that have 5 % of its
/// hosts or less. The top level of a fat tree; of many other networks none.
std::vector<SwitchId> up_down_roots(const SwitchGraph& graph);

/// Up*/down* ways after OpenSM's routing engine "updn", with two differences. OpenSM takes the fewest cables
/// of all legal ways; here a switch with a way down keeps to it, even if up and down again would be shorter,
/// so that switches above it may send down to it. And OpenSM takes a cable between two roots as one that
/// leads up from both ends; here one end is the upper one. Switches are ranked breadth first from the
/// roots; the upper end of a cable is that of the lower rank, of equal ranks the lower number. No way goes up
/// after it has gone down, so that none closes a cycle on one virtual channel. A switch from which cables
/// lead down to the destination sends down over the fewest of them; another one sends up, over the fewest
/// cables of all: each forwards by the destination alone. Hosts take their ports one after the other: of
/// equally good ones the port that the fewest hosts use at the switch, the lowest of these (osm_ucast_mgr.c).
///
/// @param root  if OpenSM's rule finds none, and of parts that the roots found do not join
/// @param usable  ways are over the cables that are. Ranks are those of the whole network if they join all
/// switches with hosts that these cables join, so that ways before and after a fault close no cycle together;
/// else new ones from the same roots; else from the first of them alone, from where cables lead everywhere.
/// Source: Schroeder et al., "Autonet", IEEE JSAC 9(8), 1991.
DestinationTable up_down_table(const SwitchGraph& graph, SwitchId root, const ChannelFilter& usable);

std::shared_ptr<const Routing> up_down_routing(const SwitchGraph& graph, SwitchId root,
                                               const ChannelFilter& usable);

}  // namespace morgana
