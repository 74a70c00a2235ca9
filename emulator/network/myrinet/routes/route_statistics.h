#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/myrinet/routes/route.h"

namespace morgana {

/// What the routes of a table mean for uniform traffic. Each is counted once for every pair of different
/// hosts that uses it.
struct RouteStatistics {
  std::uint64_t routes = 0;                   ///< of pairs that have one
  std::uint64_t routes_between_switches = 0;  ///< of pairs at different switches
  /// Over those between switches: mean number of cables crossed between switches, and the share that crosses
  /// no more of them than there must be.
  double cables = 0, minimal_share = 0;
  /// Mean number of in-transit hosts, over the routes between switches and over all routes.
  double in_transit = 0, in_transit_per_message = 0;
  /// How many pairs of hosts send through a channel, by its number; those of the same switch are counted too.
  std::vector<std::uint64_t> pairs_through;
  /// Of hosts that take packets in transit, by host: for how many pairs.
  std::vector<std::uint64_t> pairs_in_transit_at;

  /// The largest count on a channel between switches.
  std::uint64_t most_pairs_through(const SwitchGraph& graph) const;
};

/// @throws Error if a route leads nowhere or to another host than it is for
RouteStatistics route_statistics(const SwitchGraph& graph, const RouteTable& table);

}  // namespace morgana
