#pragma once

#include <cstdint>

#include "emulator/network/myrinet/routes/host_routes.h"
#include "emulator/network/myrinet/routes/route.h"
#include "emulator/routing/up_down.h"

namespace morgana {

/// In which order the pairs choose their paths.
enum class RoutingOrder : std::uint8_t {
  random,    ///< spreads best
  by_source  ///< all of the first switch or host, then of the next
};

struct BalancedRouteOptions {
  Sharing sharing = Sharing::switch_pair;
  /// How many cables more than the shortest legal path a route may cross.
  unsigned detour = 1;
  RoutingOrder order = RoutingOrder::random;
  std::uint64_t seed = 1;
};

/// Legal up*/down* routes, balanced over the cables as Myricom's `simple_routes` does it with weighted links:
/// a route may be longer than the shortest legal one if that is less loaded. The program's own rule is not
/// published. Chosen: pairs are routed one after the other, in random order; each takes, of all legal paths
/// of at most `detour` cables more than the shortest, the one on which the routes counted so far on its
/// channels add up to least. No route where no cables lead. Source: Flich, López, Malumbres and Duato,
/// "Boosting the Performance of Myrinet Networks", 2002, 5.3.
RouteTable simple_routes(const SwitchGraph& graph, const UpDown& orientation,
                         const BalancedRouteOptions& options = {});

}  // namespace morgana
