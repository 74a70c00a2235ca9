#include <gtest/gtest.h>

#include <algorithm>

#include "tests/network/myrinet/reference_flits.h"
#include "tests/network/myrinet/small_graphs.h"
#include "tests/network/myrinet/worm_experiment.h"

// Packets that stand still with all their outputs granted. What is calculated by hand uses the times in
// reference_flits_test.cpp.

namespace morgana::testing {
namespace {
using namespace literals;

std::size_t settled(const WormResults& results) {
  return static_cast<std::size_t>(std::count_if(
      results.fates.begin(), results.fates.end(),
      [](const WormFate& fate) { return fate.times.delivered.has_value() || fate.times.lost.has_value(); }));
}
std::size_t lost_by_deadlock(const WormResults& results) {
  return static_cast<std::size_t>(
      std::count_if(results.fates.begin(), results.fates.end(),
                    [](const WormFate& fate) { return fate.why == WormLoss::deadlock; }));
}

// Host 3 holds the way to host 2 until 31461.7. Of host 0's packet the n-th flit starts on the trunk at
// 199.2 + 6.25 n, and is 49.2 later at the second switch, where the header waits from 248.4 on; the stop
// comes back at 647.6, when 72 have started, and the wire is clear at 649.2. The header is dropped at
// 20248.4, but the last of the 72 only at 20692.15, which the first switch hears at 20741.35: too late for
// its patience.
WormCase behind_a_long_packet() {
  WormCase given{row(2),
                 {},
                 {{0_ns, 0, 2, 300, {{2, 0}}}, {0_ns, 3, 2, 5000, {{0}}}, {10_us, 1, 3, 10, {{2, 1}}}},
                 {},
                 {}};
  given.parameters.go_below = 1;
  given.parameters.deadlock_timeout = 20_us;
  return given;
}

// At 20649.2 the connection is cut. Host 0 had been stopped when 145 of its 304 flits had started, 72 of
// which were at the first switch: they are swallowed until 21092.95, the host hears go at 21142.15 and sends
// 159 in 993.75. Host 1's packet has waited from 10049.2 on and is granted the trunk: 20649.2 + 150 + 49.2 +
// 150 + 49.2 + 12 x 6.25.
TEST(BlockedWorms, AnOutputThatStandsStillTooLongIsCutOffAndGrantedToTheNext) {
  const WormCase given = behind_a_long_packet();
  ReferenceFlits reference(given);
  const WormResults expected = reference.run();
  EXPECT_EQ(reference.cuts(), (std::pair<std::size_t, std::size_t>{1, 1}));
  for (const WormResults& results : {expected, WormExperiment(given).run()}) {
    EXPECT_EQ(results.fates[0], departed_and_lost(22'135'900_ps, 22'135'900_ps, WormLoss::deadlock));
    EXPECT_EQ(results.fates[2], departed_and_delivered(10'087'500_ps, 21'122'600_ps));
    // 72 flits, the bad tail, and 13 of the other.
    EXPECT_EQ(results.channels[0], (ChannelCounts{86, 20'741'350_ps - 647'600_ps}));
  }
}

// With go below 9 it is sent when 64 of the 72 have gone, at 20248.4 + 63 x 6.25 = 20642.15, and heard 49.2
// later; with 16 it is 57, at 20598.4: heard at 20647.6, 1.6 before the patience ends.
TEST(BlockedWorms, AGoBeforePatienceEndsSavesTheConnection) {
  WormCase given = behind_a_long_packet();
  for (const std::int64_t go_below : {15, 16}) {
    given.parameters.go_below = go_below;
    ReferenceFlits reference(given);
    const WormResults results = reference.run();
    EXPECT_EQ(reference.cuts().first, go_below == 15 ? 1U : 0U);
    EXPECT_EQ(results.channels[0].flits, go_below == 15 ? 86U : 303U + 13U);
    EXPECT_EQ(WormExperiment(given).run().channels, results.channels);
  }
}

TEST(BlockedWorms, ItIsToldAtWhichSwitchAPacketWasBlocked) {
  WormExperiment experiment(behind_a_long_packet());
  experiment.run();
  EXPECT_EQ(experiment.how_lost(0), "its packet was blocked at switch 0 for 20 us");
}

// Back and forth between two switches. It lets go of the way there before its head returns, which then queues
// up behind its own tail: 57 flits fill either buffer, and each waits for room in the other.
WormCase bouncing(std::uint32_t bytes) {
  std::vector<std::uint32_t> leg{2};
  for (int n = 0; n < 4; ++n) leg.insert(leg.end(), {3, 2});
  leg.push_back(0);
  return {row(2), {}, {{0_ns, 0, 2, bytes, {leg}}}, {}, {}};
}

TEST(BlockedWorms, AWormThatBitesItsTailWaitsForEverWithoutATimeoutAndIsCutOffWithOne) {
  WormCase given = bouncing(131);
  given.parameters.deadlock_timeout.reset();
  EXPECT_EQ(settled(ReferenceFlits(given).run()), 0U);
  EXPECT_EQ(settled(WormExperiment(given).run()), 0U);
  given.parameters.deadlock_timeout = 50_us;
  ReferenceFlits reference(given);
  const WormResults expected = reference.run();
  EXPECT_GT(reference.cuts().first, 0U);
  EXPECT_EQ(expected.fates[0].why, WormLoss::deadlock);
  EXPECT_EQ(WormExperiment(given).run().fates, expected.fates);
}

/// Every host of a ring sends packets two switches on.
WormCase crowded_ring(std::uint32_t bytes) {
  WormCase given{row(4, true), {}, {}, {}, {}};
  for (int packet = 0; packet < 60; ++packet)
    for (std::uint32_t host = 0; host < 8; ++host)
      given.plan.push_back({300_ns * packet + 37_ns * host, host, (host + 4) % 8, bytes, {{2, 2, host % 2}}});
  std::stable_sort(given.plan.begin(), given.plan.end(),
                   [](const PlannedWorm& a, const PlannedWorm& b) { return a.at < b.at; });
  return given;
}

TEST(BlockedWorms, ARingOfShortPacketsStandsStillWithoutATimeoutAndGoesOnWithOne) {
  for (const std::uint32_t bytes : {8U, 20U, 60U}) {
    SCOPED_TRACE(bytes);
    WormCase given = crowded_ring(bytes);
    given.parameters.deadlock_timeout.reset();
    EXPECT_LT(settled(WormExperiment(given).run()), given.plan.size());
    given.parameters.deadlock_timeout = 20_us;
    ReferenceFlits reference(given);
    const WormResults expected = reference.run();
    EXPECT_GT(reference.cuts().first, 0U);
    EXPECT_EQ(settled(expected), given.plan.size());
    EXPECT_GT(lost_by_deadlock(expected), 0U);
    EXPECT_LT(lost_by_deadlock(expected), 4 * given.plan.size() / 5);
    const WormResults actual = WormExperiment(given).run();
    EXPECT_EQ(actual.fates, expected.fates);
    EXPECT_EQ(actual.channels, expected.channels);
  }
}

}  // namespace
}  // namespace morgana::testing
