#include "emulator/network/myrinet/routes/route_statistics.h"

#include <algorithm>

#include "emulator/network/myrinet/routes/walk.h"
#include "emulator/topology/distances.h"

namespace morgana {

std::uint64_t RouteStatistics::most_pairs_through(const SwitchGraph& graph) const {
  std::uint64_t most = 0;
  for (const auto& [a, b] : graph.cables()) {
    most = std::max({most, pairs_through[graph.channel_from(a)], pairs_through[graph.channel_from(b)]});
  }
  return most;
}

RouteStatistics route_statistics(const SwitchGraph& graph, const RouteTable& table) {
  const Distances minimal = minimal_distances(graph);
  RouteStatistics result;
  result.pairs_through.resize(graph.channels());
  result.pairs_in_transit_at.resize(graph.hosts());
  std::uint64_t cables = 0, minimal_routes = 0, in_transit = 0;
  for_every_route(table, [&](HostNumber from, std::size_t sources, HostNumber to, Header header) {
    unsigned between_switches = 0;
    std::size_t last_leg = 0;
    Neighbour end;
    walk(graph, from, header, [&](std::size_t leg, CableChannel channel) {
      end = graph.receiver(channel);
      if (graph.sent_by_host(channel)) {
        if (leg > 0) {
          result.pairs_in_transit_at[graph.sending_host(channel)] += sources;
          result.pairs_through[channel] += sources;
        }
        return;
      }
      if (end.is_switch()) ++between_switches;
      result.pairs_through[channel] += sources;
      last_leg = leg;
    });
    if (end.id != to) {
      throw Error(fmt::format("the route from host {} to host {} leads to host {}", from, to, end.id));
    }
    result.routes += sources;
    const SwitchId start = graph.port_of(from).at, finish = graph.port_of(to).at;
    if (start == finish) return;
    result.routes_between_switches += sources;
    cables += sources * between_switches;
    minimal_routes += between_switches == minimal(start, finish) ? sources : 0;
    in_transit += sources * last_leg;
  });
  // Hosts of a row share its routes but not their own cables.
  for (HostNumber from = 0; from < graph.hosts(); ++from) {
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      if (from != to && !table.header(from, to).empty()) ++result.pairs_through[graph.channel_from(from)];
    }
  }
  const auto mean = [](std::uint64_t sum, std::uint64_t routes) {
    return routes == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(routes);
  };
  result.cables = mean(cables, result.routes_between_switches);
  result.minimal_share = mean(minimal_routes, result.routes_between_switches);
  result.in_transit = mean(in_transit, result.routes_between_switches);
  result.in_transit_per_message = mean(in_transit, result.routes);
  return result;
}

}  // namespace morgana
