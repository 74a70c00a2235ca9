#include "emulator/routing/up_down.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/topology/listed.h"
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

}  // namespace
}  // namespace morgana
