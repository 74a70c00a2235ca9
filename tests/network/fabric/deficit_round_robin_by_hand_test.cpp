#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/fabric_outcome.h"

// Orders worked out by hand from docs/fabric.md, `deficit_round_robin`: host 0 sends to host 1, its link a
// byte in a nanosecond. The largest packet has 1,000 bytes, so that a weight of 1 is a quantum of 1,000.

namespace morgana::testing {
namespace {

using namespace by_hand;
using Classes = std::vector<unsigned>;

fabric::FabricParameters by_weights(const std::vector<unsigned>& weights) {
  fabric::FabricParameters parameters;
  parameters.flow_control = fabric::FlowControl::none;
  parameters.lane_arbitration = fabric::LaneArbitration::deficit_round_robin;
  parameters.classes = static_cast<unsigned>(weights.size());
  parameters.class_weights = weights;
  return parameters;
}

void add(std::vector<FabricInjection>& plan, std::size_t count, unsigned traffic_class,
         std::int64_t bytes = 1'000, std::int64_t at_ns = 0) {
  plan.insert(plan.end(), count, unit(at_ns, 0, 1, traffic_class, bytes));
}

/// The packets of a plan in the order in which the host sent them.
std::vector<FabricInjection> in_order(const fabric::FabricParameters& parameters,
                                      const std::vector<FabricInjection>& plan) {
  const Times all = starts(carried(star(2), parameters, plan), 0);
  std::vector<std::pair<std::int64_t, std::size_t>> order;
  for (std::size_t packet = 0; packet < plan.size(); ++packet) order.emplace_back(all[packet], packet);
  std::sort(order.begin(), order.end());
  std::vector<FabricInjection> sent;
  for (const auto& [start, packet] : order) sent.push_back(plan[packet]);
  return sent;
}
Classes classes_of(const std::vector<FabricInjection>& sent) {
  Classes all;
  for (const FabricInjection& one : sent) all.push_back(one.traffic_class);
  return all;
}

// Class 0 begins with its quantum.
TEST(DeficitRoundRobinByHand, EqualPacketsGoByTheirWeights) {
  std::vector<FabricInjection> plan;
  add(plan, 4, 0);
  add(plan, 8, 1);
  EXPECT_EQ(classes_of(in_order(by_weights({1, 3}), plan)), (Classes{0, 1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(classes_of(in_order(by_weights({3, 1}), plan)), (Classes{0, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(classes_of(in_order(by_weights({2, 2}), plan)), (Classes{0, 0, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1}));
}

// Of 600 bytes in class 0, of 1,000 in class 1, which has two in each round. Deficits of class 0 after each
// of its rounds: 1,000 - 600 = 400; 1,400 - 1,200 = 200; 1,200 - 1,200 = 0; 400 again.
TEST(DeficitRoundRobinByHand, WhatIsLeftOfAQuantumCountsInTheNextRound) {
  std::vector<FabricInjection> plan;
  add(plan, 6, 0, 600);
  add(plan, 8, 1);
  EXPECT_EQ(classes_of(in_order(by_weights({1, 2}), plan)),
            (Classes{0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 1}));
}

// Class 0 has no packet at 600, 1,600 and 2,600, but at 3,600. It begins with 1,000 bytes, and not with the
// 400 that its first packet left, nor with the quanta of the rounds in between: one packet, then two.
TEST(DeficitRoundRobinByHand, AClassWithoutPacketsLosesItsDeficit) {
  std::vector<FabricInjection> plan;
  add(plan, 1, 0, 600);
  add(plan, 7, 1);
  add(plan, 3, 0, 600, 3'000);
  EXPECT_EQ(classes_of(in_order(by_weights({1, 1}), plan)), (Classes{0, 1, 1, 1, 0, 1, 0, 0, 1, 1, 1}));
}

/// Sizes between 1 and 1,000 bytes, one of each, in no order.
std::vector<FabricInjection> unequal_packets(unsigned traffic_class, std::int64_t step) {
  std::vector<FabricInjection> plan;
  for (std::int64_t packet = 0; packet < 1'000; ++packet)
    add(plan, 1, traffic_class, 1 + packet * step % 1'000);
  return plan;
}

// As Shreedhar and Varghese prove: after k rounds of weight w each class has sent w k L bytes but for less
// than a largest packet. A quantum is at least L, so that every class sends in every round.
TEST(DeficitRoundRobinByHand, ClassesShareBytesWithinALargestPacketOfTheirWeights) {
  const std::vector<unsigned> weights{1, 3, 2};
  std::vector<FabricInjection> plan = unequal_packets(0, 377);
  for (const auto& [traffic_class, step] : {std::pair(1U, 619), std::pair(2U, 91)})
    for (const FabricInjection& one : unequal_packets(traffic_class, step)) plan.push_back(one);
  std::map<unsigned, std::int64_t> sent, ended;  // by class: bytes, rounds
  std::map<unsigned, std::size_t> packets;
  unsigned current = 0;
  for (const FabricInjection& one : in_order(by_weights(weights), plan)) {
    if (one.traffic_class != current) {
      EXPECT_EQ(one.traffic_class, (current + 1) % 3);
      ++ended[current];
      const std::int64_t due = 1'000 * weights[current] * ended[current];
      EXPECT_LE(sent[current], due);
      EXPECT_GT(sent[current], due - 1'000);
      current = one.traffic_class;
    }
    sent[current] += one.payload.count();
    // All classes have packets until the first one has sent its last.
    if (++packets[current] == 1'000) break;
  }
  EXPECT_GT(ended[0], 150) << "some 500,000 bytes of class 1, 3,000 in a round";
}

// Class 1 is strict: it goes as soon as the packet in transmission has left, and takes nothing from the
// round: class 2 goes on with its third packet.
TEST(DeficitRoundRobinByHand, AClassWithoutWeightGoesFirst) {
  std::vector<FabricInjection> plan;
  add(plan, 2, 0);
  add(plan, 5, 2);
  add(plan, 2, 1, 1'000, 2'500);
  EXPECT_EQ(classes_of(in_order(by_weights({1, 0, 3}), plan)), (Classes{0, 2, 2, 1, 1, 2, 0, 2, 2}));
}

TEST(DeficitRoundRobinByHand, ClassesWithoutWeightsAreStrict) {
  std::vector<FabricInjection> plan;
  for (const unsigned traffic_class : {2U, 1U, 0U}) add(plan, 2, traffic_class);
  EXPECT_EQ(classes_of(in_order(by_weights({0, 0, 0}), plan)), (Classes{0, 0, 1, 1, 2, 2}));
  EXPECT_EQ(classes_of(in_order(by_weights({0, 1, 0}), plan)), (Classes{0, 0, 2, 2, 1, 1}));
}

// Hosts 0 and 2 send as much as their links carry to host 1, each in a class: its switch has to share.
TEST(DeficitRoundRobinByHand, SwitchesGoByTheWeightsToo) {
  std::vector<FabricInjection> plan;
  for (int packet = 0; packet < 12; ++packet)
    for (const HostNumber from : {0U, 2U}) plan.push_back(unit(0, from, 1, from / 2));
  const FabricOutcome outcome = carried(star(3), by_weights({1, 3}), plan);
  std::map<std::int64_t, unsigned> by_start;
  for (std::size_t packet = 0; packet < plan.size(); ++packet)
    by_start[in_ns(outcome.fates[packet].hops.at(1).start)] = plan[packet].traffic_class;
  Classes order;
  for (const auto& [start, traffic_class] : by_start) order.push_back(traffic_class);
  // At 110 class 0 uses its quantum. At 1,110 class 1 has packets 0 and 1, at 3,110 also packet 2: three
  // until 4,110, when it is class 0's turn again.
  order.resize(8);
  EXPECT_EQ(order, (Classes{0, 1, 1, 1, 0, 1, 1, 1}));
}

}  // namespace
}  // namespace morgana::testing
