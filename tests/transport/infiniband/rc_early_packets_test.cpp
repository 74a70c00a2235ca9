// Reliable connections over a network in which packets overtake each other.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/transport/infiniband/rc_dispatch.h"
#include "tests/transport/infiniband/reference_rc.h"
#include "tests/transport/lossy_network.h"

namespace morgana::testing {
namespace {

struct Overtaken {
  std::vector<RcFate> fates;
  RcCounters counters;
};

/// Every packet takes between 1 and 1 + `spread` us, at 1 ns a byte; of those that are sent one in
/// `lost_one_in` is lost (0: none).
Overtaken overtaken(const std::vector<RcPlanned>& plan, RcParameters::Early early, std::uint64_t seed,
                    std::int64_t spread_us = 20, std::uint64_t lost_one_in = 0) {
  EventQueue events;
  RandomStream random(seed, "overtaking");
  LossyNetwork network(events, 3, [&](const Unit&, std::uint64_t) {
    return lost_one_in > 0 && random.below(lost_one_in) == 0;
  });
  network.latency = [&](PortId, PortId) {
    const auto more =
        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(spread_us) * 1'000'000 + 1));
    return SimTime::from_ps(1'000'000 + more);
  };
  network.largest = Bytes(4'300);
  RcParameters parameters;
  parameters.path_mtu = Bytes(256);
  parameters.timeout = 5;  // 131 us, above twice the longest latency
  parameters.retry_count = 7;
  parameters.early = early;
  ReliableConnections transport(events, network, 3, parameters);
  RcDispatch dispatch(events, transport);
  Overtaken result;
  result.fates = dispatch.run(plan);
  result.counters = transport.counters();
  return result;
}

std::vector<RcPlanned> mixed_plan(std::uint64_t seed) {
  RandomStream random(seed, "early packets");
  std::vector<RcPlanned> plan;
  std::int64_t at = 0;
  for (int n = 0; n < 30; ++n) {
    at += static_cast<std::int64_t>(random.below(20'000'000));
    const auto from = static_cast<std::uint32_t>(random.below(3));
    constexpr Verb verbs[]{Verb::send, Verb::write, Verb::write_immediate, Verb::read};
    plan.push_back({at, from, (from + 1 + static_cast<std::uint32_t>(random.below(2))) % 3,
                    static_cast<std::int64_t>(random.below(3'000)), verbs[random.below(4)]});
  }
  return plan;
}

TEST(EarlyPackets, AreKeptSoThatNothingIsSentAgain) {
  std::uint64_t kept = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Overtaken run = overtaken(mixed_plan(seed), RcParameters::Early::kept, seed);
    for (const RcFate& fate : run.fates) EXPECT_TRUE(fate.delivered && !fate.returned);
    EXPECT_EQ(run.counters.repeated, 0u);
    EXPECT_EQ(run.counters.sequence_errors, 0u);
    EXPECT_EQ(run.counters.timeouts, 0u);
    kept += run.counters.kept;
  }
  EXPECT_GT(kept, 1'000u);
}

TEST(EarlyPackets, CostRepetitionsWhereTheyAreRefused) {
  std::uint64_t repeated = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Overtaken run = overtaken(mixed_plan(seed), RcParameters::Early::refused, seed);
    EXPECT_EQ(run.counters.kept, 0u);
    repeated += run.counters.repeated;
  }
  EXPECT_GT(repeated, 100u);
}

// What is lost is repeated after the timeout; nothing is delivered twice (RcDispatch checks that).
TEST(EarlyPackets, AreKeptWhileLostOnesAreRepeated) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const Overtaken run = overtaken(mixed_plan(seed), RcParameters::Early::kept, seed, 20, 40);
    for (const RcFate& fate : run.fates) EXPECT_TRUE(fate.delivered && !fate.returned) << seed;
    EXPECT_EQ(run.counters.sequence_errors, 0u);
  }
}

// Without overtaking both are the same to the picosecond.
TEST(EarlyPackets, AreNoneWhereNothingOvertakes) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const std::vector<RcPlanned> plan = mixed_plan(seed);
    EXPECT_EQ(overtaken(plan, RcParameters::Early::kept, seed, 0).fates,
              overtaken(plan, RcParameters::Early::refused, seed, 0).fates);
  }
}

// Two packets of one write: the second comes first, and is accepted with the first. 16 + 16 + 256 and 16 + 44
// bytes; the acknowledgement is the one that the last packet asks for.
TEST(EarlyPackets, AreDealtWithRightAfterWhatWasMissing) {
  EventQueue events;
  LossyNetwork network(events, 2, [](const Unit&, std::uint64_t) { return false; });
  network.largest = Bytes(4'300);
  RcParameters parameters;
  parameters.path_mtu = Bytes(256);
  parameters.early = RcParameters::Early::kept;
  bool first = true;
  network.latency = [&first](PortId from, PortId) {
    const bool slow = from == PortId{0} && std::exchange(first, false);
    return SimTime::from_ps(slow ? 5'000'000 : 1'000'000);
  };
  ReliableConnections transport(events, network, 2, parameters);
  RcDispatch dispatch(events, transport);
  const std::vector<RcFate> fates = dispatch.run({{0, 0, 1, 300, Verb::write}});
  EXPECT_EQ(fates[0].delivered, 288'000 + 5'000'000);
  EXPECT_EQ(transport.counters().kept, 1u);
  EXPECT_EQ(transport.counters().acknowledgements, 1u);
}

}  // namespace
}  // namespace morgana::testing
