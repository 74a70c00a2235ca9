#include "replay/rings/uncontended_ring.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/platform/platform.h"
#include "replay/collective_graph.h"
#include "replay/link_measurement.h"
#include "tests/support/ring_plans.h"

namespace morgana {
namespace {

using testing::between;
using testing::random_ring;
using testing::ring_parameters;

std::optional<SimTime> computed(const nccl::Plan& plan, const Platform& platform,
                                const Placement& placement = {}) {
  Machine machine = platform.build(static_cast<std::size_t>(plan.layout.ranks), placement, 1);
  return uncontended_ring_time(plan, ring_parameters(), machine);
}

SimTime simulated(const nccl::Plan& plan, const Platform& platform) {
  return time_of_graph(platform, graph_of(plan, ring_parameters()), {}, 1);
}

std::string nanoseconds(const char* key, std::int64_t count) {
  return fmt::format("{}={} ns", key, count);
}

/// Each cost is there in one half of the cases, so that each may be the one that holds a step up.
std::vector<std::string> random_costs(RandomStream& random) {
  const auto some = [&](std::int64_t most) { return random.below(2) == 0 ? 0 : between(random, 1, most); };
  return {"messages.eager-limit=1 GB",
          nanoseconds("messages.send-overhead", some(20'000)),
          nanoseconds("messages.receive-overhead", some(20'000)),
          fmt::format("messages.receive-per-byte=0.{:02} ns/B", some(99)),
          fmt::format("messages.send-per-byte=0.{:02} ns/B", some(99)),
          fmt::format("messages.envelope={} B", some(100)),
          nanoseconds("network.latency", some(30'000))};
}

// The library's copies and overheads may take longer than a worker's hop, or than the network.
TEST(UncontendedRing, TakesAsLongAsTheRunWhereAPortHasOneWorker) {
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomStream random(seed, "one worker");
    nccl::Plan plan = random_ring(random);
    plan.slices = 1;
    plan.layout.rails = 1;
    std::vector<std::string> costs = random_costs(random);
    costs.push_back(nanoseconds("network.gap", between(random, 0, 20'000)));
    costs.push_back(fmt::format("network.gap-per-byte=0.{:03} ns/B", between(random, 0, 999)));
    costs.push_back(fmt::format("network.latency-per-byte=0.{:02} ns/B", between(random, 0, 99)));
    const Platform platform = Platform::load("loggp-example", costs);
    const auto time = computed(plan, platform);
    ASSERT_TRUE(time);
    ASSERT_EQ(*time, simulated(plan, platform));
  }
}

TEST(UncontendedRing, TakesAsLongAsTheRunWherePortsAreNeverBusy) {
  int of_several = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    RandomStream random(seed, "several workers");
    const nccl::Plan plan = random_ring(random);
    std::vector<std::string> costs = random_costs(random);
    costs.emplace_back("network.gap=0 s");
    costs.emplace_back("network.gap-per-byte=0 ns/B");
    const Platform platform = Platform::load("loggp-example", costs);
    const auto time = computed(plan, platform);
    ASSERT_TRUE(time);
    ASSERT_EQ(*time, simulated(plan, platform));
    if (nccl::workers_of(plan) > 1) ++of_several;
  }
  EXPECT_GT(of_several, 30) << "lanes or slices side by side";
}

nccl::Plan plan_of_two_nodes(int rails) {
  nccl::Plan plan;
  plan.layout = {16, 8, rails};
  plan.bytes = 16 << 20;
  plan.slices = 1;
  return plan;
}

// Data of 8 rings leave a GPU by its one port.
TEST(UncontendedRing, IsNotComputedWhereRingsShareAPort) {
  const Platform platform =
      Platform::load("loggp-example", std::vector<std::string>{"messages.eager-limit=1 GB"});
  EXPECT_TRUE(computed(plan_of_two_nodes(1), platform));
  EXPECT_FALSE(computed(plan_of_two_nodes(8), platform));
  const std::vector<std::string> free{"messages.eager-limit=1 GB", "network.gap=0 s",
                                      "network.gap-per-byte=0 ns/B"};
  EXPECT_TRUE(computed(plan_of_two_nodes(8), Platform::load("loggp-example", free)));
  // A long message of one ring would wait at its receiver behind a short one of another that began later.
  std::vector<std::string> latency = free;
  latency.emplace_back("network.latency-per-byte=1 ns/B");
  nccl::Plan uneven = plan_of_two_nodes(8);
  uneven.bytes = 40'000;
  uneven.protocol = nccl::Protocol::ll128;
  latency.emplace_back("network.latency-bytes=1 GB");
  EXPECT_FALSE(computed(uneven, Platform::load("loggp-example", latency)));
}

TEST(UncontendedRing, IsNotComputedWhereAnythingElseIsShared) {
  const auto refused = [](const char* platform, const std::vector<std::string>& more,
                          const Placement& placement = {}) {
    return !computed(plan_of_two_nodes(1), Platform::load(platform, more), placement);
  };
  EXPECT_TRUE(refused("dgx-h100", {})) << "switches, and acknowledgements among the data";
  EXPECT_TRUE(refused("loggp-example", {})) << "messages of more than 64 KiB ask for a clearance";
  const std::string eager = "messages.eager-limit=1 GB";
  EXPECT_FALSE(refused("loggp-example", {eager}));
  EXPECT_TRUE(refused("loggp-example", {eager, "transport.kind=go-back-n", "transport.header=0 B"}));
  EXPECT_TRUE(refused("loggp-example", {eager, "messages.unexpected-buffer=1 MiB"}));
  Placement pairs;
  pairs.per_host = 2;
  EXPECT_TRUE(refused("loggp-example", {eager, "hosts.processors=2"}, pairs));
}

TEST(UncontendedRing, LeavesTimesPastTheEndToTheRun) {
  const Platform platform =
      Platform::load("loggp-example", std::vector<std::string>{"messages.eager-limit=1 GB"});
  nccl::Parameters parameters = ring_parameters();
  parameters.launch = SimTime::from_ps(EventQueue::latest.ps() - 1'000'000'000);
  const nccl::Plan plan = plan_of_two_nodes(1);
  Machine machine = platform.build(static_cast<std::size_t>(plan.layout.ranks), {}, 1);
  EXPECT_FALSE(uncontended_ring_time(plan, parameters, machine));
}

}  // namespace
}  // namespace morgana
