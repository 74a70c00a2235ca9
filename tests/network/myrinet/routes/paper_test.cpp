// What Flich, López, Malumbres and Duato, "Boosting the Performance of Myrinet Networks", 2002, say about
// routes, and what follows from their networks by counting.

#include <gtest/gtest.h>

#include "emulator/core/statistics.h"
#include "emulator/network/myrinet/routes/route_statistics.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "tests/routing/networks.h"

namespace morgana {
namespace {

TEST(Paper, EightyPercentOfTheTorusBalancedRoutesAreMinimal) {
  const SwitchGraph graph = topology::torus({});
  const RouteStatistics routes = route_statistics(graph, simple_routes(graph, UpDown(graph)));
  EXPECT_GE(routes.minimal_share, 0.78);
  EXPECT_LE(routes.minimal_share, 0.83);
  EXPECT_NEAR(routes.cables, 4.57, 0.01);
}

TEST(Paper, NinetyFourPercentOfTheExpressTorusShortestLegalRoutesAreMinimal) {
  const SwitchGraph graph = topology::express_torus({});
  const RouteStatistics routes = route_statistics(graph, shortest_up_down_routes(graph, UpDown(graph)));
  EXPECT_NEAR(routes.minimal_share, 0.94, 0.005);
}

TEST(Paper, InTransitHostsPerMessageOnTheTori) {
  const auto per_message = [](const SwitchGraph& graph) {
    return route_statistics(graph, in_transit_routes(graph, UpDown(graph))).in_transit_per_message;
  };
  EXPECT_NEAR(per_message(topology::torus({})), 0.556, 0.055);
  EXPECT_NEAR(per_message(topology::express_torus({})), 0.379, 0.038);
}

TEST(Paper, DrawingTheNextHopTurnsLessOftenThanDrawingThePath) {
  const SwitchGraph graph = topology::torus({});
  const auto in_transit = [&](Draw draw) {
    const ShortestRouteOptions options{.sharing = Sharing::host_pair, .draw = draw};
    return route_statistics(graph, in_transit_routes(graph, UpDown(graph), options)).in_transit_per_message;
  };
  EXPECT_NEAR(in_transit(Draw::path), 0.575, 0.01);
  EXPECT_NEAR(in_transit(Draw::next_hop), 0.556, 0.01);
}

TEST(Paper, InTransitHostsRelieveTheRootOfTheTorus) {
  const SwitchGraph graph = topology::torus({});
  const UpDown orientation(graph);
  // The load in flits/ns/switch at which uniform traffic fills the busiest channel (160 MB/s).
  const auto limit = [&](const RouteTable& table) {
    const auto busiest = static_cast<double>(route_statistics(graph, table).most_pairs_through(graph));
    return 0.16 * 512 * 511 / 64 / busiest;
  };
  EXPECT_NEAR(limit(simple_routes(graph, orientation)), 0.0395, 0.0015);
  EXPECT_GT(limit(in_transit_routes(graph, orientation)), 3 * limit(simple_routes(graph, orientation)));
}

struct Irregular {
  unsigned switches;
  double minimal_share, minimal, legal, in_transit;
};

TEST(Paper, IrregularNetworksByCounting) {
  for (const auto& expected :
       {Irregular{8, 0.989, 1.43, 1.44, 0.110}, Irregular{16, 0.870, 1.96, 2.12, 0.225},
        Irregular{32, 0.752, 2.54, 2.93, 0.360}, Irregular{64, 0.609, 3.16, 3.91, 0.525}}) {
    SCOPED_TRACE(testing::Message() << expected.switches << " switches");
    RunningStatistics share, minimal, legal, in_transit;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
      const SwitchGraph graph = topology::irregular({.switches = expected.switches}, seed);
      const UpDown orientation(graph);
      const Distances fewest = minimal_distances(graph);
      const Distances up_down = Paths(graph, orientation, Turns::never).distances();
      share.add(up_down.share_equal(fewest));
      minimal.add(fewest.mean());
      legal.add(up_down.mean());
      in_transit.add(route_statistics(graph, in_transit_routes(graph, orientation)).in_transit_per_message);
    }
    EXPECT_NEAR(share.mean(), expected.minimal_share, 0.03);
    EXPECT_NEAR(minimal.mean(), expected.minimal, 0.02 * expected.minimal);
    EXPECT_NEAR(legal.mean(), expected.legal, 0.02 * expected.legal);
    EXPECT_NEAR(in_transit.mean(), expected.in_transit, 0.1 * expected.in_transit);
  }
}

TEST(Paper, LocalTrafficHardlyNeedsInTransitHosts) {
  // Destinations at most l - 2 cables away: l = 3 and l = 5 in irregular networks of 64 switches.
  RunningStatistics near, far;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const SwitchGraph graph = topology::irregular({.switches = 64}, seed);
    const Distances distances = minimal_distances(graph);
    const RouteTable table = in_transit_routes(graph, UpDown(graph));
    for (HostNumber from = 0; from < graph.hosts(); ++from) {
      for (HostNumber to = 0; to < graph.hosts(); ++to) {
        const unsigned hops = distances(graph.port_of(from).at, graph.port_of(to).at);
        if (from == to || hops > 3) continue;
        const auto in_transit = static_cast<double>(follow(graph, from, table.header(from, to)).size() - 1);
        far.add(in_transit);
        if (hops <= 1) near.add(in_transit);
      }
    }
  }
  EXPECT_LT(near.mean(), 0.01);
  EXPECT_GE(far.mean(), 0.30);
  EXPECT_LE(far.mean(), 0.45);
}

TEST(Paper, BitReversalOnTheTorus) {
  const SwitchGraph graph = topology::torus({});
  const Distances minimal = minimal_distances(graph);
  const Distances legal = Paths(graph, UpDown(graph), Turns::never).distances();
  RunningStatistics fewest, up_down, equal;
  int fixed = 0;
  for (HostNumber from = 0; from < 512; ++from) {
    HostNumber to = 0;
    for (unsigned bit = 0; bit < 9; ++bit) to |= (from >> bit & 1u) << (8 - bit);
    if (to == from) {
      ++fixed;
      continue;
    }
    const SwitchId start = graph.port_of(from).at, end = graph.port_of(to).at;
    fewest.add(minimal(start, end));
    up_down.add(legal(start, end));
    equal.add(minimal(start, end) == legal(start, end) ? 1 : 0);
  }
  EXPECT_EQ(fixed, 32);
  EXPECT_NEAR(fewest.mean(), 3.733, 0.0005);
  EXPECT_NEAR(up_down.mean(), 4.533, 0.0005);
  EXPECT_NEAR(equal.mean(), 0.658, 0.0005);
}

}  // namespace
}  // namespace morgana
