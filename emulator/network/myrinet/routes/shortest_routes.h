#pragma once

#include <cstdint>

#include "emulator/network/myrinet/routes/host_routes.h"
#include "emulator/network/myrinet/routes/route.h"
#include "emulator/routing/up_down.h"

namespace morgana {

/// How a path is drawn among the shortest ones.
enum class Draw : std::uint8_t {
  path,     ///< each path is equally likely (parallel cables make different paths)
  next_hop  ///< at each switch, each cable that leads nearer is equally likely
};

struct ShortestRouteOptions {
  Sharing sharing = Sharing::switch_pair;
  Draw draw = Draw::path;
  std::uint64_t seed = 1;
};

/// One minimal route for each pair, drawn among all minimal paths; where it would go up after it has come
/// down, a host of that switch takes the packet and sends it on, so that the routes are free of deadlock. The
/// hosts of a switch take turns. Between two switches whose minimal paths all turn at switches without hosts
/// it is the shortest route that doesn't. No route where no cables lead. Source: Flich, López, Malumbres and
/// Duato, "Boosting the Performance of Myrinet Networks", 2002, section 3.
RouteTable in_transit_routes(const SwitchGraph& graph, const UpDown& orientation,
                             const ShortestRouteOptions& options = {});

/// Minimal routes alone, as drawn: in networks with cycles they can deadlock.
RouteTable minimal_routes(const SwitchGraph& graph, const ShortestRouteOptions& options = {});

/// The shortest legal up*/down* routes, as drawn: minimal where a minimal one is legal; not balanced.
RouteTable shortest_up_down_routes(const SwitchGraph& graph, const UpDown& orientation,
                                   const ShortestRouteOptions& options = {});

}  // namespace morgana
