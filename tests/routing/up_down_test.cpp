#include "emulator/routing/up_down.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/paths.h"
#include "emulator/routing/up_down_table.h"
#include "emulator/topology/kinds/fat_tree.h"
#include "emulator/topology/kinds/xgft.h"
#include "emulator/topology/listed/listed.h"
#include "tests/routing/faulty_network.h"
#include "tests/routing/networks.h"

namespace morgana {
namespace {

using Direction = UpDown::Direction;

/// A ring of four (port 0 to the next, port 1 from the one before), a host at each switch on port 2, and a
/// loop at switch 2 between ports 3 and 4.
SwitchGraph ring_of_four() {
  return topology::listed(
      "switch 5\nswitch 5\nswitch 5\nswitch 5\nhost 0.2\nhost 1.2\nhost 2.2\nhost 3.2\n"
      "cable 0.0 1.1\ncable 1.0 2.1\ncable 2.0 3.1\ncable 3.0 0.1\ncable 2.3 2.4\n",
      "ring");
}

TEST(UpDown, LevelsAreDistancesFromTheRoot) {
  const UpDown orientation(ring_of_four(), 1);
  EXPECT_EQ(orientation.root(), 1u);
  EXPECT_EQ(orientation.level(0), 1u);
  EXPECT_EQ(orientation.level(1), 0u);
  EXPECT_EQ(orientation.level(2), 1u);
  EXPECT_EQ(orientation.level(3), 2u);
}

TEST(UpDown, UpIsTowardsTheRoot) {
  const SwitchGraph graph = ring_of_four();
  const UpDown orientation(graph, 0);
  EXPECT_EQ(orientation.direction(graph.channel_from({1, 1})), Direction::up);
  EXPECT_EQ(orientation.direction(graph.channel_from({0, 0})), Direction::down);
  EXPECT_EQ(orientation.direction(graph.channel_from({2, 1})), Direction::up);
  EXPECT_EQ(orientation.direction(graph.channel_from({3, 1})), Direction::down);
}

TEST(UpDown, OnTheSameLevelUpIsTowardsTheLowerNumber) {
  // A triangle: switches 1 and 2 are both one away from the root.
  const SwitchGraph graph = topology::listed(
      "switch 2\nswitch 2\nswitch 2\ncable 0.0 1.0\ncable 1.1 2.1\ncable 2.0 0.1\n", "triangle");
  const UpDown orientation(graph);
  EXPECT_EQ(orientation.direction(graph.channel_from({2, 1})), Direction::up);
  EXPECT_EQ(orientation.direction(graph.channel_from({1, 1})), Direction::down);
}

TEST(UpDown, HostsOpenPortsAndLoopsHaveNoDirection) {
  const SwitchGraph graph = ring_of_four();
  const UpDown orientation(graph);
  EXPECT_EQ(orientation.direction(graph.channel_from({1, 2})), Direction::none);
  EXPECT_EQ(orientation.direction(graph.channel_from(HostNumber{1})), Direction::none);
  EXPECT_EQ(orientation.direction(graph.channel_from({1, 3})), Direction::none);
  EXPECT_EQ(orientation.direction(graph.channel_from({2, 3})), Direction::none);
}

TEST(UpDown, ALegMayGoUpAndThenDownButNotUpAgain) {
  const SwitchGraph graph = ring_of_four();
  const UpDown orientation(graph);
  const auto channel = [&](SwitchId at, PortNumber port) { return graph.channel_from(SwitchPort{at, port}); };
  const CableChannel injection = graph.channel_from(HostNumber{3});
  EXPECT_TRUE(
      orientation.legal(std::vector{injection, channel(3, 0), channel(0, 0), channel(1, 0), channel(2, 2)}));
  EXPECT_TRUE(orientation.legal(std::vector{channel(1, 2)}));
  EXPECT_FALSE(orientation.legal(std::vector{channel(1, 0), channel(2, 0)})) << "through the ring's bottom";
  EXPECT_FALSE(orientation.legal(std::vector{channel(2, 3), channel(2, 1)})) << "through the loop";
}

TEST(UpDown, EveryChannelHasTheOtherWayAsItsOpposite) {
  for (const NamedNetwork& network : known_networks()) {
    const SwitchGraph& graph = network.graph;
    const UpDown orientation(graph, static_cast<SwitchId>(graph.switches() / 2));
    for (const auto& [a, b] : graph.cables()) {
      const Direction there = orientation.direction(graph.channel_from(a));
      const Direction back = orientation.direction(graph.channel_from(b));
      EXPECT_TRUE((there == Direction::up && back == Direction::down) ||
                  (there == Direction::down && back == Direction::up))
          << network.name;
    }
  }
}

TEST(UpDown, PartsThatTheRootDoesNotReachAreOrientedToo) {
  const SwitchGraph graph =
      topology::listed("switch 2\nswitch 2\nswitch 2\nswitch 2\ncable 0.0 1.0\ncable 2.0 3.0\n", "two pairs");
  const UpDown orientation(graph, 3);
  EXPECT_EQ(orientation.level(0), 0u);
  EXPECT_EQ(orientation.level(1), 1u);
  EXPECT_EQ(orientation.direction(graph.channel_from({1, 0})), Direction::up);
  EXPECT_EQ(orientation.direction(graph.channel_from({2, 0})), Direction::up);
}

TEST(UpDown, TheRootMustBeASwitch) {
  EXPECT_THROW(UpDown(ring_of_four(), 4), Error);
}

/// The channels between switches of the way that a table has.
std::vector<CableChannel> leg_of(const SwitchGraph& graph, const DestinationTable& table, HostNumber from,
                                 HostNumber to) {
  std::vector<CableChannel> way;
  table.way(graph, table.row_of(to), graph.port_of(from).at, way);
  return way;
}

// From a top switch of a tree all hosts are equally far; in a torus from none.
TEST(UpDownTable, FindsTheRootsThatOpenSmFinds) {
  const SwitchGraph tree = topology::fat_tree({.arity = 3, .levels = 3});
  std::vector<SwitchId> top;
  for (SwitchId at = 18; at < 27; ++at) top.push_back(at);
  EXPECT_EQ(up_down_roots(tree), top);
  EXPECT_TRUE(up_down_roots(topology::torus({})).empty());
  // From a leaf 5 % of the hosts are on itself, and 95 % two cables away.
  std::vector<SwitchId> spines;
  for (SwitchId at = 20; at < 40; ++at) spines.push_back(at);
  EXPECT_EQ(up_down_roots(topology::fat_tree({.arity = 20, .levels = 2})), spines);
  // 22 leaves with a host each below a spine, and one below another spine that is below the first: 22 of 23
  // hosts are at one distance, 96 %, and one at another, 4 %.
  SwitchGraph odd;
  const SwitchId spine = odd.add_switch(32), below = odd.add_switch(2);
  odd.connect(spine, below);
  for (int n = 0; n < 23; ++n) {
    const SwitchId leaf = odd.add_switch(2);
    odd.connect(leaf, n < 22 ? spine : below);
    odd.add_host(leaf);
  }
  EXPECT_EQ(up_down_roots(odd), std::vector<SwitchId>{spine});
}

// Four leaves of four hosts below four spines: each leaf sends up to twelve hosts, three by each of its
// cables.
TEST(UpDownTable, DealsHostsOutToEquallyGoodPorts) {
  const SwitchGraph graph = topology::fat_tree({.arity = 4, .levels = 2});
  const DestinationTable table = up_down_table(graph, 0, [](CableChannel) { return true; });
  for (SwitchId leaf = 0; leaf < 4; ++leaf) {
    std::map<PortNumber, int> hosts;
    for (HostNumber to = 0; to < graph.hosts(); ++to)
      if (const auto port = table.port(table.row_of(to), leaf)) ++hosts[*port];
    EXPECT_EQ(hosts.size(), 4U);
    for (const auto& [port, count] : hosts) EXPECT_EQ(count, 3) << "port " << port << " of leaf " << leaf;
  }
}

// Of networks without roots of their own, by the independent orientation from the same root: no way goes up
// after it has gone down, none is shorter than the shortest legal one, and all hosts that cables join reach
// each other.
TEST(UpDownTable, WaysAreLegalInRandomNetworks) {
  RandomStream random(31, "legal");
  int looked_at = 0;
  for (int n = 0; n < 200; ++n) {
    const SwitchGraph graph = random_network(random, 24);
    if (!up_down_roots(graph).empty()) continue;
    const auto root = static_cast<SwitchId>(random.below(graph.switches()));
    const UpDown orientation(graph, root);
    const Distances shortest = Paths(graph, orientation, Turns::never).distances();
    const DestinationTable table = up_down_table(graph, root, [](CableChannel) { return true; });
    for (HostNumber from = 0; from < graph.hosts(); ++from)
      for (HostNumber to = 0; to < graph.hosts(); ++to) {
        const SwitchId a = graph.port_of(from).at, b = graph.port_of(to).at;
        if (a == b) continue;
        const auto leg = leg_of(graph, table, from, to);
        ASSERT_FALSE(leg.empty()) << "from " << from << " to " << to << " in network " << n;
        EXPECT_TRUE(orientation.legal(leg));
        EXPECT_GE(leg.size(), shortest(a, b));
        ++looked_at;
      }
  }
  EXPECT_GT(looked_at, 10'000);
}

/// A random fat tree, or a network without order.
SwitchGraph member_of_any_family(int n, RandomStream& random) {
  const auto one_to = [&](unsigned most) { return 1 + static_cast<unsigned>(random.below(most)); };
  if (n % 2 == 0) return random_network(random, 20);
  return topology::graph_of(
      topology::xgft({{one_to(4), one_to(4)}, {one_to(3), one_to(3)}, {one_to(2), one_to(2)}}), one_to(2));
}

TEST(UpDownTable, ArrivesRoundFaultsOnOneVirtualChannelAndNeverDeadlocks) {
  RandomStream random(33, "updn");
  for (int n = 0; n < 200; ++n) {
    FaultyNetwork network{member_of_any_family(n, random), {}, {}};
    network.fail(random, n % 4 < 2 ? 0 : 0.2);
    const SwitchGraph& graph = network.graph;
    const auto routing = network.routing(RoutesKind::up_down);
    EXPECT_EQ(routing->virtual_channels(), 1U);
    EXPECT_TRUE(find_deadlock(graph, *routing).empty());
    const Arcs arcs = usable_arcs(graph, network.usable());
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      const auto distance = trunks_to_nearest(arcs, {graph.port_of(to).at});
      for (HostNumber from = 0; from < graph.hosts(); ++from)
        ASSERT_EQ(arrives(network, *routing, from, to, random),
                  distance[graph.port_of(from).at] != unreachable_trunks)
            << "from " << from << " to " << to << " in network " << n;
    }
  }
}

// A ring of five: the ways up and the ways down of a root never wait for each other in a cycle, shortest ones
// do.
TEST(UpDownTable, GoesTheLongWayWhereTheShortOneWouldCloseACycle) {
  const SwitchGraph ring = topology::torus({.sides = {5}, .hosts_per_switch = 1, .ports_per_switch = 3});
  const auto all = [](CableChannel) { return true; };
  const auto routing = up_down_routing(ring, 0, all);
  EXPECT_TRUE(find_deadlock(ring, *routing).empty());
  // Switches 2 and 3 are on the lowest rank and joined: that is a way between them, but not through them from
  // 1 to 4.
  EXPECT_EQ(path_of(ring, *routing, 2, 3).size(), 1U + 2);
  EXPECT_EQ(path_of(ring, *routing, 1, 4).size(), 2U + 2) << "by 0";
  EXPECT_EQ(path_of(ring, *routing, 1, 3).size(), 2U + 2) << "down by 2, as far as by 0 and 4";
  FaultyNetwork without{ring, {}, {}};
  without.on.assign(ring.channels(), true);
  for (const auto& [a, b] : ring.cables())
    if (a.at + b.at == 1) without.on[ring.channel_from(a)] = without.on[ring.channel_from(b)] = false;
  const auto round = without.routing(RoutesKind::up_down);
  EXPECT_TRUE(find_deadlock(ring, *round).empty());
  EXPECT_EQ(path_of(ring, *round, 0, 1).size(), 4U + 2) << "the other way round, with new ranks";
}

}  // namespace
}  // namespace morgana
