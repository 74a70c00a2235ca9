#include "tests/network/myrinet/reference_flits.h"

#include <gtest/gtest.h>

#include "tests/network/myrinet/small_graphs.h"

// What the reference must give, calculated by hand from the mechanisms: a flit lasts 6.25 ns, a cable and a
// control symbol 49.2 ns, routing 150 ns, an in-transit host's detection and programming 475 ns.

namespace morgana::testing {
namespace {
using namespace literals;

WormResults run(const WormCase& given) {
  ReferenceFlits reference(given);
  WormResults results = reference.run();
  EXPECT_LE(reference.most_in_a_buffer(), 72);
  return results;
}

// 150 ns (h + 1) + 49.2 ns (h + 2) + 6.25 ns for each of type, payload and CRC.
// The source sends a route byte more for each switch.
TEST(ReferenceFlits, APacketAloneTakesRoutingCablesAndItsFlits) {
  const auto alone = [](std::uint32_t hops, std::uint32_t bytes) {
    std::vector<std::uint32_t> ports(hops, 2);
    ports.push_back(1);
    return run({row(4), {}, {{3_ns, 0, 2 * hops + 1, bytes, {ports}}}, {}, {}}).fates[0];
  };
  // h = 0: 150 + 98.4 = 248.4; h = 1: 300 + 147.6 = 447.6; h = 3: 600 + 246 = 846.
  EXPECT_EQ(alone(0, 1), departed_and_delivered(3_ns + 25'000_ps, 3_ns + 267'150_ps));
  EXPECT_EQ(alone(0, 512), departed_and_delivered(3_ns + 3'218'750_ps, 3_ns + 3'460'900_ps));
  EXPECT_EQ(alone(1, 32), departed_and_delivered(3_ns + 225'000_ps, 3_ns + 660'100_ps));
  EXPECT_EQ(alone(3, 1), departed_and_delivered(3_ns + 43'750_ps, 3_ns + 864'750_ps));
  EXPECT_EQ(alone(3, 512), departed_and_delivered(3_ns + 3'237'500_ps, 3_ns + 4'058'500_ps));
}

TEST(ReferenceFlits, TheTypeMayBeSeveralBytes) {
  WormParameters parameters;
  parameters.type_bytes = 4;
  const WormResults results = run({star(2), parameters, {{0_ns, 0, 1, 10, {{1}}}}, {}, {}});
  EXPECT_EQ(results.fates[0], departed_and_delivered(100_ns, 248'400_ps + 93'750_ps));
}

// An in-transit host adds 475 + 150 + 98.4 = 723.4 ns, whatever the length: the rest still arrives.
TEST(ReferenceFlits, AnInTransitHostAddsItsDetectionAndProgrammingAndASwitch) {
  // There and back, h = 4: 750 + 295.2 + 723.4 = 1768.6; source: 3 + 1 + 3 + 34 = 41 flits.
  EXPECT_EQ(run({row(3), {}, {{0_ns, 0, 1, 32, {{2, 2, 0}, {3, 3, 1}}}}, {}, {}}).fates[0],
            departed_and_delivered(256'250_ps, 1'768'600_ps + 212'500_ps));
  // Two of them, h = 3: 600 + 246 + 1446.8 = 2292.8; source: 2 + 1 + 2 + 1 + 2 = 8 flits and 3 or 514.
  const auto twice = [](std::uint32_t bytes) {
    return run({row(4), {}, {{0_ns, 0, 7, bytes, {{2, 0}, {2, 0}, {2, 1}}}}, {}, {}});
  };
  EXPECT_EQ(twice(1).fates[0], departed_and_delivered(68'750_ps, 2'292'800_ps + 18'750_ps));
  EXPECT_EQ(twice(512).fates[0], departed_and_delivered(3'262'500_ps, 2'292'800_ps + 3'212'500_ps));
  EXPECT_EQ(twice(1).pools[2], (PoolCounts{1, 0, 1, 8, 475_ns + 8 * 6'250_ps}));
  EXPECT_EQ(twice(1).pools[4], (PoolCounts{1, 0, 1, 5, 475_ns + 5 * 6'250_ps}));
}

// Every switch takes a route byte, every in-transit host a mark.
TEST(ReferenceFlits, CountsTheFlitsThatEachChannelCarries) {
  const WormGraph graph = row(4);
  const WormResults results = run({graph, {}, {{0_ns, 0, 7, 1, {{2, 0}, {2, 0}, {2, 1}}}}, {}, {}});
  std::vector<ChannelCounts> expected(graph.channels());
  expected[graph.from_host(0)].flits = 11;
  expected[0].flits = 10;
  expected[graph.to_host(2)].flits = 9;
  expected[graph.from_host(2)].flits = 8;
  expected[2].flits = 7;
  expected[graph.to_host(4)].flits = 6;
  expected[graph.from_host(4)].flits = 5;
  expected[4].flits = 4;
  expected[graph.to_host(7)].flits = 3;
  EXPECT_EQ(results.channels, expected);
}

// The first is granted at 49.2 and ends at 49.2 + 150 + 12 x 6.25 = 274.2, the others follow at 225 ns each.
TEST(ReferenceFlits, AnOutputServesItsInputsInTurnAndNotByAge) {
  const WormResults results = run({star(4),
                                   {},
                                   {{0_ns, 1, 3, 10, {{3}}},
                                    {10_ns, 0, 3, 10, {{3}}},
                                    {20_ns, 2, 3, 10, {{3}}},
                                    {20_ns, 1, 3, 10, {{3}}}},
                                   {},
                                   {}});
  // 13 flits each: 81.25 ns. Host 1's second packet leaves right behind the first.
  EXPECT_EQ(results.fates[0], departed_and_delivered(81'250_ps, 323'400_ps));
  EXPECT_EQ(results.fates[2], departed_and_delivered(101'250_ps, 548'400_ps));
  EXPECT_EQ(results.fates[1], departed_and_delivered(91'250_ps, 773'400_ps));
  EXPECT_EQ(results.fates[3], departed_and_delivered(162'500_ps, 998'400_ps));
}

TEST(ReferenceFlits, PortZeroIsFirstAtAnOutputThatHasServedNone) {
  const WormResults results = run(
      {star(4),
       {},
       {{0_ns, 0, 3, 10, {{3}}}, {0_ns, 2, 3, 10, {{3}}}, {0_ns, 1, 3, 10, {{3}}}, {0_ns, 0, 3, 10, {{3}}}},
       {},
       {}});
  EXPECT_EQ(results.fates[0].times.delivered, 323'400_ps);
  EXPECT_EQ(results.fates[2].times.delivered, 548'400_ps);
  EXPECT_EQ(results.fates[1].times.delivered, 773'400_ps);
  EXPECT_EQ(results.fates[3].times.delivered, 998'400_ps);
}

// Three headers for three outputs at 49.2, and one for an output that is held until 274.2.
TEST(ReferenceFlits, OneRoutingUnitRoutesOneHeaderAtATimeAndSkipsThoseWhoseOutputIsHeld) {
  WormCase given{
      star(6),
      {},
      {{0_ns, 0, 3, 10, {{3}}}, {0_ns, 1, 3, 10, {{3}}}, {0_ns, 2, 4, 10, {{4}}}, {0_ns, 3, 5, 10, {{5}}}},
      {},
      {}};
  WormResults results = run(given);
  EXPECT_EQ(results.fates[0].times.delivered, 323'400_ps);
  EXPECT_EQ(results.fates[1].times.delivered, 548'400_ps);
  EXPECT_EQ(results.fates[2].times.delivered, 323'400_ps);
  EXPECT_EQ(results.fates[3].times.delivered, 323'400_ps);
  // Grants at 49.2 (input 0), 199.2 (input 2), 349.2 (input 3, before input 1 in turn), 499.2 (input 1).
  given.parameters.one_routing_unit = true;
  results = run(given);
  EXPECT_EQ(results.fates[0].times.delivered, 323'400_ps);
  EXPECT_EQ(results.fates[2].times.delivered, 473'400_ps);
  EXPECT_EQ(results.fates[3].times.delivered, 623'400_ps);
  EXPECT_EQ(results.fates[1].times.delivered, 773'400_ps);
}

// Host 1 holds the output from 49.2 to 49.2 + 150 + 402 x 6.25 = 2711.7, the grant g of host 0's packet.
// That starts at 10. Its 57th flit arrives at 10 + 49.2 + 56 x 6.25 = 409.2 and makes the switch say stop,
// heard at 458.4: the 72nd flit, started at 453.75, is the last. From g + 150 on the buffer empties: route
// byte and first flit at once, and with the 32nd flit, at g + 343.75, 39 are left: go is heard at g + 392.95
// = 3104.65.
WormCase blocked() {
  return {star(3), {}, {{0_ns, 1, 2, 400, {{2}}}, {10_ns, 0, 2, 500, {{2}}}}, {}, {}};
}

TEST(ReferenceFlits, AStoppedSenderLeaves72FlitsInTheBufferAndStartsWhenItHearsGo) {
  const WormCase given = blocked();
  ReferenceFlits reference(given);
  const WormResults results = reference.run();
  EXPECT_EQ(reference.most_in_a_buffer(), 72);
  EXPECT_EQ(results.fates[0], departed_and_delivered(403 * 6'250_ps, 2'760'900_ps));
  // 503 flits, of which 431 start from 3104.65 on. The buffer never runs dry: g + 150 + 49.2 + 502 x 6.25.
  EXPECT_EQ(results.fates[1], departed_and_delivered(3'104'650_ps + 431 * 6'250_ps,
                                                     2'711'700_ps + 199'200_ps + 502 * 6'250_ps));
  std::vector<ChannelCounts> expected(given.graph.channels());
  expected[given.graph.from_host(0)] = {503, 3'104'650_ps - 458'400_ps};
  expected[given.graph.from_host(1)] = {403, 0_ns};
  expected[given.graph.to_host(2)] = {904, 0_ns};
  EXPECT_EQ(results.channels, expected);
}

// If go is said only when the buffer is empty, at g + 150 + 70 x 6.25 = g + 587.5, the 73rd flit starts at
// g + 636.7 and is there, and starts onward, at g + 685.9: the worm has a gap.
TEST(ReferenceFlits, ALateGoLeavesAGapInTheWorm) {
  WormCase given = blocked();
  given.parameters.go_below = 1;
  EXPECT_EQ(run(given).fates[1],
            departed_and_delivered(2'711'700_ps + 636'700_ps + 431 * 6'250_ps,
                                   2'711'700_ps + 685'900_ps + 431 * 6'250_ps + 49'200_ps));
}

// The mark comes to host 1 at 248.4, ready at 723.4. Alone: 723.4 + 49.2 + 150 + 49.2 + 34 x 6.25 = 1184.3.
TEST(ReferenceFlits, APacketInTransitWaitsForABusyInterface) {
  WormCase given{star(3), {}, {{0_ns, 0, 2, 32, {{1}, {2}}}}, {}, {}};
  EXPECT_EQ(run(given).fates[0].times.delivered, 1'184'300_ps);
  // Host 1 sends 603 flits from 500 to 4268.75; the switch passes on 602 of them from 699.2 to 4461.7 and
  // looks only then at the route byte that followed: 4461.7 + 150 + 49.2 + 34 x 6.25.
  given.plan.push_back({500_ns, 1, 0, 600, {{0}}});
  const WormResults results = run(given);
  EXPECT_EQ(results.fates[0], departed_and_delivered(231'250_ps, 4'461'700_ps + 199'200_ps + 212'500_ps));
  EXPECT_EQ(results.fates[1].times.departed, 4'268'750_ps);
  EXPECT_EQ(results.pools[1], (PoolCounts{1, 0, 1, 35, 4'268'750_ps + 35 * 6'250_ps - 248'400_ps}));
}

// Host 1's interface is busy until 603 x 6.25 = 3768.75; then two packets in transit and three of its own
// wait, each 4 flits long. The first leaves the switch's input free at 199.2 + 602 x 6.25 = 3961.7; then each
// takes 150 + 3 x 6.25 = 168.75, and the first is there at 3961.7 + 150 + 49.2 + 18.75 = 4179.65.
TEST(ReferenceFlits, PacketsInTransitGoFirstUnlessTooManyLocalOnesWait) {
  WormCase given{star(4),
                 {},
                 {{0_ns, 1, 3, 600, {{3}}},
                  {0_ns, 0, 2, 1, {{1}, {2}}},
                  {0_ns, 0, 2, 1, {{1}, {2}}},
                  {1_ns, 1, 2, 1, {{2}}},
                  {1_ns, 1, 2, 1, {{2}}},
                  {1_ns, 1, 2, 1, {{2}}}},
                 {},
                 {}};
  const auto expect_order = [&given](std::size_t threshold, const std::vector<std::size_t>& order) {
    given.parameters.priority_threshold = threshold;
    const WormResults results = run(given);
    for (std::size_t place = 0; place < order.size(); ++place)
      EXPECT_EQ(results.fates[order[place]].times.delivered,
                4'179'650_ps + static_cast<std::int64_t>(place) * 168'750_ps)
          << "place " << place << ", threshold " << threshold;
  };
  expect_order(4, {1, 2, 3, 4, 5});
  expect_order(3, {1, 3, 2, 4, 5});
  expect_order(2, {1, 3, 2, 4, 5});
}

TEST(ReferenceFlits, TheMoreLocalPacketsWaitTheSoonerOneGoes) {
  const auto expect_order = [](std::size_t locals, const std::vector<std::size_t>& order) {
    WormCase given{star(4), {}, {{0_ns, 1, 3, 600, {{3}}}}, {}, {}};
    given.parameters.priority_threshold = 3;
    given.plan.insert(given.plan.end(), 4, {0_ns, 0, 2, 1, {{1}, {2}}});
    given.plan.insert(given.plan.end(), locals, {1_ns, 1, 2, 1, {{2}}});
    const WormResults results = run(given);
    for (std::size_t place = 0; place < order.size(); ++place)
      EXPECT_EQ(results.fates[order[place]].times.delivered,
                4'179'650_ps + static_cast<std::int64_t>(place) * 168'750_ps)
          << "place " << place << " of " << locals << " local packets";
  };
  expect_order(1, {1, 2, 3, 5, 4});
  expect_order(2, {1, 2, 5, 3, 4, 6});
  expect_order(3, {1, 5, 2, 3, 6, 4, 7});
}

// Ready at 723.4, when a local packet comes too and is one too many: the turn is that of what is in transit.
TEST(ReferenceFlits, AnInterfaceThatHasSentNothingBeginsWithAPacketInTransit) {
  WormCase given{star(3), {}, {{0_ns, 0, 2, 1, {{1}, {2}}}, {723'400_ps, 1, 0, 1, {{0}}}}, {}, {}};
  given.parameters.priority_threshold = 1;
  const WormResults results = run(given);
  EXPECT_EQ(results.fates[0].times.delivered, 723'400_ps + 248'400_ps + 18'750_ps);
  EXPECT_EQ(results.fates[1].times.departed, 723'400_ps + 50_ns);
}

// The mark comes at 248.4 and 203 flits behind it, the last at 248.4 + 203 x 6.25 = 1517.15.
TEST(ReferenceFlits, APacketThatDoesNotFitThePoolIsDiscardedOrGoesThroughHostMemory) {
  WormCase given{star(3), {}, {{0_ns, 0, 2, 200, {{1}, {2}}}}, {}, {}};
  const SimTime departed = 205 * 6'250_ps;
  given.parameters.pool = 203;
  WormResults results = run(given);
  EXPECT_EQ(results.fates[0], departed_and_delivered(departed, 723'400_ps + 248'400_ps + 202 * 6'250_ps));
  EXPECT_EQ(results.pools[1], (PoolCounts{1, 0, 1, 203, 475_ns + 203 * 6'250_ps}));
  given.parameters.pool = 202;
  results = run(given);
  EXPECT_EQ(results.fates[0], departed_and_lost(departed, 1'523'400_ps, WormLoss::pool_overflow));
  EXPECT_EQ(results.pools[1], (PoolCounts{1, 1, 0, 0, {}}));
  given.parameters.overflow_to_host_memory = true;
  results = run(given);
  EXPECT_EQ(results.fates[0],
            departed_and_delivered(departed, 1'523'400_ps + 10_us + 248'400_ps + 202 * 6'250_ps));
  EXPECT_EQ(results.pools[1], (PoolCounts{1, 1, 0, 0, {}}));
}

// The first packet starts onward at 723.4 and is gone 203 flits later, at 1992.15. A second one's mark comes
// 248.4 after its injection.
TEST(ReferenceFlits, ThePoolHasRoomAgainAtTheInstantInWhichAPacketIsGone) {
  WormCase given{star(3), {}, {{0_ns, 0, 2, 200, {{1}, {2}}}, {}}, {}, {}};
  given.parameters.pool = 405;
  given.plan[1] = given.plan[0];
  given.plan[1].at = 1'743'750_ps;
  const SimTime in_pool = 475_ns + 203 * 6'250_ps;
  EXPECT_EQ(run(given).pools[1], (PoolCounts{2, 0, 1, 203, 2 * in_pool}));
  given.plan[1].at = 1'743'749_ps;
  EXPECT_EQ(run(given).pools[1], (PoolCounts{2, 1, 1, 203, in_pool}));
  given.parameters.pool = 406;
  EXPECT_EQ(run(given).pools[1], (PoolCounts{2, 0, 2, 406, 2 * in_pool}));
}

}  // namespace
}  // namespace morgana::testing
