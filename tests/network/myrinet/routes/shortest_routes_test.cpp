#include "emulator/network/myrinet/routes/shortest_routes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "emulator/network/myrinet/routes/route_statistics.h"
#include "emulator/topology/listed/listed.h"
#include "tests/routing/networks.h"
#include "tests/support/effort.h"

namespace morgana {
namespace {

/// Cables between switches that a route crosses, in all its legs.
std::size_t cables(const std::vector<std::vector<CableChannel>>& legs) {
  std::size_t sum = 0;
  for (const auto& leg : legs) sum += leg.size() - 2;
  return sum;
}

template <typename Check>
void for_tried_pairs(const SwitchGraph& graph, Check check) {
  for (HostNumber from = 0; from < graph.hosts(); from += 3) {
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      if (from != to && is_tried(to)) check(from, to);
    }
  }
}

TEST(InTransitRoutes, AreMinimalAndEveryLegIsLegal) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    for (const Sharing sharing : {Sharing::switch_pair, Sharing::host_pair}) {
      SCOPED_TRACE(network.name);
      const UpDown orientation(graph);
      const Distances shortest = Paths(graph, orientation, Turns::in_transit).distances();
      const RouteTable table = in_transit_routes(graph, orientation, {.sharing = sharing});
      for_tried_pairs(graph, [&](HostNumber from, HostNumber to) {
        const auto legs = channels_of(graph, from, table.header(from, to));
        for (const auto& leg : legs) ASSERT_TRUE(orientation.legal(leg));
        ASSERT_EQ(follow(graph, from, table.header(from, to)).back().to, to);
        ASSERT_EQ(cables(legs), shortest(graph.port_of(from).at, graph.port_of(to).at));
      });
    }
  }
}

TEST(InTransitRoutes, AHostIsPutInOnlyWhereTheRouteTurnsUpAgain) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    SCOPED_TRACE(network.name);
    const UpDown orientation(graph);
    const RouteTable table = in_transit_routes(graph, orientation);
    for_tried_pairs(graph, [&](HostNumber from, HostNumber to) {
      const auto legs = channels_of(graph, from, table.header(from, to));
      for (std::size_t n = 1; n < legs.size(); ++n) {
        // ... down, to the host; from the host, up ...
        ASSERT_EQ(orientation.direction(legs[n - 1][legs[n - 1].size() - 2]), UpDown::Direction::down);
        ASSERT_EQ(orientation.direction(legs[n][1]), UpDown::Direction::up);
      }
    });
  }
}

TEST(InTransitRoutes, TheHostsOfASwitchTakeTheSameShare) {
  const SwitchGraph graph = topology::torus({});
  for (const Sharing sharing : {Sharing::switch_pair, Sharing::host_pair}) {
    const RouteStatistics statistics =
        route_statistics(graph, in_transit_routes(graph, UpDown(graph), {.sharing = sharing}));
    const std::uint64_t pairs_of_an_entry = sharing == Sharing::switch_pair ? 8 : 1;
    for (SwitchId at = 0; at < graph.switches(); ++at) {
      const auto& taken = statistics.pairs_in_transit_at;
      const auto [least, most] = std::minmax_element(taken.begin() + 8 * at, taken.begin() + 8 * (at + 1));
      EXPECT_LE(*most - *least, pairs_of_an_entry) << "switch " << at;
    }
  }
}

/// A ring 0-1-3-4-2-0: levels 0; 1 and 2 below; 3 and 4 below these. From 2 to 3 it is shortest over 4, down
/// and up again; without turning it is over 0 and 1.
const std::string ring_of_five =
    "switch 8\nswitch 8\nswitch 8\nswitch 8\nswitch 8\n"
    "cable 0.0 1.0\ncable 1.1 3.0\ncable 3.1 4.0\ncable 4.1 2.0\ncable 2.1 0.1\nhost 2.4\nhost 3.4\n";

TEST(InTransitRoutes, TurnAtAHostOfTheSwitch) {
  const SwitchGraph graph = topology::listed(ring_of_five + "host 4.4\n", "ring");
  EXPECT_EQ(describe_route(graph, 0, in_transit_routes(graph, UpDown(graph)).header(0, 1)),
            "host 0 -> switch 2 port 0 -> switch 4 port 4 -> host 2, in transit -> switch 4 port 0 -> "
            "switch 3 port 4 -> host 1");
}

TEST(InTransitRoutes, GoAnotherWayWhereASwitchHasNoHostToTurnAt) {
  const SwitchGraph graph = topology::listed(ring_of_five, "ring");
  EXPECT_EQ(describe_route(graph, 0, in_transit_routes(graph, UpDown(graph)).header(0, 1)),
            "host 0 -> switch 2 port 1 -> switch 0 port 0 -> switch 1 port 1 -> switch 3 port 4 -> host 1");
}

TEST(MinimalRoutes, AreMinimalAndNeverInTransit) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    SCOPED_TRACE(network.name);
    const Distances minimal = minimal_distances(graph);
    const RouteTable table = minimal_routes(graph);
    for_tried_pairs(graph, [&](HostNumber from, HostNumber to) {
      const auto legs = channels_of(graph, from, table.header(from, to));
      ASSERT_EQ(legs.size(), 1u);
      ASSERT_EQ(cables(legs), minimal(graph.port_of(from).at, graph.port_of(to).at));
    });
  }
}

TEST(ShortestUpDownRoutes, AreLegalAndAsShortAsLegalOnesCanBe) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    SCOPED_TRACE(network.name);
    const UpDown orientation(graph);
    const Distances shortest = Paths(graph, orientation, Turns::never).distances();
    const RouteTable table = shortest_up_down_routes(graph, orientation);
    for_tried_pairs(graph, [&](HostNumber from, HostNumber to) {
      const auto legs = channels_of(graph, from, table.header(from, to));
      ASSERT_EQ(legs.size(), 1u);
      ASSERT_TRUE(orientation.legal(legs[0]));
      ASSERT_EQ(cables(legs), shortest(graph.port_of(from).at, graph.port_of(to).at));
    });
  }
}

/// From switch 0 to switch 4: over 1 (one path), or over 2 and its three cables to 4 (three paths).
constexpr const char* four_paths =
    "switch 8\nswitch 8\nswitch 8\nswitch 8\nswitch 8\nhost 0.7\nhost 4.7\n"
    "cable 0.0 1.0\ncable 1.1 4.0\ncable 0.1 2.0\ncable 2.1 4.1\ncable 2.2 4.2\ncable 2.3 4.3\ncable 0.2 "
    "3.0\n";

/// How often each path is drawn, by its first and second port.
std::map<std::pair<int, int>, int> draws(Draw draw) {
  const SwitchGraph graph = topology::listed(four_paths, "four paths");
  std::map<std::pair<int, int>, int> count;
  for (std::uint64_t seed = 0; seed < 4000; ++seed) {
    const RouteTable table = minimal_routes(graph, {.draw = draw, .seed = seed});
    const Header header = table.header(0, 1);
    ++count[{header[0], header[1]}];
  }
  return count;
}

TEST(MinimalRoutes, EveryPathIsEquallyLikely) {
  const auto count = draws(Draw::path);
  ASSERT_EQ(count.size(), 4u);
  for (const auto& [ports, times] : count) EXPECT_NEAR(times, 1000, 137);  // 5 standard deviations
}

TEST(MinimalRoutes, OrEveryNextHopIs) {
  const auto count = draws(Draw::next_hop);
  ASSERT_EQ(count.size(), 4u);
  EXPECT_NEAR(count.at({0, 1}), 2000, 158);
  for (const int port : {1, 2, 3}) EXPECT_NEAR(count.at({1, port}), 667, 118);
}

TEST(ShortestRoutes, FourThousandHostsFitInFortyFiveMegabytes) {
  const SwitchGraph graph = topology::torus({.sides = {8, 8, 8}});
  const RouteTable table = in_transit_routes(graph, UpDown(graph));
  EXPECT_EQ(table.hosts(), 4096u);
  EXPECT_LT(table.memory(), 45'000'000u);
  const RouteStatistics statistics = route_statistics(graph, table);
  EXPECT_EQ(statistics.routes, 4096u * 4095u);
  EXPECT_EQ(statistics.minimal_share, 1);
}

}  // namespace
}  // namespace morgana
