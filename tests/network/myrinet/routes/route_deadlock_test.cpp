#include "emulator/network/myrinet/routes/route_deadlock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "tests/routing/networks.h"
#include "tests/support/effort.h"

namespace morgana {
namespace {

using Ports = std::vector<RouteByte>;

/// Three switches in a ring, a host on port 0 of each; port 1 to the next, port 2 from the one before.
SwitchGraph triangle() {
  return topology::torus({.sides = {3}, .hosts_per_switch = 1, .ports_per_switch = 3});
}

/// Every host sends to the next but one the same way round.
RouteTable all_one_way_round(const Ports& header) {
  RouteTable table = RouteTable::row_per_host(triangle());
  for (HostNumber from = 0; from < 3; ++from) table.set(from, (from + 2) % 3, header);
  return table;
}

/// Whether any channel depends on itself over others, by transitive closure.
bool has_cycle(const SwitchGraph& graph, const RouteTable& table) {
  const std::size_t channels = graph.channels();
  std::vector<std::vector<bool>> reaches(channels, std::vector<bool>(channels));
  for (HostNumber from = 0; from < graph.hosts(); ++from) {
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      if (from == to || table.header(from, to).empty()) continue;
      for (const auto& leg : channels_of(graph, from, table.header(from, to))) {
        for (std::size_t n = 1; n < leg.size(); ++n) reaches[leg[n - 1]][leg[n]] = true;
      }
    }
  }
  for (std::size_t over = 0; over < channels; ++over) {
    for (std::size_t from = 0; from < channels; ++from) {
      for (std::size_t to = 0; reaches[from][over] && to < channels; ++to) {
        if (reaches[over][to]) reaches[from][to] = true;
      }
    }
  }
  for (std::size_t channel = 0; channel < channels; ++channel) {
    if (reaches[channel][channel]) return true;
  }
  return false;
}

/// That each dependency wants what the next one holds, and that its route really holds the one and wants the
/// other.
void expect_real(const SwitchGraph& graph, const RouteTable& table,
                 const std::vector<ChannelDependency>& cycle) {
  for (std::size_t n = 0; n < cycle.size(); ++n) {
    const ChannelDependency& one = cycle[n];
    EXPECT_EQ(one.wants, cycle[(n + 1) % cycle.size()].holds);
    bool found = false;
    for (const auto& leg : channels_of(graph, one.from, table.header(one.from, one.to))) {
      for (std::size_t at = 1; at < leg.size(); ++at) {
        found = found || (leg[at - 1] == one.holds && leg[at] == one.wants);
      }
    }
    EXPECT_TRUE(found) << graph.describe(one.holds) << " and " << graph.describe(one.wants);
  }
}

TEST(FindDeadlock, ThreePacketsRoundATriangleHoldWhatTheNextWants) {
  const SwitchGraph graph = triangle();
  EXPECT_EQ(
      describe(graph, find_deadlock(graph, all_one_way_round({1, 1, 0}))),
      "switch 0 port 1 -> switch 1 port 2 is held while switch 1 port 1 -> switch 2 port 2 is wanted, by "
      "the route from host 0 to host 2\n"
      "switch 1 port 1 -> switch 2 port 2 is held while switch 2 port 1 -> switch 0 port 2 is wanted, by "
      "the route from host 1 to host 0\n"
      "switch 2 port 1 -> switch 0 port 2 is held while switch 0 port 1 -> switch 1 port 2 is wanted, by "
      "the route from host 2 to host 1\n");
}

TEST(FindDeadlock, AHostThatTakesPacketsInTransitBreaksTheCircle) {
  const SwitchGraph graph = triangle();
  EXPECT_TRUE(find_deadlock(graph, all_one_way_round({1, 0, in_transit_mark, 1, 0})).empty());
  RouteTable one_broken = all_one_way_round({1, 1, 0});
  one_broken.set(1, 0, Ports{1, 0, in_transit_mark, 1, 0});
  EXPECT_TRUE(find_deadlock(graph, one_broken).empty());
}

TEST(FindDeadlock, ARouteThroughALoopTwiceBlocksItself) {
  SwitchGraph graph;
  graph.add_switch(4);
  graph.add_host({0, 0});
  graph.add_host({0, 1});
  graph.connect({0, 2}, {0, 3});
  RouteTable table = RouteTable::row_per_host(graph);
  table.set(0, 1, Ports{2, 1});
  EXPECT_TRUE(find_deadlock(graph, table).empty());
  table.set(0, 1, Ports{2, 2, 1});
  const auto cycle = find_deadlock(graph, table);
  ASSERT_EQ(cycle.size(), 1u);
  EXPECT_EQ(cycle[0].holds, cycle[0].wants);
}

TEST(FindDeadlock, UpDownAndInTransitRoutesAreSafe) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    SCOPED_TRACE(network.name);
    const UpDown orientation(graph, static_cast<SwitchId>(graph.switches() / 3));
    for (const Sharing sharing : {Sharing::switch_pair, Sharing::host_pair}) {
      EXPECT_TRUE(
          find_deadlock(graph, simple_routes(graph, orientation, {.sharing = sharing, .detour = 2})).empty());
      EXPECT_TRUE(
          find_deadlock(graph, shortest_up_down_routes(graph, orientation, {.sharing = sharing})).empty());
      EXPECT_TRUE(find_deadlock(graph, in_transit_routes(graph, orientation, {.sharing = sharing})).empty());
    }
  }
}

TEST(FindDeadlock, MinimalRoutesOnRingsToriAndIrregularNetworksAreNot) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    if (network.name == "fat tree" || network.name == "now" || network.name == "irregular 8")
      continue;  // safe, trees or by chance
    SCOPED_TRACE(network.name);
    const RouteTable table = minimal_routes(graph);
    const auto cycle = find_deadlock(graph, table);
    EXPECT_FALSE(cycle.empty());
    expect_real(graph, table, cycle);
  }
}

TEST(FindDeadlock, MinimalRoutesInAFatTreeAreSafe) {
  const SwitchGraph graph = topology::fat_tree({.arity = 3, .levels = 3});
  EXPECT_TRUE(find_deadlock(graph, minimal_routes(graph)).empty());
}

/// Routes that wander about, some of them in transit, from some hosts to some.
RouteTable random_routes(const SwitchGraph& graph, RandomStream& random) {
  RouteTable table = RouteTable::row_per_host(graph);
  for (HostNumber from = 0; from < graph.hosts(); ++from) {
    Ports header;
    Neighbour at = graph.receiver(graph.channel_from(from));
    while (header.size() < 12) {
      const auto port = static_cast<PortNumber>(random.below(graph.ports(at.id)));
      const Neighbour next = graph.neighbour({at.id, port});
      if (next.is_nothing()) continue;
      header.push_back(static_cast<RouteByte>(port));
      at = next;
      if (!at.is_host()) continue;
      if (at.id != from) table.set(from, at.id, header);
      header.push_back(in_transit_mark);
      at = graph.receiver(graph.channel_from(at.id));
    }
  }
  return table;
}

TEST(FindDeadlock, FindsACircleExactlyWhereThereIsOne) {
  const std::uint64_t cases = random_cases(400);
  std::uint64_t unsafe = 0;
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for deadlocks");
    const SwitchGraph graph = random_network(random, 6);
    const RouteTable table = random_routes(graph, random);
    const auto cycle = find_deadlock(graph, table);
    ASSERT_EQ(!cycle.empty(), has_cycle(graph, table));
    expect_real(graph, table, cycle);
    unsafe += cycle.empty() ? 0 : 1;
  }
  EXPECT_GT(10 * unsafe, cases);
  EXPECT_LT(10 * unsafe, 9 * cases);
}

TEST(FindDeadlock, RoutesOverRandomNetworksAreSafe) {
  for (std::uint64_t seed = 0; seed < random_cases(200); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for safe routes");
    const SwitchGraph graph = random_network(random, 12);
    const UpDown orientation(graph, static_cast<SwitchId>(random.below(graph.switches())));
    EXPECT_TRUE(find_deadlock(graph, simple_routes(graph, orientation)).empty());
    EXPECT_TRUE(find_deadlock(graph, in_transit_routes(graph, orientation)).empty());
  }
}

}  // namespace
}  // namespace morgana
