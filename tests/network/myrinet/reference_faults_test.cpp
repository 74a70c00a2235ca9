#include <gtest/gtest.h>

#include "tests/network/myrinet/reference_flits.h"
#include "tests/network/myrinet/small_graphs.h"

// Faults in the reference, calculated by hand; the times of its mechanisms are in reference_flits_test.cpp.

namespace morgana::testing {
namespace {
using namespace literals;

WormResults results_of(const WormCase& given) {
  return ReferenceFlits(given).run();
}

// Each goes on two switches in a ring of four, 105 flits long, and starts while its successor's output is
// free. The header is at the second switch 248.4 after the start, where the output is held: 72 flits wait
// there.
WormCase ring(SimTime last_start = 450_ns) {
  WormCase given{row(4, true),
                 {},
                 {{0_ns, 0, 4, 100, {{2, 2, 0}}},
                  {150_ns, 2, 6, 100, {{2, 2, 0}}},
                  {300_ns, 4, 0, 100, {{2, 2, 0}}},
                  {last_start, 6, 2, 100, {{2, 2, 0}}}},
                 {},
                 {}};
  given.parameters.deadlock_timeout = 20_us;
  return given;
}

TEST(ReferenceFlits, ARingOfWormsIsADeadlockWithoutATimeout) {
  WormCase given = ring();
  given.parameters.deadlock_timeout.reset();
  const WormResults results = results_of(given);
  // All of the 105 flits have found room: 72 at the second switch, 32 at the first, one route byte is
  // consumed.
  for (std::size_t worm = 0; worm < 4; ++worm)
    EXPECT_EQ(results.fates[worm].times,
              (Fate{given.plan[worm].at + 105 * 6'250_ps, std::nullopt, std::nullopt}));
}

// The first is dropped at d = 20248.4. Its 104 flits there are consumed one in 6.25 ns: 39 are left at d +
// 200, the other 32 come from d + 298.4 on, in time, the end is at d + 650. The output behind is free at d +
// 249.2 + 32 x 6.25 = d + 449.2, when the last has 0.8 ns of patience left; the two between have none. The
// last's header starts at d + 599.2, is at the next switch at d + 648.4 but in front of it only at d + 650,
// and the 102 flits follow from d + 800: d + 849.2 + 102 x 6.25.
TEST(ReferenceFlits, ADeadlockIsBrokenByWhatHasWaitedTooLong) {
  const SimTime dropped = 20'248'400_ps;
  const SimTime sent = 105 * 6'250_ps;
  const WormResults results = results_of(ring());
  EXPECT_EQ(results.fates[0], departed_and_lost(sent, dropped + 650_ns, WormLoss::deadlock));
  EXPECT_EQ(results.fates[1], departed_and_lost(150_ns + sent, dropped + 800_ns, WormLoss::deadlock));
  EXPECT_EQ(results.fates[2], departed_and_lost(300_ns + sent, dropped + 950_ns, WormLoss::deadlock));
  EXPECT_EQ(results.fates[3], departed_and_delivered(450_ns + sent, dropped + 1'486'700_ps));
}

TEST(ReferenceFlits, AGrantInTheInstantOfTheTimeoutWins) {
  EXPECT_EQ(results_of(ring(449'200_ps)).fates[3].why, WormLoss::none);
  EXPECT_EQ(results_of(ring(449'199_ps)).fates[3].why, WormLoss::deadlock);
}

// Over one trunk: 304 flits leave the source in 1900 ns; of the 303 on the trunk the n-th starts at
// 199.2 + 6.25 n, and is sent on by the second switch at 398.4 + 6.25 (n - 1).
WormCase over_a_trunk(SimTime death) {
  return {row(2), {}, {{0_ns, 0, 2, 300, {{2, 0}}}, {5_us, 0, 2, 300, {{2, 0}}}}, {}, {{death, 0}}};
}

// The 289th (n = 288) starts at 1999.2, the bad tail takes the place of the next: 398.4 + 6.25 x 288 + 55.45.
TEST(ReferenceFlits, ADyingChannelEndsAPacketWithABadTail) {
  const WormCase given = over_a_trunk(2_us);
  const WormResults results = results_of(given);
  EXPECT_EQ(results.fates[0], departed_and_lost(1'900_ns, 2'253'850_ps, WormLoss::dead_channel));
  EXPECT_EQ(results.channels[given.graph.from_host(0)].flits, 2 * 304U);
  EXPECT_EQ(results.channels[0].flits, 289U);
  EXPECT_EQ(results.channels[given.graph.to_host(2)].flits, 289U);
  // The second finds the output as ever, but nothing comes of it: 5000 + 199.2 + 303 x 6.25.
  EXPECT_EQ(results.fates[1], departed_and_lost(6'900_ns, 7'092'950_ps, WormLoss::dead_channel));
}

TEST(ReferenceFlits, APacketThatIsCutOffIsNotLostBeforeItHasDeparted) {
  WormCase given = over_a_trunk(1_us);
  WormResults results = results_of(given);
  EXPECT_EQ(results.fates[0], departed_and_lost(1'900_ns, 1'900_ns, WormLoss::dead_channel));
  EXPECT_EQ(results.channels[0].flits, 129U);
  EXPECT_EQ(results.channels[given.graph.to_host(2)].flits, 129U);
  // A flit does not start any more in the instant of the death.
  given.deaths[0].at = 999'200_ps;
  results = results_of(given);
  EXPECT_EQ(results.channels[0].flits, 128U);
}

TEST(ReferenceFlits, AChannelThatDiesBehindAPacketDoesNotHarmIt) {
  // The last flit (n = 302) starts at 2086.7.
  EXPECT_EQ(results_of(over_a_trunk(2'086'701_ps)).fates[0], departed_and_delivered(1'900_ns, 2'335'100_ps));
  EXPECT_EQ(results_of(over_a_trunk(2'086'700_ps)).fates[0].why, WormLoss::dead_channel);
}

// Host 0's channel dies while stopped, after 72 of 503 flits: the other 431 vanish from then on. The bad tail
// is the 73rd in the buffer, and is long at host 2 when the source has sent the last.
TEST(ReferenceFlits, ADeadChannelIsNotStopped) {
  const WormGraph graph = star(3);
  ReferenceFlits reference(
      {graph, {}, {{0_ns, 1, 2, 400, {{2}}}, {10_ns, 0, 2, 500, {{2}}}}, {}, {{2_us, graph.from_host(0)}}});
  const WormResults results = reference.run();
  const SimTime departed = 2_us + 431 * 6'250_ps;
  EXPECT_EQ(results.fates[1], departed_and_lost(departed, departed, WormLoss::dead_channel));
  EXPECT_EQ(results.channels[graph.from_host(0)], (ChannelCounts{72, 2_us - 458'400_ps}));
  EXPECT_EQ(results.channels[graph.to_host(2)].flits, 402U + 72U);
  EXPECT_EQ(reference.most_in_a_buffer(), 73);
}

// Host 0's channel dies at 430, between stop's departure and its arrival: 68 flits have started, the bad tail
// follows at 435. The output is granted at 2711.7, 67 flits and the bad tail start from 2861.7 on.
TEST(ReferenceFlits, ADeadChannelIsDeafToStop) {
  const WormGraph graph = star(3);
  const WormResults results = results_of(
      {graph, {}, {{0_ns, 1, 2, 400, {{2}}}, {10_ns, 0, 2, 500, {{2}}}}, {}, {{430_ns, graph.from_host(0)}}});
  EXPECT_EQ(results.fates[1],
            departed_and_lost(10_ns + 503 * 6'250_ps, 2'861'700_ps + 68 * 6'250_ps + 49'200_ps,
                              WormLoss::dead_channel));
  EXPECT_EQ(results.channels[graph.from_host(0)], (ChannelCounts{68, 0_ns}));
}

// To the host the n-th flit starts at 199.2 + 6.25 n, so at 1999.2 and 2005.45.
TEST(ReferenceFlits, ABadTailFollowsTheLastFlitAtTheWiresRate) {
  const WormGraph graph = star(2);
  for (const SimTime death : {1'999'201_ps, 2'005'450_ps})
    EXPECT_EQ(results_of({graph, {}, {{0_ns, 0, 1, 300, {{1}}}}, {}, {{death, graph.to_host(1)}}}).fates[0],
              departed_and_lost(303 * 6'250_ps, 2'005'450_ps + 55'450_ps, WormLoss::dead_channel));
}

// Two trunks die under a packet, the later one first: what was in between ends in silence.
TEST(ReferenceFlits, APacketThatIsCutTwiceIsLostOnce) {
  // Trunk 1 carries the n-th of its flits at 398.4 + 6.25 n: 97 until 1000. The bad tail is at the third
  // switch in time, which sends on 96 and it from 597.6 on: 597.6 + 96 x 6.25 + 55.45 = 1253.05. Source: 1005
  // flits.
  const WormGraph graph = row(3);
  const WormResults results =
      results_of({graph, {}, {{0_ns, 0, 4, 1000, {{2, 2, 0}}}}, {}, {{1_us, 2}, {3_us, 0}}});
  EXPECT_EQ(results.fates[0], departed_and_lost(6'281'250_ps, 6'281'250_ps, WormLoss::dead_channel));
  EXPECT_EQ(results.channels[2].flits, 97U);
  EXPECT_EQ(results.channels[graph.to_host(4)].flits, 97U);
  // Trunk 0 until 3000: 199.2 + 6.25 n, 449 flits.
  EXPECT_EQ(results.channels[0].flits, 449U);
}

// 13 flits, consumed as they arrive from 49.2 on; the next packet is right behind and not harmed.
TEST(ReferenceFlits, APortThatLeadsNowhereConsumesThePacket) {
  for (const std::uint32_t nowhere : {3U, 4U, 200U}) {
    WormCase given{star(3), {}, {{0_ns, 0, 2, 10, {{nowhere}}}, {0_ns, 0, 2, 10, {{2}}}}, {}, {}};
    given.graph.ports = {4};
    const WormResults results = results_of(given);
    EXPECT_EQ(results.fates[0], departed_and_lost(81'250_ps, 130'450_ps, WormLoss::no_such_port));
    EXPECT_EQ(results.fates[1], departed_and_delivered(162'500_ps, 130'450_ps + 199'200_ps + 75'000_ps));
  }
}

TEST(ReferenceFlits, ARouteThatDoesNotFitLosesThePacketWhereItIsFoundOut) {
  const auto fate = [](const std::vector<std::vector<std::uint32_t>>& legs) {
    return results_of({star(3), {}, {{0_ns, 0, 2, 10, legs}}, {}, {}}).fates[0];
  };
  // The type, or a mark, at the switch, as the first of 12 or 14 flits.
  EXPECT_EQ(fate({{}}), departed_and_lost(75_ns, 124'200_ps, WormLoss::route_used_up));
  EXPECT_EQ(fate({{}, {2}}), departed_and_lost(87'500_ps, 136'700_ps, WormLoss::route_used_up));
  // A port at the host, as the first of 13 flits; the type at another host.
  EXPECT_EQ(fate({{2, 1}}), departed_and_lost(87'500_ps, 329'650_ps, WormLoss::route_left_over));
  EXPECT_EQ(fate({{1}}), departed_and_lost(81'250_ps, 323'400_ps, WormLoss::wrong_host));
  // After 723.4 in transit the type is at the switch at 772.6, as the first of 12 flits.
  EXPECT_EQ(fate({{1}, {}}), departed_and_lost(87'500_ps, 847'600_ps, WormLoss::route_used_up));
}

TEST(ReferenceFlits, ACorruptedPacketIsFoundOutAtItsDestination) {
  WormCase given{star(3), {}, {{0_ns, 0, 2, 10, {{2}}}}, {}, {}};
  given.corruptions = {{0, given.graph.from_host(1)}};
  EXPECT_EQ(results_of(given).fates[0], departed_and_delivered(81'250_ps, 323'400_ps));
  given.corruptions = {{0, given.graph.from_host(0)}};
  EXPECT_EQ(results_of(given).fates[0], departed_and_lost(81'250_ps, 323'400_ps, WormLoss::corrupted));
  // Also if it was in transit meanwhile: 723.4 + 248.4 + 75.
  given.plan[0].legs = {{1}, {2}};
  EXPECT_EQ(results_of(given).fates[0], departed_and_lost(93'750_ps, 1'046'800_ps, WormLoss::corrupted));
}

}  // namespace
}  // namespace morgana::testing
