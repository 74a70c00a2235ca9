#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/carried_fabric.h"
#include "tests/network/fabric/reference_arbiters.h"

// Lane arbiters at a host, by hand, as in fabric_by_hand_test.cpp.

namespace morgana::testing {
namespace {

using fabric::FabricParameters;
using namespace by_hand;
using namespace literals;

Times order_of_starts(const FabricParameters& parameters, const std::vector<FabricInjection>& plan) {
  return starts(carried(star(2), parameters, plan), 0);
}

TEST(FabricLanesByHand, StrictLanesPreferTheLowestGroupAndRoundRobinAlternates) {
  FabricParameters parameters = spacious();
  parameters.classes = 2;
  const std::vector<FabricInjection> plan{unit(0, 0, 1, 1), unit(0, 0, 1, 1), unit(500, 0, 1, 0),
                                          unit(500, 0, 1, 0)};
  EXPECT_EQ(order_of_starts(parameters, plan), (Times{0, 2'000, 1'000, 3'000}));
  parameters.lane_arbitration = fabric::LaneArbitration::strict;
  EXPECT_EQ(order_of_starts(parameters, plan), (Times{0, 3'000, 1'000, 2'000}));
}

/// Six packets of each of two classes at once. @return the classes in the order of their starts
std::vector<unsigned> turns(const fabric::LaneTables& tables, std::int64_t bytes) {
  FabricParameters parameters = spacious();
  parameters.classes = 2;
  parameters.lane_arbitration = fabric::LaneArbitration::weighted;
  parameters.tables = tables;
  std::vector<FabricInjection> plan;
  for (int packet = 0; packet < 12; ++packet) plan.push_back(unit(0, 0, 1, packet % 2 == 0 ? 0 : 1, bytes));
  const Times begins = order_of_starts(parameters, plan);
  std::vector<unsigned> classes(begins.size());
  for (std::size_t packet = 0; packet < plan.size(); ++packet)
    classes.at(static_cast<std::size_t>(begins[packet] / bytes)) = plan[packet].traffic_class;
  return classes;
}
using Turns = std::vector<unsigned>;

// 64 bytes are one of weight: two to one, until class 0 has no more. 100 bytes are two: of weight 3 the first
// packet leaves 1, which is enough for another; of weight 1 nothing is left.
TEST(FabricLanesByHand, WeightsShareALink) {
  EXPECT_EQ(turns({{}, {{0, 2}, {1, 1}}}, 64), (Turns{0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(turns({{}, {{0, 3}, {1, 1}}}, 100), (Turns{0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 1, 1}));
  EXPECT_EQ(turns({{{1, 3}, {0, 1}}, {}}, 64), (Turns{1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 0, 0}));
  // A group may stand in a table twice.
  EXPECT_EQ(turns({{}, {{0, 1}, {1, 2}, {0, 1}}}, 64), (Turns{0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0}));
}

// Class 0 is high. Limit 1: another packet while less than 4,096 bytes were sent: 4 of 1,024, or 5 of 1,000.
// Limit 0: one packet. 255: all of them.
TEST(FabricLanesByHand, TheHighLimitLetsTheLowTableIn) {
  EXPECT_EQ(turns({{{0, 255}}, {{1, 1}}, 1}, 1'024), (Turns{0, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(turns({{{0, 255}}, {{1, 1}}, 1}, 1'000), (Turns{0, 0, 0, 0, 0, 1, 0, 1, 1, 1, 1, 1}));
  EXPECT_EQ(turns({{{0, 255}}, {{1, 1}}, 0}, 64), (Turns{0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(turns({{{0, 255}}, {{1, 1}}, 255}, 64), (Turns{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}));
}

// An entry that is passed loses what is left of its weight, and one that alone may send has its full weight
// again each time. Entries: group 0 with 3, group 1 with 2.
TEST(FabricLanesByHand, AnEntryReachedAnewHasItsFullWeight) {
  ReferenceWeightTable table({{0, 3}, {1, 2}});
  const auto next = [&](const std::set<unsigned>& groups) {
    const unsigned chosen = table.choose(groups);
    table.sent(64_B);
    return chosen;
  };
  EXPECT_EQ(next({0, 1}), 0U);  // 2 left
  EXPECT_EQ(next({1}), 1U);     // passed; 1 left of group 1
  EXPECT_EQ(next({1}), 1U);     // 0 left
  EXPECT_EQ(next({1}), 1U);     // a whole round: 1 left
  EXPECT_EQ(next({0, 1}), 1U);
  for (int packet = 0; packet < 3; ++packet) EXPECT_EQ(next({0, 1}), 0U);
  EXPECT_EQ(next({0, 1}), 1U);
}

}  // namespace
}  // namespace morgana::testing
