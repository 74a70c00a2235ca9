#pragma once

#include "emulator/routing/forwarding_table.h"

namespace morgana {

/// Up*/down* ways by destination. Levels are distances from the lowest switch of each part of the network;
/// the upper end of a cable is the switch on the lower level, or of two on the same level the one with the
/// lower number. A switch from which cables lead down to the destination sends down over the fewest of them;
/// another one sends up, over the fewest cables of all. Of equally good cables a hash of the two switches
/// takes one. No way goes up after it has gone down, so that no cycle closes on one virtual channel, and a
/// way leads wherever the cables do. Source: Schroeder et al., "Autonet: A High-Speed, Self-Configuring Local
/// Area Network Using Point-to-Point Links", IEEE JSAC 9(8), 1991.
ForwardingTable up_down_table(const SwitchGraph& graph, const ChannelFilter& usable);

}  // namespace morgana
