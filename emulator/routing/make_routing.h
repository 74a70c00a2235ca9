#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "emulator/routing/nonminimal.h"
#include "emulator/routing/routing.h"
#include "emulator/routing/up_down_ways.h"
#include "emulator/routing/usable_arcs.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/routed_shape.h"

namespace morgana {

/// Which way packets go between switches: network.routes.
enum class RoutesKind : std::uint8_t {
  spanning_tree,  ///< IEEE 802.1D: along a tree, whatever other cables there are
  ecmp,           ///< over the fewest cables; of equally good ones by a hash of the flow (EcmpRouting)
  d_mod_k,        ///< over the fewest cables; of equally good ones by the destination's number (ModKRouting)
  listed,         ///< as RoutesParameters::table says, whatever fails
  least_loaded,   ///< over the fewest cables; of equally good ones the one that is free soonest
  dimension_order,   ///< of a mesh, torus or HyperX: one dimension after the other
  s_mod_k,           ///< as d_mod_k, by the source's number
  spray,             ///< over the fewest cables; of equally good ones by chance for each packet
  two_choices,       ///< likewise, of two of them the one that is free sooner
  minimal,           ///< of a dragonfly (DragonflyRouting); of a grid dimension order; else HopRouting
  valiant,           ///< through an intermediate group of a dragonfly, or switch of any other network
  ugal_l,            ///< minimal or such a detour, by the waits at the first switch
  ugal_g,            ///< by the waits for a dragonfly's global cables, or on all of the way; not of a grid
  par,               ///< of a dragonfly: as ugal_l, and once more at the next switch of the group
  sssp,              ///< over the fewest cables, of these over those that fewest pairs use (sssp_table)
  dfsssp,            ///< the same ways on as many virtual channels as keep them free of deadlock
  lash,              ///< over the fewest cables, pairs of switches on such virtual channels
  flowlets,          ///< over the fewest cables; of equally good ones by chance for each flowlet
  dal,               ///< of a HyperX: adaptive, with a deroute in each dimension (DalRouting)
  up_down,           ///< up*/down* ways of any network, as OpenSM has them (up_down_table)
  spray_round_robin  ///< over the fewest cables; of equally good ones one after the other
};

struct RoutesParameters {
  RoutesKind routes = RoutesKind::spanning_tree;
  SwitchId root = 0;       ///< of the spanning tree, and of up_down: a switch that the network has
  std::uint64_t seed = 1;  ///< of hashes and of what is drawn
  std::shared_ptr<const Routing> table = {};
  RoutedShape shape = {};    ///< that the network has
  DetourRules detours = {};  ///< but for their kind and seed
  /// Of d-mod-k and s-mod-k: switches of the first so many hosts are the lowest level; 0: of all hosts.
  std::size_t lowest_hosts = 0;
  /// Of the whole network, shared by the ways round faults of its tables; null: it is worked out.
  std::shared_ptr<const UpDownOrder> order = {};
  unsigned most_lanes = 16;  ///< virtual channels that dfsssp and lash may use, up to 255
};

/// Why these routes can't be used on such a network, for people; empty if they can.
std::string why_not(RoutesKind routes, const RoutedShape& shape);

/// @param usable  which channels may be used. Where any may not, routes of the network's shape have one
/// virtual channel more (EscapeRouting)
/// @throws Error for routes that the network's shape does not have, and TooFewLanes
std::shared_ptr<const Routing> make_routing(const CabledGraph& network, const RoutesParameters& parameters,
                                            const ChannelFilter& usable);

}  // namespace morgana
