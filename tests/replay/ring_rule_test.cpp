#include "replay/rings/ring_rule.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/platform/platform.h"
#include "replay/collective_graph.h"
#include "replay/link_measurement.h"
#include "tests/support/messages.h"
#include "tests/support/ring_plans.h"

namespace morgana {
namespace {

using testing::random_ring;
using testing::ring_parameters;

/// The rule's numbers that have a node, in order: node i of the stored graph is numbers[i].
std::vector<std::uint32_t> numbers_of(const GraphRule& rule, std::size_t rank) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < rule.numbers(); ++number)
    if (rule.has(rank, number)) numbers.push_back(number);
  return numbers;
}

void expect_same_nodes(const GraphRule& rule, std::size_t rank, const RankGraph& stored) {
  const std::vector<std::uint32_t> numbers = numbers_of(rule, rank);
  ASSERT_EQ(numbers.size(), stored.nodes().size());
  ASSERT_EQ(rule.nodes(rank), stored.nodes().size());
  constexpr std::uint32_t stored_cpus = 11, computed_cpus = 3;  // of a worker
  const auto followers = [](std::uint32_t number) {
    return number == GraphRule::no_node ? std::vector<std::uint32_t>() : std::vector{number};
  };
  const auto renumbered = [&](std::span<const std::uint32_t> nodes) {
    std::vector<std::uint32_t> all;
    for (const std::uint32_t node : nodes) all.push_back(numbers[node]);
    return all;
  };
  std::vector<std::uint32_t> first;
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    SCOPED_TRACE(fmt::format("node {}, number {}", i, numbers[i]));
    const GraphNode& expected = stored.nodes()[i];
    const GraphNode node = rule.node(rank, numbers[i]);
    ASSERT_EQ(node.kind, expected.kind);
    ASSERT_EQ(node.amount, expected.amount);
    ASSERT_EQ(node.peer, expected.peer);
    ASSERT_EQ(node.tag, expected.tag);
    ASSERT_EQ(node.nic, expected.nic);
    ASSERT_EQ(node.waits_for, expected.waits_for);
    ASSERT_EQ(node.cpu, expected.cpu / stored_cpus * computed_cpus + expected.cpu % stored_cpus);
    ASSERT_LT(node.cpu, rule.cpus());
    ASSERT_EQ(followers(rule.waits_for_start(rank, numbers[i])), renumbered(stored.wait_for_start(i)));
    ASSERT_EQ(followers(rule.waits_for_end(rank, numbers[i])), renumbered(stored.wait_for_end(i)));
    if (expected.waits_for == 0) first.push_back(numbers[i]);
  }
  ASSERT_EQ(rule.first_nodes(rank), first);
}

/// In the same order, too: of one instant the lowest number goes first.
TEST(RingRule, HasTheNodesOfTheStoredGraphInTheirOrder) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomStream random(seed, "ring");
    const nccl::Plan plan = random_ring(random);
    const auto rule = rule_of_ring(plan, ring_parameters());
    ASSERT_NE(rule, nullptr);
    const DependencyGraph stored = stored_graph_of(plan, ring_parameters());
    ASSERT_EQ(rule->ranks(), stored.ranks());
    for (std::size_t rank = 0; rank < stored.ranks(); ++rank) {
      expect_same_nodes(*rule, rank, stored.rank(rank));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(RingRule, TakesAsLongAsTheStoredGraph) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomStream random(seed, "ring times");
    nccl::Plan plan = random_ring(random);
    const bool several = random.below(2) == 0;
    plan.layout.per_node = 8;
    plan.layout.rails = 8;
    plan.layout.ranks = several ? 16 : 8;
    plan.root = 3;
    if (has_blocks(plan.collective)) plan.bytes = plan.bytes / plan.layout.ranks * plan.layout.ranks + 16;
    const Platform platform = Platform::load("dgx-h100");
    const auto time_of = [&](const DependencyGraph& graph) { return time_of_graph(platform, graph, {}, 1); };
    EXPECT_EQ(time_of(graph_of(plan, platform.nccl())), time_of(stored_graph_of(plan, platform.nccl())));
  }
}

/// Of LL, whose chunks are short: 2 (2 * 512 - 1) nodes and more for each 32 KiB * 512 that go around.
nccl::Plan huge_plan(std::int64_t bytes) {
  nccl::Plan plan;
  plan.protocol = nccl::Protocol::ll;
  plan.algorithm = nccl::Algorithm::ring;
  plan.layout.ranks = 512;
  plan.bytes = bytes;
  return plan;
}

// A node has two bits of its number for its part, of which it has three, and the step has bits for more steps
// than there are.
TEST(RingRule, IsNoRuleForMoreNumbersThanAGraphHas) {
  const std::int64_t rounds = 2'100;  // 3 * 1023 * 512 * 2,100 nodes are fewer than 2^32, and numbers more
  EXPECT_EQ(rule_of_ring(huge_plan(rounds * 512 * (32 << 10)), ring_parameters()), nullptr);
}

TEST(RingRule, RefusesMoreNodesThanAGraphHas) {
  try {
    graph_of(huge_plan(std::int64_t{1} << 40), ring_parameters());
    ADD_FAILURE() << "not refused";
  } catch (const Error& refused) {
    expect_message(refused.what(), {"1024 GiB", "512 ranks", "4294967280"});
  }
}

TEST(RingRule, SaysWhereANodeStands) {
  RandomStream random(5, "ring");
  nccl::Plan plan = random_ring(random);
  plan.collective = MeasuredCollective::all_reduce;
  plan.protocol = nccl::Protocol::simple;
  plan.slices = 2;
  const DependencyGraph graph = graph_of(plan, ring_parameters());
  EXPECT_EQ(graph.where(1, graph.rule()->first_nodes(1).front()),
            "all-reduce by ring, lane 0, round 0, step 0, slice 0, start of rank 1");
}

TEST(RingRule, OfNothingIsRefused) {
  nccl::Plan plan;
  plan.algorithm = nccl::Algorithm::ring;
  plan.bytes = 0;
  EXPECT_THROW(graph_of(plan, ring_parameters()), Error);
}

}  // namespace
}  // namespace morgana
