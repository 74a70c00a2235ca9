// Placements that take hosts by chance or by groups.
#include <algorithm>
#include <set>

#include "emulator/platform/placement.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

std::vector<std::size_t> numbers(const std::vector<HostId>& placed) {
  std::vector<std::size_t> hosts;
  for (const HostId host : placed) hosts.push_back(index(host));
  return hosts;
}

/// On so many hosts with so many processors each, of these groups.
std::vector<std::size_t> placed(std::size_t ranks, const std::string& map, std::int64_t count,
                                std::int64_t processors, const std::vector<std::uint32_t>& groups = {}) {
  const auto group_of = [&](std::size_t hosts) {
    EXPECT_EQ(hosts, groups.size());
    return groups;
  };
  return numbers(
      place(ranks, read_placement(map), HostParameters{count, processors, 1}, "p", 0, group_of).host_of);
}

TEST(RandomPlacement, TakesDifferentHostsInAnOrderThatTheSeedSays) {
  const auto first = placed(100, "random", 100, 2);
  EXPECT_THAT(std::set(first.begin(), first.end()), SizeIs(100));
  EXPECT_FALSE(std::ranges::is_sorted(first));
  EXPECT_EQ(placed(100, "random:1", 100, 2), first);
  EXPECT_NE(placed(100, "random:2", 100, 2), first);
  const auto some = placed(10, "random", 100, 2);
  EXPECT_TRUE(std::ranges::equal(some, std::span(first).first(10)));
}

TEST(RandomPlacement, PutsAsFewRanksOnAHostAsFit) {
  const auto hosts = placed(6, "random:3", 4, 2);
  for (std::size_t rank = 0; rank < 6; rank += 2) EXPECT_EQ(hosts[rank], hosts[rank + 1]);
  EXPECT_THAT(std::set(hosts.begin(), hosts.end()), SizeIs(3));
  const auto threes = placed(9, "random:3:3", 50, 4);
  EXPECT_THAT(std::set(threes.begin(), threes.end()), SizeIs(3));
  for (std::size_t rank = 0; rank < 9; ++rank) EXPECT_EQ(threes[rank], threes[rank / 3 * 3]);
}

/// Each of 4 hosts is drawn first by some seed, about equally often.
TEST(RandomPlacement, DrawsEveryHost) {
  std::vector<int> first(4);
  for (int seed = 0; seed < 400; ++seed) ++first[placed(1, "random:" + std::to_string(seed), 4, 1)[0]];
  for (const int times : first) EXPECT_NEAR(times, 100, 45);  // 5 standard deviations of 8.7
}

const std::vector<std::uint32_t> two_fours{0, 0, 0, 0, 1, 1, 1, 1};

TEST(PlacementByGroup, FillsAGroupsHostsRoundByRoundBeforeTheNext) {
  EXPECT_THAT(placed(10, "by-group", 8, 2, two_fours), ElementsAre(0, 1, 2, 3, 0, 1, 2, 3, 4, 5));
  EXPECT_THAT(placed(3, "by-group", 8, 2, two_fours), ElementsAre(0, 1, 2));
  EXPECT_THAT(placed(10, "by-group:2", 8, 2, two_fours), ElementsAre(0, 0, 1, 1, 2, 2, 3, 3, 4, 4));
}

TEST(PlacementByGroup, FollowsGroupsWhoseHostsDoNotFollowEachOther) {
  EXPECT_THAT(placed(6, "by-group", 6, 1, {7, 2, 7, 2, 7, 2}), ElementsAre(1, 3, 5, 0, 2, 4));
}

TEST(PlacementOverGroups, TakesTheNextHostOfEachGroupAlternately) {
  const std::vector<std::uint32_t> uneven{0, 0, 0, 1, 1, 2};
  EXPECT_THAT(placed(7, "over-groups", 6, 2, uneven), ElementsAre(0, 3, 5, 1, 4, 2, 0));
  // Two ranks on each of four hosts, dealt out over them.
  EXPECT_THAT(placed(8, "over-groups:2", 8, 2, two_fours), ElementsAre(0, 4, 1, 5, 0, 4, 1, 5));
}

TEST(OrderedPlacement, NeverPutsMoreRanksOnAHostThanItHasProcessors) {
  for (std::size_t ranks = 1; ranks <= 16; ++ranks)
    for (const char* map : {"random", "by-group", "over-racks", "random:4:2", "by-rack:2", "over-groups:2"}) {
      SCOPED_TRACE(::testing::Message() << ranks << ", " << map);
      std::vector<int> on(8);
      for (const std::size_t host : placed(ranks, map, 8, 2, two_fours)) EXPECT_LE(++on.at(host), 2);
    }
}

TEST(OrderedPlacement, TakesAllHostsForWhichTheNetworkHasPorts) {
  const HostParameters open{0, 1, 1};
  EXPECT_EQ(place(2, read_placement("random"), open, "p", 64).hosts, 64U);
  EXPECT_EQ(place(2, read_placement("random"), open, "p").hosts, 2U);
  EXPECT_EQ(place(4, read_placement("random:1:2"), HostParameters{0, 2, 1}, "p", 64).hosts, 64U);
}

/// Groups of eight switches with four hosts each.
TEST(GroupsOfHosts, AreADragonflysGroupsAndSwitches) {
  const Platform platform = Platform::load("dragonfly-1056");
  const auto groups = platform.groups_of_hosts(1056, 1, read_placement("by-group"));
  const auto racks = platform.groups_of_hosts(1056, 1, read_placement("by-rack"));
  for (std::uint32_t host = 0; host < 1056; ++host) {
    ASSERT_EQ(groups[host], host / 32);
    ASSERT_EQ(racks[host], host / 4);
  }
  const auto over = [&](const char* map) {
    auto hosts = numbers(platform.build(36, read_placement(map), 1).host_of);
    return std::vector(hosts.begin() + 31, hosts.end());
  };
  EXPECT_THAT(over("over-groups"), ElementsAre(31 * 32, 32 * 32, 1, 33, 65));
  EXPECT_THAT(over("over-racks"), ElementsAre(124, 128, 132, 136, 140));
}

TEST(GroupsOfHosts, AreTheHostsAtASwitchWhereTheNetworkHasNoLargerOnes) {
  for (const char* name : {"hdr-fat-tree", "roce-100g", "atm-overlay-tree", "myrinet-ud"}) {
    SCOPED_TRACE(name);
    const Platform platform = Platform::load(name);
    EXPECT_EQ(platform.groups_of_hosts(16, 1, read_placement("by-group")),
              platform.groups_of_hosts(16, 1, read_placement("by-rack")));
  }
}

TEST(GroupsOfHosts, AreThoseOfAListedNetwork) {
  const std::string text =
      "extends = \"fast-ethernet\"\n[hosts]\nprocessors = 1\n[network]\ntopology = \"listed\"\nswitches = 2\n"
      "trunks = [\"0-1\"]\nhosts-at = [1, 0, 1, 0]\n";
  const Platform platform = Platform::parse(text, "my.toml");
  EXPECT_THAT(numbers(platform.build(4, read_placement("by-group"), 1).host_of), ElementsAre(1, 3, 0, 2));
  EXPECT_THAT(numbers(platform.build(4, read_placement("over-groups"), 1).host_of), ElementsAre(1, 0, 3, 2));
}

TEST(GroupsOfHosts, AreRefusedWhereThereAreNoSwitches) {
  expect_message(error_of([] { Platform::load("loggp-example").build(4, read_placement("by-rack"), 1); }),
                 {"--map by-rack", "loggp-example", "network.kind = \"loggp\""});
  EXPECT_NO_THROW(Platform::load("loggp-example").build(4, read_placement("random"), 1));
}

TEST(OrderedPlacement, OfALaterJobTakesTheHostsThatAreLeft) {
  const Platform platform = Platform::load("dragonfly-1056");
  const std::vector<JobRanks> jobs{{"a", 2}, {"b", 3}};
  // The first has hosts 0 and 32; the first hosts left of the groups are 1, 33 and 64.
  EXPECT_THAT(platform.place_jobs(jobs, read_placement("over-groups")).hosts, ElementsAre(0, 32, 1, 33, 64));
  expect_message(
      error_of([&] { Platform::load("loggp-example").place_jobs(jobs, read_placement("by-group")); }),
      {"--map by-group", "loggp-example", "network.kind = \"loggp\""});
  const Platform open = Platform::parse(
      "[network]\nkind = \"fabric\"\ntopology = \"ring\"\nswitches = 3\n"
      "routes = \"spanning-tree\"\n",
      "my.toml");
  expect_message(error_of([&] { open.place_jobs(jobs, read_placement("by-group")); }),
                 {"--map by-group", "hosts.count"});
  const auto random = platform.place_jobs(jobs, read_placement("random")).hosts;
  EXPECT_THAT(std::set(random.begin(), random.end()), SizeIs(5));
}

TEST(PlacementRules, SayWhatStandsBehindTheirColons) {
  EXPECT_EQ(read_placement("random:9").seed, 9U);
  EXPECT_EQ(read_placement("random:9:4").per_host, 4U);
  EXPECT_EQ(read_placement("over-racks:4").per_host, 4U);
  for (const char* wrong : {"random:x", "random:", "random:-1", "random::4", "random:1:0", "by-group:0"})
    expect_message(error_of([&] { read_placement(wrong); }), {"--map " + std::string(wrong)});
  for (const std::string& rule : placement_rules())
    EXPECT_EQ(name_of(read_placement(rule)), rule == "random" ? "random:1" : rule);
}

}  // namespace
}  // namespace morgana
