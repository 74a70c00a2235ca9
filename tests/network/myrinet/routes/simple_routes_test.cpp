#include "emulator/network/myrinet/routes/simple_routes.h"

#include <gtest/gtest.h>

#include <limits>

#include "emulator/core/statistics.h"
#include "emulator/network/myrinet/routes/route_statistics.h"
#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "tests/routing/networks.h"
#include "tests/routing/reference_paths.h"
#include "tests/support/effort.h"

namespace morgana {
namespace {

bool same_routes(const RouteTable& a, const RouteTable& b) {
  for (HostNumber from = 0; from < a.hosts(); ++from) {
    for (HostNumber to = 0; to < a.hosts(); ++to) {
      const Header one = a.header(from, to), other = b.header(from, to);
      if (from != to && !std::equal(one.begin(), one.end(), other.begin(), other.end())) return false;
    }
  }
  return true;
}

TEST(SimpleRoutes, AreLegalAndLongerThanTheShortestByTheDetourAtMost) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    for (const unsigned detour : {0u, 1u, 2u}) {
      SCOPED_TRACE(testing::Message() << network.name << ", detour " << detour);
      const UpDown orientation(graph);
      const Distances shortest = Paths(graph, orientation, Turns::never).distances();
      const RouteTable table = simple_routes(graph, orientation, {.detour = detour});
      for (HostNumber from = 0; from < graph.hosts(); from += 3) {
        for (HostNumber to = 0; to < graph.hosts(); ++to) {
          if (from == to || !is_tried(to)) continue;
          ASSERT_EQ(follow(graph, from, table.header(from, to)).back().to, to);
          const auto legs = channels_of(graph, from, table.header(from, to));
          ASSERT_EQ(legs.size(), 1u);
          ASSERT_TRUE(orientation.legal(legs[0])) << describe_route(graph, from, table.header(from, to));
          const std::size_t cables = legs[0].size() - 2;
          const unsigned least = shortest(graph.port_of(from).at, graph.port_of(to).at);
          ASSERT_GE(cables, least);
          ASSERT_LE(cables, least + detour);
        }
      }
    }
  }
}

TEST(SimpleRoutes, EachTakesTheLeastLoadedPathThatIsNotTooLong) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for simple routes");
    const SwitchGraph graph = random_network(random, 6);
    const auto detour = static_cast<unsigned>(random.below(3));
    const ReferencePaths reference(graph, 0);
    const RouteTable table =
        simple_routes(graph, UpDown(graph),
                      {.sharing = Sharing::host_pair, .detour = detour, .order = RoutingOrder::by_source});
    std::vector<std::uint64_t> load(graph.channels());
    const auto cost = [&](std::span<const CableChannel> channels) {
      std::uint64_t sum = channels.size();
      for (const CableChannel channel : channels) sum += load[channel];
      return sum;
    };
    for (HostNumber from = 0; from < graph.hosts(); ++from) {
      for (HostNumber to = 0; to < graph.hosts(); ++to) {
        const SwitchId start = graph.port_of(from).at, end = graph.port_of(to).at;
        if (start == end) continue;
        const auto paths = reference.all(start, end);
        const std::size_t shortest =
            *reference.shortest(start, end, [](const auto& path) { return path.turns == 0; });
        std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
        for (const auto& path : paths) {
          if (path.turns == 0 && path.channels.size() <= shortest + detour) {
            least = std::min(least, cost(path.channels));
          }
        }
        const auto leg = channels_of(graph, from, table.header(from, to)).front();
        const std::span between_switches = std::span(leg).subspan(1, leg.size() - 2);
        ASSERT_EQ(cost(between_switches), least) << describe_route(graph, from, table.header(from, to));
        for (const CableChannel channel : between_switches) ++load[channel];
      }
    }
  }
}

TEST(SimpleRoutes, BalanceBetterThanShortestRoutesDrawnAtRandom) {
  RunningStatistics gain;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const SwitchGraph graph = topology::irregular({.switches = 32}, seed);
    const UpDown orientation(graph);
    const auto most = [&](const RouteTable& table) {
      return static_cast<double>(route_statistics(graph, table).most_pairs_through(graph));
    };
    gain.add(most(shortest_up_down_routes(graph, orientation)) / most(simple_routes(graph, orientation)));
  }
  EXPECT_GT(gain.mean(), 1.05);
}

TEST(SimpleRoutes, SpreadOverParallelCables) {
  SwitchGraph graph;
  graph.add_switch(16);
  graph.add_switch(16);
  for (int n = 0; n < 4; ++n) {
    graph.add_host(0);
    graph.add_host(1);
    graph.connect(0, 1);
  }
  const RouteTable table = simple_routes(graph, UpDown(graph), {.sharing = Sharing::host_pair});
  const RouteStatistics statistics = route_statistics(graph, table);
  for (const auto& [a, b] : graph.cables()) {
    EXPECT_EQ(statistics.pairs_through[graph.channel_from(a)], 4u);
    EXPECT_EQ(statistics.pairs_through[graph.channel_from(b)], 4u);
  }
}

TEST(SimpleRoutes, HostsOfASwitchPairShareOneRouteUnlessToldOtherwise) {
  const SwitchGraph graph = topology::torus({});
  const RouteTable shared = simple_routes(graph, UpDown(graph));
  for (HostNumber from = 0; from < 8; ++from) {
    const Header one = shared.header(0, 504), other = shared.header(from, 504);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), other.begin(), other.end()));
  }
  EXPECT_FALSE(same_routes(shared, simple_routes(graph, UpDown(graph), {.sharing = Sharing::host_pair})));
}

TEST(SimpleRoutes, TheSeedDecides) {
  const SwitchGraph graph = topology::irregular({.switches = 16}, 1);
  const UpDown orientation(graph);
  EXPECT_TRUE(same_routes(simple_routes(graph, orientation), simple_routes(graph, orientation)));
  EXPECT_FALSE(
      same_routes(simple_routes(graph, orientation), simple_routes(graph, orientation, {.seed = 2})));
}

TEST(SimpleRoutes, BetweenPartsThatNothingJoinsThereAreNone) {
  SwitchGraph graph;
  for (const SwitchId at : {0u, 1u}) {
    graph.add_switch(4);
    graph.add_host(at);
    graph.add_host(at);
  }
  const RouteTable table = simple_routes(graph, UpDown(graph));
  EXPECT_TRUE(table.header(0, 2).empty());
  EXPECT_EQ(table.header(0, 1).size(), 1u);
  EXPECT_EQ(table.header(3, 2).size(), 1u);
}

}  // namespace
}  // namespace morgana
