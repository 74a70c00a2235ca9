// Of several detours that are drawn for a packet it takes the one that weighs least.

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/detour_routing.h"
#include "emulator/routing/hop_routing.h"
#include "emulator/routing/topologies/dragonfly_routing.h"
#include "emulator/routing/topologies/hyperx_routing.h"
#include "emulator/topology/kinds/hyperx.h"

namespace morgana {
namespace {

bool every_candidate_cable(CableChannel) {
  return true;
}

/// Of six switches that are all joined, each with a host of the same number: from the first one to switch 1
/// it is by far the longest wait, to each further one it is longer than to the one before.
class FirstOutputs final : public OutputLoads {
 public:
  explicit FirstOutputs(const SwitchGraph& graph) : graph_(graph) {}
  SimTime wait(SwitchPort output) const override {
    const Neighbour& other = graph_.neighbour(output);
    if (output.at != 0 || !other.is_switch()) return {};
    return SimTime::from_ps(other.id == 1 ? 1'000'000 : 100 * std::int64_t{other.id});
  }

 private:
  const SwitchGraph& graph_;
};

/// The share of packets from switch 0 to switch 1 that go by switch 2, which is best.
double share_of_best(const SwitchGraph& graph, const Routing& routing) {
  const FirstOutputs loads(graph);
  constexpr int packets = 4'000;
  int best = 0;
  for (int number = 0; number < packets; ++number) {
    const auto choice = routing.choose({.input = graph.port_of(0),
                                        .source = 0,
                                        .destination = 1,
                                        .last_switch = 1,
                                        .flow = 1,
                                        .number = static_cast<std::uint64_t>(number)},
                                       loads);
    if (choice && graph.neighbour({0, choice->port}).id == 2) ++best;
  }
  return static_cast<double>(best) / packets;
}

// Each candidate is drawn of so many places alike: all of c candidates miss the best one with a probability
// of (1 - 1/places)^c. Three standard deviations of 4,000 packets are at most 2.4 %.
TEST(DetourCandidates, TheBestOneIsTakenAsOftenAsItIsDrawn) {
  const SwitchGraph joined = topology::graph_of(topology::hyperx({{6}, {1}}), 1);
  const auto straight =
      std::make_shared<HyperXRouting>(joined, Grid{{6}, Grid::Lines::full}, every_candidate_cable);
  const Dragonfly one_group{1, 6, 1}, groups_of_one{6, 1, 5, GlobalArrangement::absolute};
  const SwitchGraph group = topology::dragonfly(one_group, 1), groups = topology::dragonfly(groups_of_one, 1);
  for (const unsigned candidates : {1U, 2U, 4U, 16U}) {
    SCOPED_TRACE(candidates);
    DetourRules rules;
    rules.candidates = candidates;
    const auto expected = [&](double places) { return 1 - std::pow(1 - 1 / places, candidates); };
    EXPECT_NEAR(share_of_best(joined, HopRouting(joined, rules, every_candidate_cable)), expected(4), 0.024);
    EXPECT_NEAR(share_of_best(groups, DragonflyRouting(groups, groups_of_one, rules, every_candidate_cable)),
                expected(4), 0.024);
    // Of all switches, the two ends too, which give no detour.
    EXPECT_NEAR(share_of_best(joined, DetourRouting(joined, straight, rules)), expected(6), 0.024);
    EXPECT_NEAR(share_of_best(group, DragonflyRouting(group, one_group, rules, every_candidate_cable)),
                expected(6), 0.024);
    rules.detours = Detours::by_channel;
    EXPECT_NEAR(share_of_best(joined, HopRouting(joined, rules, every_candidate_cable)), expected(4), 0.024);
    EXPECT_NEAR(share_of_best(groups, DragonflyRouting(groups, groups_of_one, rules, every_candidate_cable)),
                expected(4), 0.024);
    // Valiant's ways take the first.
    rules.detours = Detours::always;
    EXPECT_NEAR(share_of_best(joined, HopRouting(joined, rules, every_candidate_cable)), 0.25, 0.024);
    EXPECT_NEAR(share_of_best(groups, DragonflyRouting(groups, groups_of_one, rules, every_candidate_cable)),
                0.25, 0.024);
  }
}

// Of all places: c candidates miss the best one with (1 - 1/places)^c, and Valiant's ways go straight where
// one of the two ends is drawn.
TEST(DetourCandidates, MayBeTheTwoEnds) {
  const SwitchGraph joined = topology::graph_of(topology::hyperx({{6}, {1}}), 1);
  const Dragonfly groups_of_one{6, 1, 5, GlobalArrangement::absolute};
  const SwitchGraph groups = topology::dragonfly(groups_of_one, 1);
  DetourRules rules;
  rules.places = DetourRules::Places::all;
  for (const Detours detours : {Detours::by_output, Detours::always}) {
    rules.detours = detours;
    const HopRouting by_hops(joined, rules, every_candidate_cable);
    const DragonflyRouting by_groups(groups, groups_of_one, rules, every_candidate_cable);
    EXPECT_NEAR(share_of_best(joined, by_hops), 1.0 / 6, 0.024);
    EXPECT_NEAR(share_of_best(groups, by_groups), 1.0 / 6, 0.024);
    EXPECT_TRUE(find_deadlock(groups, by_groups).empty());
  }
  const DragonflyRouting valiant(groups, groups_of_one, rules, every_candidate_cable);
  const FirstOutputs loads(groups);
  int straight = 0;
  for (std::uint64_t number = 0; number < 4'000; ++number) {
    const RoutedPacket packet{.input = groups.port_of(0),
                              .source = 0,
                              .destination = 1,
                              .last_switch = 1,
                              .flow = 1,
                              .number = number};
    const auto choice = valiant.choose(packet, loads);
    ASSERT_TRUE(choice);
    straight += groups.neighbour({0, choice->port}).id == 1 ? 1 : 0;
  }
  EXPECT_NEAR(straight / 4'000.0, 2.0 / 6, 0.024);
}

/// All cables from switch 0 but one wait.
class OneFreeCable final : public OutputLoads {
 public:
  explicit OneFreeCable(PortNumber free) : free_(free) {}
  SimTime wait(SwitchPort output) const override {
    return output.at == 0 && output.port == free_ ? SimTime() : SimTime::from_ps(1'000);
  }

 private:
  PortNumber free_;
};

// Two global cables of switch 0 lead to group 1: c draws find the free one with 1 - 2^-c.
TEST(DetourCandidates, OfMinimalWaysTheLightestIsTaken) {
  const Dragonfly three_groups{3, 2, 4, GlobalArrangement::absolute};
  const SwitchGraph graph = topology::dragonfly(three_groups, 1);
  std::vector<PortNumber> global;
  for (PortNumber port = 0; port < graph.ports(0); ++port)
    if (const Neighbour& other = graph.neighbour({0, port});
        other.is_switch() && (other.id == 2 || other.id == 3))
      global.push_back(port);
  ASSERT_EQ(global.size(), 2U);
  for (const unsigned candidates : {1U, 2U, 4U}) {
    DetourRules rules;
    rules.minimal_candidates = candidates;
    const DragonflyRouting routing(graph, three_groups, rules, every_candidate_cable);
    for (const PortNumber free : global) {
      int taken = 0;
      for (std::uint64_t number = 0; number < 4'000; ++number) {
        const RoutedPacket packet{.input = graph.port_of(0),
                                  .source = 0,
                                  .destination = 2,
                                  .last_switch = 2,
                                  .flow = 1,
                                  .number = number};
        const auto choice = routing.choose(packet, OneFreeCable(free));
        ASSERT_TRUE(choice);
        taken += choice->port == free ? 1 : 0;
      }
      EXPECT_NEAR(taken / 4'000.0, 1 - std::pow(0.5, candidates), 0.024) << candidates;
    }
  }
}

}  // namespace
}  // namespace morgana
