#pragma once

#include <span>
#include <vector>

#include "emulator/network/myrinet/routes/route.h"
#include "emulator/routing/paths.h"

namespace morgana {

/// Whose routes may differ.
enum class Sharing : std::uint8_t {
  switch_pair,  ///< all hosts of a switch take the same path to all hosts of another
  host_pair     ///< every pair of hosts has its own: for 4,096 hosts some 300 MB
};

/// A path between switches, step by step.
using SwitchPath = std::vector<Paths::Step>;

/// Turns paths between switches into headers between hosts. Where a path goes up after it has come down, an
/// in-transit host is put in: those of a switch take turns, so that each gets the same share.
class HostRoutes {
 public:
  /// @param in_transit  false: paths turn without a host
  explicit HostRoutes(const SwitchGraph& graph, bool in_transit)
      : graph_(graph), in_transit_(in_transit), next_(graph.switches()) {}
  /// The header to a host at the path's end, from any host at switch `from`; valid until the next call.
  Header header(SwitchId from, const SwitchPath& path, HostNumber to);

 private:
  const SwitchGraph& graph_;
  bool in_transit_;
  std::vector<std::size_t> next_;  // in-transit host of each switch, by its place there
  std::vector<RouteByte> header_;
};

/// What LongWork calls the search for all routes of a network.
constexpr const char* routing_work = "routing";

/// Gives every host of switch `from` the path to every host of switch `to`; the in-transit hosts may differ
/// from destination to destination.
void set_for_switch_pair(RouteTable& table, const SwitchGraph& graph, HostRoutes& routes, SwitchId from,
                         SwitchId to, const SwitchPath& path);

/// The table for this sharing, in which the routes between hosts of the same switch already stand.
RouteTable table_with_local_routes(const SwitchGraph& graph, Sharing sharing);

}  // namespace morgana
