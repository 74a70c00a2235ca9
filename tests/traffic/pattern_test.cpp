#include "emulator/traffic/pattern.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include <map>
#include <set>

#include "emulator/core/error.h"
#include "emulator/topology/distances.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/support/temporary_folder.h"

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
  for (const char* text : {"uniform", "bit-reversal", "hotspot:5%", "hotspot:12.5%@17", "local:3",
                           "local:4-1", "bit-complement", "transpose", "tornado", "tornado:8x4", "neighbour",
                           "neighbour:4", "random-permutation", "permutation:p.txt", "next-group:32",
                           "group-to-group:32@0-1", "incast:16", "incast:16@3", "all-to-all"})
    EXPECT_EQ(to_text(parse_pattern(text)), text);
  EXPECT_EQ(parse_pattern("hotspot:5%").share, 0.05);
  EXPECT_EQ(parse_pattern("local:4").reach_less_cables, 2u);
}

TEST(Pattern, RefusesWhatItIsNot) {
  for (const char* text : {"",
                           "uniforn",
                           "hotspot",
                           "hotspot:",
                           "hotspot:0%",
                           "hotspot:101%",
                           "hotspot:5%@",
                           "hotspot:5%@x",
                           "local",
                           "local:",
                           "local:x",
                           "local:1",
                           "local:3-4",
                           "bit-reversal:2",
                           "tornado:",
                           "tornado:8x",
                           "tornado:0x4",
                           "neighbour:a",
                           "permutation",
                           "permutation:",
                           "next-group",
                           "next-group:0",
                           "group-to-group:8",
                           "group-to-group:8@1",
                           "group-to-group:8@1-1",
                           "group-to-group:8-1@2",
                           "incast:0",
                           "incast:x",
                           "incast:4@",
                           "all-to-all:2"})
    EXPECT_THROW(parse_pattern(text), Error) << text;
}

TEST(Pattern, UniformReachesEveryOtherHostAlike) {
  const auto counts = drawn(Destinations({}, 8, 1), 3);
  ASSERT_EQ(counts.size(), 7u);
  EXPECT_FALSE(counts.contains(3));
  for (const auto& [host, count] : counts) expect_share(count, 1.0 / 7);
}

/// Where each host sends; itself: nowhere.
std::vector<HostNumber> table_of(const std::string& pattern, std::size_t hosts, std::uint64_t seed = 1) {
  const Destinations destinations(parse_pattern(pattern), hosts, seed);
  RandomStream random(1, "test");
  std::vector<HostNumber> table;
  for (HostNumber host = 0; host < hosts; ++host)
    table.push_back(destinations.sends(host) ? destinations.draw(host, random) : host);
  return table;
}

TEST(Pattern, PermutationsByBitsAndDigitsAreThoseOfTheBook) {
  using ::testing::ElementsAre;
  EXPECT_THAT(table_of("bit-complement", 8), ElementsAre(7, 6, 5, 4, 3, 2, 1, 0));
  EXPECT_THAT(table_of("bit-complement", 5), ElementsAre(4, 3, 2, 1, 0)) << "host 2 has itself";
  // Of 4 x 4: bits b3 b2 b1 b0 become b1 b0 b3 b2.
  EXPECT_THAT(table_of("transpose", 16), ElementsAre(0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15));
  EXPECT_THAT(table_of("transpose", 9), ElementsAre(0, 3, 6, 1, 4, 7, 2, 5, 8));
  // ceil(k / 2) - 1 further on: 3 of 8, 2 of 5.
  EXPECT_THAT(table_of("tornado", 8), ElementsAre(3, 4, 5, 6, 7, 0, 1, 2));
  EXPECT_THAT(table_of("tornado", 5), ElementsAre(2, 3, 4, 0, 1));
  EXPECT_THAT(table_of("tornado:4x3", 12), ElementsAre(5, 6, 7, 4, 9, 10, 11, 8, 1, 2, 3, 0));
  EXPECT_THAT(table_of("tornado:4", 8), ElementsAre(2, 3, 4, 5, 6, 7, 0, 1)) << "two hosts at each of four";
  EXPECT_THAT(table_of("neighbour", 4), ElementsAre(1, 2, 3, 0));
  EXPECT_THAT(table_of("neighbour:2x2", 4), ElementsAre(3, 2, 1, 0));
}

TEST(Pattern, NumbersOfHostsThatPermutationsAreNotMadeForAreRefused) {
  const std::pair<const char*, std::size_t> pairs[] = {
      {"transpose", 8},    {"bit-reversal", 12}, {"tornado:4x4", 24},         {"neighbour:5", 4},
      {"next-group:3", 8}, {"next-group:8", 8},  {"group-to-group:4@0-2", 8}, {"incast:8", 8},
      {"incast:2@8", 8}};
  for (const auto& [pattern, hosts] : pairs) EXPECT_THROW(table_of(pattern, hosts), Error) << pattern;
}

TEST(Pattern, RandomPermutationsSendEveryHostToAnother) {
  std::map<std::vector<HostNumber>, int> met;
  constexpr int seeds = 9'000;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const auto table = table_of("random-permutation", 4, seed);
    EXPECT_EQ(std::set<HostNumber>(table.begin(), table.end()).size(), 4u);
    for (HostNumber host = 0; host < 4; ++host) EXPECT_NE(table[host], host);
    ++met[table];
  }
  // Four hosts have nine such permutations, each as likely as the others.
  EXPECT_EQ(met.size(), 9u);
  for (const auto& [table, count] : met) EXPECT_NEAR(count, seeds / 9, 5 * std::sqrt(seeds / 9.0 * 8 / 9));
  EXPECT_EQ(table_of("random-permutation", 64, 5), table_of("random-permutation", 64, 5));
  EXPECT_NE(table_of("random-permutation", 64, 5), table_of("random-permutation", 64, 6));
}

TEST(Pattern, PermutationsAreReadFromAFile) {
  const testing::TemporaryFolder folder;
  const auto file = [&](const char* text) {
    const std::string path = folder.write("permutation.txt", text);
    return "permutation:" + path;
  };
  EXPECT_THAT(table_of(file("1\n2 \n\n0\n3\n"), 4), ::testing::ElementsAre(1, 2, 0, 3));
  for (const char* text : {"", "1\n0\n", "1\n0\n2\n2\n", "1\n0\n3\n4\n", "1\nx\n3\n2\n", "1 0\n3\n2\n"})
    EXPECT_THROW(table_of(file(text), 4), Error) << text;
  EXPECT_THROW(table_of("permutation:/nonexistent/file", 4), Error);
}

TEST(Pattern, NextGroupReachesEveryHostOfTheNextGroupAlike) {
  const Destinations destinations(parse_pattern("next-group:4"), 12, 1);
  for (const auto& [from, first] : {std::pair{0u, 4u}, {3u, 4u}, {5u, 8u}, {11u, 0u}}) {
    const auto counts = drawn(destinations, from);
    ASSERT_EQ(counts.size(), 4u);
    for (const auto& [host, count] : counts) {
      EXPECT_EQ(host / 4, first / 4);
      expect_share(count, 0.25);
    }
  }
}

TEST(Pattern, GroupToGroupLeavesTheOthersSilent) {
  const Destinations destinations(parse_pattern("group-to-group:4@2-0"), 12, 1);
  for (HostNumber host = 0; host < 12; ++host) EXPECT_EQ(destinations.sends(host), host >= 8);
  const auto counts = drawn(destinations, 9);
  ASSERT_EQ(counts.size(), 4u);
  EXPECT_EQ(counts.begin()->first, 0u);
  for (const auto& [host, count] : counts) expect_share(count, 0.25);
}

TEST(Pattern, IncastHasItsSendersAndOneReceiver) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Destinations destinations(parse_pattern("incast:5@3"), 16, seed),
        open(parse_pattern("incast:15"), 16, seed);
    RandomStream random(1, "test");
    int senders = 0;
    for (HostNumber host = 0; host < 16; ++host) {
      if (destinations.sends(host)) {
        ++senders;
        EXPECT_EQ(destinations.draw(host, random), 3u);
      }
      EXPECT_EQ(open.sends(host), host != open.hot_host());
    }
    EXPECT_FALSE(destinations.sends(3));
    EXPECT_EQ(senders, 5);
  }
}

TEST(Pattern, AllToAllMeetsAllOthersBeforeItBeginsAnew) {
  const Destinations destinations(parse_pattern("all-to-all"), 5, 1);
  RandomStream random(1, "test");
  std::vector<HostNumber> met;
  for (std::uint64_t number = 0; number < 5; ++number) met.push_back(destinations.draw(3, random, number));
  EXPECT_THAT(met, ::testing::ElementsAre(4, 0, 1, 2, 4));
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
