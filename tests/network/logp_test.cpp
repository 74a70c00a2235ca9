#include "emulator/network/logp/logp_network.h"

#include <gtest/gtest.h>

#include "emulator/core/random.h"
#include "tests/network/reference_logp.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;

const LogpParameters example{5_us, 2_us, ByteCost::from_fs(10'000'000)};  // G = 10 ns a byte

std::vector<Fate> run(const std::vector<Planned>& plan, const LogpParameters& parameters,
                      std::size_t ports = 4) {
  EventQueue events;
  LogpNetwork network(events, ports, parameters);
  Experiment experiment(events, network);
  std::vector<Fate> fates = experiment.run(plan);
  experiment.expect_conservation();
  return fates;
}

TEST(LogpNetwork, OneByteTakesLExactly) {
  const Fate fate = run({{3_us, 0, 1, 1}}, example)[0];
  EXPECT_EQ(fate.departed, 3_us);
  EXPECT_EQ(fate.delivered, 8_us);
}

TEST(LogpNetwork, ZeroBytesCountAsOne) {
  EXPECT_EQ(run({{3_us, 0, 1, 0}}, example), run({{3_us, 0, 1, 1}}, example));
}

TEST(LogpNetwork, EveryFurtherByteTakesG) {
  const Fate fate = run({{0_us, 0, 1, 1001}}, example)[0];
  EXPECT_EQ(fate.departed, 10_us);   // 1000 x 10 ns
  EXPECT_EQ(fate.delivered, 15_us);  // and L
}

TEST(LogpNetwork, GIsRoundedOnceAMessage) {
  const LogpParameters parameters{0_us, 0_us, ByteCost::from_fs(333)};
  EXPECT_EQ(run({{0_us, 0, 1, 1001}}, parameters)[0].delivered, 333_ps);
  EXPECT_EQ(run({{0_us, 0, 1, 3}}, parameters)[0].delivered, 1_ps);  // 0.666 ps
}

TEST(LogpNetwork, TheSendingInterfaceTakesOneMessageAtATime) {
  // 101 bytes hold it for g + 100 G = 3 us
  const auto fates = run({{0_us, 0, 1, 101}, {0_us, 0, 2, 101}, {1_us, 0, 3, 1}}, example);
  EXPECT_EQ(fates[0].departed, 1_us);
  EXPECT_EQ(fates[1].departed, 4_us);
  EXPECT_EQ(fates[2].departed, 6_us);
  EXPECT_EQ(fates[2].delivered, 11_us);
}

TEST(LogpNetwork, TheReceivingInterfaceTakesOneMessageAtATime) {
  const auto fates = run({{0_us, 0, 3, 101}, {0_us, 1, 3, 101}, {0_us, 2, 3, 1}}, example);
  EXPECT_EQ(fates[0].delivered, 6_us);   // arrives at 5, last byte at 6, interface taken until 8
  EXPECT_EQ(fates[1].delivered, 9_us);   // from 8, taken until 11
  EXPECT_EQ(fates[2].delivered, 11_us);  // from 11
}

TEST(LogpNetwork, InterfacesSendAndReceiveAtTheSameTime) {
  const auto fates = run({{0_us, 0, 1, 101}, {0_us, 1, 0, 101}}, example);
  EXPECT_EQ(fates[0], fates[1]);
}

TEST(LogpNetwork, AnEarlierStartIsReceivedFirstEvenIfInjectedLater) {
  // the second message of host 0 starts at 3 us, that of host 1, injected later, at 2 us
  const auto fates = run({{0_us, 0, 2, 101}, {0_us, 0, 3, 1}, {2_us, 1, 3, 1}}, example);
  EXPECT_EQ(fates[2].delivered, 7_us);
  EXPECT_EQ(fates[1].delivered, 9_us);  // arrives at 8, the interface is taken until 9
}

TEST(LogpNetwork, AnIdealNetworkTakesNoTimeAndStillReportsInOrder) {
  const auto fates = run({{1_us, 0, 1, 1000}, {1_us, 1, 0, 1000}, {1_us, 0, 1, 0}}, {});
  for (const Fate& fate : fates) EXPECT_EQ(fate, (Fate{1_us, 1_us, {}}));
}

TEST(LogpNetwork, LongMessagesReachOneOverG) {
  const auto fates = run({{0_us, 0, 1, 10'000'000}}, example);
  EXPECT_EQ(fates[0].delivered, 5_us + 9'999'999 * 10_ns);
}

TEST(LogpNetwork, OfMessagesThatStartTogetherTheOneInjectedFirstIsReceivedFirst) {
  // both start at 3 us; that of host 0 was injected first, but had to wait
  const auto fates = run({{0_us, 0, 2, 101}, {0_us, 0, 3, 1}, {3_us, 1, 3, 1}}, example);
  EXPECT_EQ(fates[1].delivered, 8_us);
  EXPECT_EQ(fates[2].delivered, 10_us);
}

// L' = 5 us + 100 bytes at 20 ns = 7 us: delivered at 7 us + 99 * 10 ns; of 300 bytes 200 count: 9 us + 299 *
// 10 ns.
TEST(LogpNetwork, AddsToTheLatencyForAMessagesFirstBytes) {
  LogpParameters parameters = example;
  parameters.latency_per_byte = ByteCost::from_fs(20'000'000);
  parameters.latency_bytes = Bytes(200);
  EXPECT_EQ(run({{0_us, 0, 1, 100}}, parameters)[0].delivered, 7_us + 99 * 10_ns);
  EXPECT_EQ(run({{0_us, 0, 1, 300}}, parameters)[0].delivered, 9_us + 299 * 10_ns);
}

// The second one starts at 2.99 us and would be there at 8.01 us; but the first one is received from 7 us on,
// for 0.99 us and the gap.
TEST(LogpNetwork, LetsNoShortMessageOvertakeALongerOne) {
  LogpParameters parameters = example;
  parameters.latency_per_byte = ByteCost::from_fs(20'000'000);
  const auto fates = run({{0_us, 0, 1, 100}, {0_us, 0, 1, 1}}, parameters);
  EXPECT_EQ(fates[0].delivered, 7_us + 990_ns);
  EXPECT_EQ(fates[1].delivered, 7_us + 990_ns + 2_us);
}

TEST(LogpNetwork, AgreesWithTheReferenceOnRandomCases) {
  for (std::uint64_t seed = 1; seed <= random_cases(5000); ++seed) {
    RandomStream random(seed, "logp test");
    const auto pick = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random.below(bound)); };
    LogpParameters parameters{SimTime::from_ps(pick(60)), SimTime::from_ps(pick(20)),
                              ByteCost::from_fs(1000 * pick(3))};
    if (random.chance(0.5)) {
      parameters.latency_per_byte = ByteCost::from_fs(1000 * pick(3));
      parameters.latency_bytes = Bytes(pick(30));
    }
    const std::size_t ports = 2 + random.below(5);
    std::vector<Planned> plan(1 + random.below(40));
    const std::uint64_t spread = 1 + random.below(600);
    for (Planned& planned : plan) {
      planned.from = static_cast<std::uint32_t>(random.below(ports));
      planned.to = static_cast<std::uint32_t>((planned.from + 1 + random.below(ports - 1)) % ports);
      planned.bytes = pick(30);
      planned.at = SimTime::from_ps(pick(spread));
    }
    sort_by_time(plan);
    ASSERT_EQ(run(plan, parameters, ports), reference_logp(plan, ports, parameters)) << "seed " << seed;
  }
}

}  // namespace
}  // namespace morgana::testing
