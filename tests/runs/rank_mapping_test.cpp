#include "runs/placement/rank_mapping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>

#include "emulator/core/random.h"

namespace morgana {
namespace {

/// Sites on a line, so many places at each; neighbours at distance 1.
Places line(std::size_t sites, std::size_t each) {
  std::vector<std::uint32_t> site_of;
  for (std::uint32_t site = 0; site < sites; ++site) site_of.insert(site_of.end(), each, site);
  std::vector<std::uint16_t> distances;
  for (int a = 0; a < static_cast<int>(sites); ++a)
    for (int b = 0; b < static_cast<int>(sites); ++b)
      distances.push_back(static_cast<std::uint16_t>(std::abs(a - b)));
  return {std::move(site_of), std::move(distances)};
}

/// Hosts of a tree: so many switches of so many hosts of so many places. 2 links between hosts of a switch,
/// else 4.
Places tree(std::uint32_t switches, std::uint32_t hosts, std::size_t each) {
  std::vector<std::uint32_t> site_of;
  for (std::uint32_t site = 0; site < switches * hosts; ++site) site_of.insert(site_of.end(), each, site);
  std::vector<std::uint16_t> distances;
  for (std::uint32_t a = 0; a < switches * hosts; ++a)
    for (std::uint32_t b = 0; b < switches * hosts; ++b)
      distances.push_back(a == b ? 0 : a / hosts == b / hosts ? 2 : 4);
  Places places(std::move(site_of), std::move(distances));
  places.divide_by_distance();
  return places;
}

RankWeights random_weights(RandomStream& random, std::uint32_t ranks) {
  RankWeights weights(ranks);
  for (std::uint32_t a = 0; a < ranks; ++a)
    for (std::uint32_t b = 0; b < a; ++b)
      if (random.chance(0.6)) weights.add(a, b, 1 + static_cast<std::int64_t>(random.below(100)));
  weights.sort();
  return weights;
}

Places random_places(RandomStream& random, std::uint32_t ranks) {
  std::vector<std::uint32_t> site_of;
  for (std::uint32_t site = 0; site_of.size() < ranks; ++site)
    site_of.insert(site_of.end(), std::min<std::size_t>(1 + random.below(3), ranks - site_of.size()), site);
  const std::size_t sites = site_of.back() + 1;
  std::vector<std::uint16_t> distances(sites * sites);
  for (std::size_t a = 0; a < sites; ++a)
    for (std::size_t b = 0; b < a; ++b)
      distances[a * sites + b] = distances[b * sites + a] = static_cast<std::uint16_t>(2 + random.below(5));
  Places places(std::move(site_of), std::move(distances));
  places.divide_by_distance();
  return places;
}

RankMapping in_order(std::size_t ranks) {
  RankMapping mapping(ranks);
  std::iota(mapping.begin(), mapping.end(), 0);
  return mapping;
}

/// Of all permutations, tried one after the other.
std::int64_t least_of_all(const RankWeights& weights, const Places& places) {
  RankMapping mapping = in_order(weights.ranks());
  std::int64_t least = mapping_cost(weights, places, mapping);
  while (std::ranges::next_permutation(mapping).found)
    least = std::min(least, mapping_cost(weights, places, mapping));
  return least;
}

bool is_permutation_of_places(RankMapping mapping) {
  std::ranges::sort(mapping);
  return mapping == in_order(mapping.size());
}

/// A ring of ranks in an order that nothing but its traffic shows: rank 5 i mod n next to 5 (i + 1) mod n.
RankWeights shuffled_ring(std::uint32_t ranks, std::uint32_t step) {
  RankWeights weights(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) weights.add(i * step % ranks, (i + 1) * step % ranks, 10);
  weights.sort();
  return weights;
}

TEST(RankWeights, AddUpBothDirections) {
  RankWeights weights(3);
  weights.add(0, 1, 5);
  weights.add(1, 0, 7);
  weights.add(2, 2, 100);
  weights.add(0, 2, 20);
  weights.sort();
  ASSERT_EQ(weights.of(0).size(), 2u);
  EXPECT_EQ(weights.of(0)[0].rank, 2u);
  EXPECT_EQ(weights.of(0)[1].weight, 12);
  EXPECT_EQ(weights.total(), 32);
}

TEST(Places, AreDividedByDistance) {
  const Places places = tree(2, 2, 2);
  ASSERT_EQ(places.levels().size(), 2u);
  EXPECT_THAT(places.levels()[0], testing::ElementsAre(0, 0, 0, 0, 2, 2, 2, 2));
  EXPECT_THAT(places.levels()[1], testing::ElementsAre(0, 0, 1, 1, 2, 2, 3, 3));
}

TEST(Places, TakeNoDivisionAcrossOthers) {
  Places places = tree(2, 2, 1);
  places.divide({0, 1, 0, 1});  // hosts of different switches together
  EXPECT_EQ(places.levels().size(), 2u);
  places.divide({7, 7, 7, 7});
  EXPECT_EQ(places.levels().size(), 2u);
}

TEST(FindMapping, FindsTheBestOfUpToEightRanks) {
  RandomStream random(1, "few ranks");
  for (int n = 0; n < 60; ++n) {
    const auto ranks = static_cast<std::uint32_t>(1 + random.below(8));
    const RankWeights weights = random_weights(random, ranks);
    const Places places = random_places(random, ranks);
    const RankMapping found = find_mapping(weights, places, {});
    ASSERT_TRUE(is_permutation_of_places(found));
    EXPECT_EQ(mapping_cost(weights, places, found), least_of_all(weights, places)) << "case " << n;
  }
}

TEST(LeastCost, IsBelowTheBestAndReachesItWhereThatIsPlain) {
  RandomStream random(2, "bounds");
  for (int n = 0; n < 60; ++n) {
    const auto ranks = static_cast<std::uint32_t>(2 + random.below(6));
    const RankWeights weights = random_weights(random, ranks);
    const Places places = random_places(random, ranks);
    EXPECT_LE(least_cost(weights, places), least_of_all(weights, places)) << "case " << n;
  }
  // Pairs that fit on a host each cross nothing.
  RankWeights pairs(6);
  for (std::uint32_t a = 0; a < 3; ++a) pairs.add(a, a + 3, 10);
  pairs.sort();
  EXPECT_EQ(least_cost(pairs, line(3, 2)), 0);
  // All with all, alike: every mapping costs the same, and the bound says so.
  RankWeights all(8);
  for (std::uint32_t a = 0; a < 8; ++a)
    for (std::uint32_t b = 0; b < a; ++b) all.add(a, b, 3);
  all.sort();
  const Places places = tree(2, 2, 2);
  // 4 pairs on a host, 8 on two hosts of a switch, 16 across: 3 (8 * 2 + 16 * 4).
  EXPECT_EQ(mapping_cost(all, places, in_order(8)), 240);
  EXPECT_EQ(least_cost(all, places), 240);
  // A path on a line: of 3 edges at a distance of at least 1. The inner ranks pay twice.
  RankWeights path(4);
  for (std::uint32_t a = 0; a < 3; ++a) path.add(a, a + 1, 1);
  path.sort();
  EXPECT_EQ(least_cost(path, line(4, 1)), 3);
}

TEST(ExchangeRanks, NeverCostsMoreThanWhatItBeginsWith) {
  RandomStream random(3, "exchanges");
  for (int n = 0; n < 40; ++n) {
    const auto ranks = static_cast<std::uint32_t>(9 + random.below(24));
    const RankWeights weights = random_weights(random, ranks);
    const Places places = random_places(random, ranks);
    RankMapping given = in_order(ranks);
    for (std::size_t i = ranks - 1; i > 0; --i) std::swap(given[i], given[random.below(i + 1)]);
    const std::int64_t cost = mapping_cost(weights, places, given);
    for (const std::uint64_t steps : {0ULL, 50ULL, 1'000'000ULL}) {
      const RankMapping found = exchange_ranks(weights, places, given, {steps, {}});
      ASSERT_TRUE(is_permutation_of_places(found));
      EXPECT_LE(mapping_cost(weights, places, found), cost);
      EXPECT_GE(mapping_cost(weights, places, found), least_cost(weights, places));
    }
    const RankMapping found = find_mapping(weights, places, {given});
    EXPECT_LE(mapping_cost(weights, places, found), cost);
    EXPECT_EQ(found, find_mapping(weights, places, {given})) << "not deterministic";
  }
}

TEST(FindMapping, UntanglesAShuffledRing) {
  // 32 ranks, 4 on each of 8 hosts, 2 hosts at each of 4 switches. A ring is best cut into stretches: 8 edges
  // leave a host, of which 4 leave a switch.
  const RankWeights ring = shuffled_ring(32, 5);
  const Places places = tree(4, 2, 4);
  const RankMapping found = find_mapping(ring, places, {in_order(32)});
  EXPECT_EQ(mapping_cost(ring, places, found), 10 * (4 * 2 + 4 * 4));
  EXPECT_GT(mapping_cost(ring, places, in_order(32)), 2 * mapping_cost(ring, places, found));
}

TEST(FindMapping, LeavesGrowthOutWhereItTakesMoreThanItsShareOfTheSteps) {
  // 8 pairs times 9 sites are 72 steps, and there are 3 starts. Growth alone lays the path along the line.
  RankWeights path(9);
  for (std::uint32_t a = 0; a < 8; ++a) path.add(a, a + 1, 1);
  path.sort();
  const Places places = line(9, 1);
  const RankMapping by_levels = mapping_by_levels(path, places);
  ASSERT_GT(mapping_cost(path, places, by_levels), 8);
  EXPECT_EQ(find_mapping(path, places, {}, {0, {}}), by_levels);
  EXPECT_GT(mapping_cost(path, places, find_mapping(path, places, {}, {3 * 72 - 1, {}})), 8);
  EXPECT_EQ(mapping_cost(path, places, find_mapping(path, places, {}, {3 * 72, {}})), 8);
}

TEST(MappingByLevels, PutsGroupsThatExchangeMostIntoOneCluster) {
  // Rank r belongs to group r mod 4; within a group all exchange 10, others 1.
  RankWeights weights(16);
  for (std::uint32_t a = 0; a < 16; ++a)
    for (std::uint32_t b = 0; b < a; ++b) weights.add(a, b, a % 4 == b % 4 ? 10 : 1);
  weights.sort();
  const Places places = tree(4, 2, 2);
  const RankMapping mapping = mapping_by_levels(weights, places);
  for (std::uint32_t rank = 0; rank < 16; ++rank) EXPECT_EQ(mapping[rank] / 4, rank % 4) << rank;
}

TEST(MappingByGrowth, LaysAPathAlongALine) {
  RankWeights path(9);
  for (std::uint32_t a = 0; a < 8; ++a) path.add(a, a + 1, 1);
  path.sort();
  const Places places = line(9, 1);
  EXPECT_EQ(mapping_cost(path, places, mapping_by_growth(path, places, GrowthFrom::border)), 8);
  EXPECT_TRUE(is_permutation_of_places(mapping_by_growth(path, places, GrowthFrom::middle)));
}

}  // namespace
}  // namespace morgana
