#include "experiments/itb/counts.h"

#include <algorithm>

#include "emulator/core/statistics.h"
#include "emulator/network/myrinet/traffic/cabled.h"
#include "emulator/network/myrinet/traffic/myrinet_traffic.h"
#include "emulator/routing/paths.h"

namespace morgana::itb_paper {
namespace {

/// Whether a message may go from one host to another.
bool goes(const Destinations& destinations, const TrafficPattern& pattern, const Distances& distances,
          const SwitchGraph& graph, HostNumber from, HostNumber to) {
  if (from == to || !destinations.sends(from)) return false;
  if (pattern.kind == TrafficPattern::Kind::bit_reversal) {
    RandomStream unused(1, "bit reversal draws nothing");
    return destinations.draw(from, unused) == to;
  }
  if (pattern.kind == TrafficPattern::Kind::local) {
    return distances(graph.port_of(from).at, graph.port_of(to).at) <=
           pattern.reach - pattern.reach_less_cables;
  }
  return true;
}

}  // namespace

std::map<std::string, double> counts(const std::string& network, const std::string& pattern_text,
                                     std::uint64_t seed) {
  const SwitchGraph graph = named_network(network, seed);
  const TrafficPattern pattern = parse_pattern(pattern_text);
  const Destinations destinations(pattern, graph, seed);
  const Distances minimal = minimal_distances(graph);
  const Distances legal = Paths(graph, UpDown(graph), Turns::never).distances();
  const RouteTable routes = routes_of(graph, RouteKind::in_transit, seed);
  RunningStatistics fewest, up_down, equal, in_transit;
  double fixed = 0;
  for (HostNumber from = 0; from < graph.hosts(); ++from) {
    if (!destinations.sends(from)) ++fixed;
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      if (!goes(destinations, pattern, minimal, graph, from, to)) continue;
      const Header header = routes.header(from, to);
      in_transit.add(static_cast<double>(std::count(header.begin(), header.end(), in_transit_mark)));
      const SwitchId start = graph.port_of(from).at, end = graph.port_of(to).at;
      fewest.add(minimal(start, end));
      up_down.add(legal(start, end));
      equal.add(minimal(start, end) == legal(start, end) ? 1 : 0);
    }
  }
  const bool uniform = pattern.kind == TrafficPattern::Kind::uniform;
  return {{"minimal", uniform ? minimal.mean() : fewest.mean()},
          {"legal", uniform ? legal.mean() : up_down.mean()},
          {"share", uniform ? legal.share_equal(minimal) : equal.mean()},
          {"in_transit", in_transit.mean()},
          {"fixed", fixed}};
}

double in_transit_delay() {
  // Host 0 and the in-transit host 1 at one switch, host 2 at the next.
  SwitchGraph graph;
  constexpr unsigned ports = 4;
  graph.add_switch(ports);
  graph.add_switch(ports);
  graph.add_host(SwitchId{0});
  graph.add_host(SwitchId{0});
  graph.add_host(SwitchId{1});
  graph.connect(0, 1);
  const SwitchPort last = graph.port_of(2), over = graph.cables()[0].a;
  RouteTable table = RouteTable::row_per_host(graph);
  const RouteByte header[] = {route_byte(graph.port_of(1).port), in_transit_mark, route_byte(over.port),
                              route_byte(last.port)};
  table.set(table.row_of(0), 2, header);

  struct Arrival : UnitListener {
    explicit Arrival(EventQueue& queue) : events(queue) {}
    void unit_departed(UnitId, PortId) override {}
    void unit_lost(UnitId) override {}
    void unit_delivered(UnitId, PortId) override { at = events.now(); }
    EventQueue& events;
    SimTime at;
  };
  EventQueue events;
  const MyrinetParameters parameters;
  MyrinetNetwork under_test(events, graph, table, parameters, 1);
  Arrival arrival(events);
  under_test.report_to(arrival);
  constexpr std::int64_t payload = 512;
  under_test.inject({UnitId{0}, PortId{0}, PortId{2}, Bytes(payload)});
  while (!events.empty()) events.handle_next();
  // Three switches' routing, five cables, and the flits of payload, type and CRC.
  constexpr std::int64_t routings = 3, cables = 5;
  const SimTime on_the_way =
      routings * parameters.routing + cables * parameters.cable + (payload + 2) * parameters.flit;
  constexpr double ps_per_ns = 1000;
  return static_cast<double>((arrival.at - on_the_way).ps()) / ps_per_ns;
}

}  // namespace morgana::itb_paper
