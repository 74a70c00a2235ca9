#include "emulator/traffic/pattern.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "emulator/core/error.h"
#include "emulator/topology/distances.h"
#include "emulator/topology/torus.h"

namespace morgana {
namespace {

using Kind = TrafficPattern::Kind;

constexpr int draws = 200'000;

/// How often each host is drawn as the destination of one.
std::map<HostNumber, int> drawn(const Destinations& destinations, HostNumber from) {
  RandomStream random(1, "test");
  std::map<HostNumber, int> counts;
  for (int i = 0; i < draws; ++i) ++counts[destinations.draw(from, random)];
  return counts;
}

/// Within five standard deviations of a binomial count.
void expect_share(int count, double share) {
  EXPECT_NEAR(count, draws * share, 5 * std::sqrt(draws * share * (1 - share)));
}

TEST(Pattern, IsReadAsItIsWritten) {
  for (const char* text :
       {"uniform", "bit-reversal", "hotspot:5%", "hotspot:12.5%@17", "local:3", "local:4-1"})
    EXPECT_EQ(to_text(parse_pattern(text)), text);
  EXPECT_EQ(parse_pattern("hotspot:5%").share, 0.05);
  EXPECT_EQ(parse_pattern("local:4").reach_less_cables, 2u);
}

TEST(Pattern, RefusesWhatItIsNot) {
  for (const char* text :
       {"", "uniforn", "hotspot", "hotspot:", "hotspot:0%", "hotspot:101%", "hotspot:5%@", "hotspot:5%@x",
        "local", "local:", "local:x", "local:1", "local:3-4", "bit-reversal:2"})
    EXPECT_THROW(parse_pattern(text), Error) << text;
}

TEST(Pattern, UniformReachesEveryOtherHostAlike) {
  const auto counts = drawn(Destinations({}, 8, 1), 3);
  ASSERT_EQ(counts.size(), 7u);
  EXPECT_FALSE(counts.contains(3));
  for (const auto& [host, count] : counts) expect_share(count, 1.0 / 7);
}

TEST(Pattern, BitReversalTurnsTheBitsRoundAndLeavesOutItsFixedHosts) {
  const Destinations destinations({.kind = Kind::bit_reversal}, 16, 1);
  RandomStream random(1, "test");
  EXPECT_EQ(destinations.draw(0b0001, random), 0b1000u);
  EXPECT_EQ(destinations.draw(0b0011, random), 0b1100u);
  EXPECT_EQ(destinations.draw(0b1011, random), 0b1101u);
  for (const HostNumber host : {0b0000u, 0b0110u, 0b1001u, 0b1111u})
    EXPECT_FALSE(destinations.sends(host)) << host;
  EXPECT_TRUE(destinations.sends(0b0001));
  EXPECT_THROW(Destinations({.kind = Kind::bit_reversal}, 12, 1), Error);
}

TEST(Pattern, AHotHostGetsItsShareAndWhatIsUniform) {
  const Destinations destinations({.kind = Kind::hotspot, .share = 0.25, .hot_host = 5}, 8, 1);
  const auto counts = drawn(destinations, 2);
  expect_share(counts.at(5), 0.25 + 0.75 / 7);
  expect_share(counts.at(0), 0.75 / 7);
  EXPECT_FALSE(counts.contains(2));
  EXPECT_FALSE(drawn(destinations, 5).contains(5));
  EXPECT_THROW(Destinations({.kind = Kind::hotspot, .share = 0.25, .hot_host = 8}, 8, 1), Error);
}

TEST(Pattern, TheHotHostFollowsFromTheSeed) {
  const TrafficPattern hot{.kind = Kind::hotspot, .share = 0.25};
  EXPECT_EQ(Destinations(hot, 512, 7).hot_host(), Destinations(hot, 512, 7).hot_host());
  EXPECT_NE(Destinations(hot, 512, 7).hot_host(), Destinations(hot, 512, 8).hot_host());
}

TEST(Pattern, LocalReachesTheHostsOfTheNearestSwitchesAlike) {
  const SwitchGraph graph = topology::torus({});
  const Distances distances = minimal_distances(graph);
  const auto near = drawn(Destinations(parse_pattern("local:3"), graph, 1), 100);
  ASSERT_EQ(near.size(), 5u * 8 - 1);  // its switch and four neighbours
  for (const auto& [host, count] : near) {
    EXPECT_LE(distances(graph.port_of(100).at, graph.port_of(host).at), 1);
    expect_share(count, 1.0 / 39);
  }
  EXPECT_EQ(drawn(Destinations(parse_pattern("local:3-1"), graph, 1), 100).size(), 13u * 8 - 1);
  EXPECT_THROW(Destinations(parse_pattern("local:3"), 512, 1), Error);
}

TEST(Pattern, LocalTrafficNeedsSomebodyNear) {
  const SwitchGraph graph = topology::torus({.sides = {4, 4}, .hosts_per_switch = 1});
  EXPECT_THROW(Destinations(parse_pattern("local:2"), graph, 1), Error);
}

}  // namespace
}  // namespace morgana
