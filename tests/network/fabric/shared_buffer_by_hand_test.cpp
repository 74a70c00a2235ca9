#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/packet.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/fabric_outcome.h"

// Values worked out by hand from docs/fabric.md, "Shared buffers, pauses, marks". Links carry a byte in a
// nanosecond and propagate in 10 ns, switches take 100 ns, packets have 1,000 bytes and no gap: a packet that
// starts at a host at b is ready at its switch at b + 110. A pause frame takes 64 ns, and 10 ns to arrive.

namespace morgana::testing {
namespace {

using fabric::FabricParameters;
using namespace by_hand;
using namespace literals;

/// Without flow control, and so with an account for each output and class.
FabricParameters dropping(Bytes pool) {
  FabricParameters parameters;
  parameters.queueing = fabric::Queueing::output_queues;
  parameters.flow_control = fabric::FlowControl::none;
  parameters.shared.size = pool;
  return parameters;
}

/// Host 1's link takes two nanoseconds for a byte.
CabledGraph star_with_slow_host(unsigned hosts) {
  CabledGraph network = star(hosts);
  network.hosts[1].rate = byte_in_two_ns;
  return network;
}

std::vector<FabricInjection> packets_to_slow_host(std::size_t count, unsigned traffic_class = 0) {
  return std::vector<FabricInjection>(count, unit(0, 0, 1, traffic_class));
}

// The channels to hosts are numbered like their ports.
constexpr std::size_t to_host_0 = 0;

// ---- pauses

// Host 0 sends five packets to the slow host 1: ready at 110, 1,110, ..., on the output from 110, 2,110, ....
// Pool of 4,500, alpha = 1. At 1,110 the account holds 2,000, theta = 2,500. At 2,110 packet 0 ends: 1,000,
// and with packet 2 again 2,000. At 3,110 packet 3 would make it 3,000 > 2,500: it goes to the headroom, and
// the frame leaves. Pause from 3,184 on: packet 3 is in transmission, packet 4 waits. At 4,110 packet 1 ends
// and leaves the headroom: s = 2,000 <= 2,500, and the frame leaves: packet 4 starts at 4,184. At 4,294 it is
// in the headroom, the third frame. Packet 2 ends at 6,110, the fourth.
TEST(SharedBufferByHand, APauseBeginsAfterThePacketInTransmission) {
  const FabricOutcome outcome = carried(star_with_slow_host(2), pausing(2, 4'500_B), packets_to_slow_host(5));
  EXPECT_EQ(starts(outcome, 0), (Times{0, 1'000, 2'000, 3'000, 4'184}));
  EXPECT_EQ(starts(outcome, 1), (Times{110, 2'110, 4'110, 6'110, 8'110}));
  EXPECT_EQ(outcome.pause_frames[to_host_0], 4U);
}

// s = 2,000 at 4,110 and 1,000 (packet 3, in the reserve and pool once packet 1 has left the headroom) at
// 6,110; theta 2,500 and 3,500.
TEST(SharedBufferByHand, APauseEndsSoMuchBelowTheThreshold) {
  FabricParameters parameters = pausing(2, 4'500_B);
  const auto last_start = [&](Bytes resume) {
    parameters.shared.resume = resume;
    return starts(carried(star_with_slow_host(2), parameters, packets_to_slow_host(5)), 0).back();
  };
  EXPECT_EQ(last_start(500_B), 4'184);
  EXPECT_EQ(last_start(501_B), 6'184);
  EXPECT_EQ(last_start(2'500_B), 6'184);
  // At 8,110 the account is empty, which ends every pause.
  EXPECT_EQ(last_start(2'501_B), 8'184);
}

// Packet 4 would start at 4,000. Its pause begins at 3,184 + delay, and ends at 4,184 + delay.
TEST(SharedBufferByHand, APauseTakesEffectAfterItsDelay) {
  FabricParameters parameters = pausing(2, 4'500_B);
  const auto last_start = [&](SimTime delay) {
    parameters.shared.pause_delay = delay;
    return starts(carried(star_with_slow_host(2), parameters, packets_to_slow_host(5)), 0).back();
  };
  EXPECT_EQ(last_start(816_ns), 5'000);
  EXPECT_EQ(last_start(817_ns), 4'000);
  // A frame of 880 bytes takes as long.
  parameters.shared.pause_frame = 880_B;
  EXPECT_EQ(last_start(0_ns), 5'000);
  parameters.shared.pause_frame = 881_B;
  EXPECT_EQ(last_start(0_ns), 4'000);
}

// Host 2 sends two packets to host 0: on its channel from 2,610 to 3,610, and the next is ready at 3,610. The
// frame of 3,110 waits for the first and goes before the second. Their account takes 1,000 of the pool until
// 4,674: theta = 1,500 at 4,110, so that the pause ends at 4,674, when the account of another input shrinks.
TEST(SharedBufferByHand, AFrameWaitsForThePacketOnItsChannelAndGoesBeforeTheNext) {
  std::vector<FabricInjection> plan = packets_to_slow_host(5);
  plan.push_back(unit(2'500, 2, 0));
  plan.push_back(unit(2'500, 2, 0));
  const FabricOutcome outcome = carried(star_with_slow_host(3), pausing(3, 4'500_B), plan);
  EXPECT_EQ(starts(outcome, 1), (Times{110, 2'110, 4'110, 6'110, 8'110, 2'610, 3'674}));
  EXPECT_EQ(starts(outcome, 0), (Times{0, 1'000, 2'000, 3'000, 4'748, 2'500, 3'500}));
}

// The fifth packet goes to host 2, whose channel is idle all the time: without pauses it would start at 4,000
// and be delivered at 5,120.
TEST(SharedBufferByHand, APauseHoldsTheFlowsBehindItBack) {
  std::vector<FabricInjection> plan = packets_to_slow_host(4);
  plan.push_back(unit(0, 0, 2));
  FabricParameters parameters = pausing(3, 4'500_B);
  EXPECT_EQ(delivered(carried(star_with_slow_host(3), parameters, plan)).back(), 4'184 + 1'120);
  parameters.shared.resume = 501_B;
  EXPECT_EQ(delivered(carried(star_with_slow_host(3), parameters, plan)).back(), 6'184 + 1'120);
  // A class of its own has an account of its own.
  parameters.classes = 2;
  parameters.shared.size = 6 * 3'000_B + 4'500_B;
  plan.back() = unit(3'500, 0, 2, 1);
  EXPECT_EQ(delivered(carried(star_with_slow_host(3), parameters, plan)).back(), 4'000 + 1'120);
}

// Class 1 is paused from 3,184 to 4,184; class 0 is not, and sends from 4,000 to 5,000.
TEST(SharedBufferByHand, TheStrictPriorityIsNotPausedWithTheOtherClass) {
  FabricParameters parameters = pausing(6, 4'500_B);
  parameters.classes = 2;
  parameters.lane_arbitration = fabric::LaneArbitration::strict;
  std::vector<FabricInjection> plan = packets_to_slow_host(5, 1);
  plan.push_back(unit(3'500, 0, 2, 0));
  const FabricOutcome outcome = carried(star_with_slow_host(3), parameters, plan);
  EXPECT_EQ(starts(outcome, 0), (Times{0, 1'000, 2'000, 3'000, 5'000, 4'000}));
  // The other way round: the priority is paused, and the other class sends meanwhile.
  for (FabricInjection& one : plan) one.traffic_class = 1 - one.traffic_class;
  EXPECT_EQ(starts(carried(star_with_slow_host(3), parameters, plan), 0),
            (Times{0, 1'000, 2'000, 3'000, 5'000, 4'000}));
}

// ---- headroom

/// Host 1's link takes a microsecond for a byte, so that nothing becomes free in time.
CabledGraph star_with_stopped_host() {
  CabledGraph network = star(3);
  network.hosts[1].rate = BitRate(8'000'000);
  return network;
}

// Pool of 2,001, alpha = 1: packet 0 takes 1,000 of it, and theta = 1,001 is more. Packet 1 (1,000 .. 2,000)
// goes to the headroom at 1,110. The longest that the frame can wait: host 2 sent to host 0 at 999.999, and
// its packet starts at 1,109.999, so that the frame starts at 2,109.999, and the pause begins at 2,183.999.
// The most that can come until then: packet 2 (2,000 .. 2,183), and all of packet 3, as it starts at 2,183.
// Together 1,000 + 183 + 1,000. Had packet 2 a byte more, packet 3 would be paused until packet 0 has ended.
TEST(SharedBufferByHand, HeadroomTakesWhatComesAfterTheFrameOrThePacketIsLost) {
  const auto carried_with = [](Bytes headroom, std::int64_t second) {
    FabricParameters parameters = pausing(0, 0_B);
    parameters.shared.headroom = headroom;
    parameters.shared.size = 3 * headroom + 2'001_B;
    std::vector<FabricInjection> plan = packets_to_slow_host(2);
    plan.push_back(unit(0, 0, 1, 0, second));
    plan.push_back(unit(0, 0, 1));
    plan.push_back({SimTime::from_ps(999'999), 2, 0, 1'000_B, 0});
    return carried(star_with_stopped_host(), parameters, plan);
  };
  const FabricOutcome enough = carried_with(2'183_B, 183);
  EXPECT_EQ(enough.fates[3].hops[0].start, 2'183_ns);
  EXPECT_FALSE(enough.fates[3].lost);
  // A byte less: it is ready at 2,293, and its tail is there at 3,193.
  EXPECT_EQ(carried_with(2'182_B, 183).fates[3].lost, 3'193_ns);
  const FabricOutcome paused = carried_with(2'184_B, 184);
  EXPECT_GT(paused.fates[3].hops[0].start, 1'000'000_ns);
  EXPECT_FALSE(paused.fates[3].lost);
}

/// @return whether a single packet, alone in the pool, is too much for its account
bool pauses_at_once(const CabledGraph& network, FabricParameters parameters, Bytes headroom, Bytes pool) {
  parameters.shared.headroom = 0_B;
  parameters.shared.size = 2 * headroom + pool;
  return carried(network, parameters, {unit(0, 0, 1)}).pause_frames[to_host_0] > 0;
}

// The computed headroom shows in the pool: with one of 2,000 bytes a packet of 1,000 reaches theta = 1,000,
// with 2,001 it stays below 1,001. D = 1,000 (a packet on the way back) + 64 + 20 + 100, and two packets:
// 3,184. That is 1,001 more than the case above needs.
TEST(SharedBufferByHand, HeadroomIsComputedFromTheCable) {
  FabricParameters parameters = pausing(0, 0_B);
  const auto expect_headroom = [&](const CabledGraph& network, std::int64_t bytes) {
    EXPECT_TRUE(pauses_at_once(network, parameters, Bytes(bytes), 2'000_B)) << bytes;
    EXPECT_FALSE(pauses_at_once(network, parameters, Bytes(bytes), 2'001_B)) << bytes;
  };
  expect_headroom(star(2), 3'184);
  // 8.001 Gb/s: 999,875 + 63,992 + 20,000 + 100,000 ps carry 1,184.02 bytes: 1,185.
  CabledGraph odd = star(2);
  for (Link& link : odd.hosts) link.rate = BitRate(8'001'000'000);
  expect_headroom(odd, 3'185);
  parameters.shared.pause_delay = 500_ns;
  parameters.packet.gap = 20_B;
  expect_headroom(star(2), 3'184 + 500 + 20);
  // The tail is waited for.
  parameters.forwarding = fabric::Forwarding::store_and_forward;
  expect_headroom(star(2), 3'184 + 500 + 20 + 1'000);
}

// Packets of 100 bytes, frames of 2,000. Class 1 has its second packet in the headroom at 210: a frame until
// 2,210. Class 0 reaches theta at 310 with its first one (100 of 201 bytes, as many as class 1 has): its
// frame starts at 2,210, and has its effect at 4,220. Its packets that start at 300, 400, ..., 4,200 have to
// fit into the headroom: 4,000 bytes. Computed: D = 2,000 (the frame in transmission) + 2,000 + 20 + 100:
// 4,320 bytes.
TEST(SharedBufferByHand, HeadroomIsEnoughBehindALongerPauseFrame) {
  FabricParameters parameters = pausing(0, 0_B);
  parameters.classes = 2;
  parameters.shared.pause_frame = 2'000_B;
  std::vector<FabricInjection> plan(2, unit(0, 0, 1, 1, 100));
  plan.resize(62, unit(150, 0, 1, 0, 100));
  const auto lost = [&](std::int64_t headroom) {
    parameters.shared.headroom = Bytes(headroom);
    const std::int64_t of_all = headroom > 0 ? 6 * headroom : 4 * 4'320 + 2 * 4'201;
    parameters.shared.size = Bytes(of_all) + 201_B;
    std::size_t count = 0;
    const FabricOutcome outcome = carried(star_with_stopped_host(), parameters, plan);
    EXPECT_EQ(outcome.fates[42].hops[0].start, 4'200_ns);
    EXPECT_GT(outcome.fates[43].hops[0].start, 100'000_ns);
    for (const FabricFate& fate : outcome.fates) count += fate.lost ? 1 : 0;
    return count;
  };
  EXPECT_EQ(lost(0), 0U);
  EXPECT_EQ(lost(4'000), 0U);
  EXPECT_EQ(lost(3'999), 1U);
}

// The first 1,000 bytes of each account are not of the pool: one packet never asks for a pause. With a second
// one s = 1,000, theta = 1,000 or 1,001.
TEST(SharedBufferByHand, ReservesAreNotOfThePool) {
  FabricParameters parameters = pausing(2, 2'000_B);
  parameters.shared.reserve = 1'000_B;
  const auto frames = [&](std::size_t packets, Bytes pool) {
    parameters.shared.size = 2 * 4'000_B + pool;
    return carried(star_with_slow_host(2), parameters, packets_to_slow_host(packets)).pause_frames[to_host_0];
  };
  EXPECT_EQ(frames(1, 2'000_B), 0U);
  EXPECT_EQ(frames(2, 2'000_B), 2U);
  EXPECT_EQ(frames(2, 2'001_B), 0U);
}

// ---- dynamic thresholds

/// Two hosts for each of so many outputs (hosts 4 and 5), as fast as they can. @return the first lost packet
std::size_t first_lost(const FabricParameters& parameters, unsigned outputs, SimTime at) {
  std::vector<FabricInjection> plan;
  for (unsigned round = 0; round < 8; ++round)
    for (const HostNumber second : {0U, 1U})
      for (HostNumber output = 0; output < outputs; ++output)
        plan.push_back(unit(0, 2 * output + second, 4 + output));
  const FabricOutcome outcome = carried(star(6), parameters, plan);
  for (std::size_t packet = 0; packet < plan.size(); ++packet) {
    if (!outcome.fates[packet].lost) continue;
    EXPECT_EQ(outcome.fates[packet].lost, at);
    return packet;
  }
  return plan.size();
}

// Choudhury and Hahne: of n full outputs each holds alpha p / (1 + alpha n): with alpha = 1 a half of the
// pool alone, a third of it beside another. Each output sends one packet and gets two in 1,000 ns. Two
// outputs, pool of 9,000: each holds 2,000 after 110 ns, 3,000 after 1,110. At 2,110 it has sent one, 2,000,
// and may have as much as 9,000 - 5,000 with a packet of the other one: 3,000. Its second packet finds
// theta = 3,000 < 4,000: round 2, packets 10 and 11 of the plan; the tail is there at 3,010.
// One output: 2,000, 3,000, 4,000; at 3,110 3,000 + 1,000, then 5,000 <= 9,000 - 4,000; at 4,110
// 4,000 + 1,000 <= 5,000, then 6,000 > 4,000: round 4, packet 9.
TEST(SharedBufferByHand, FullOutputsHoldEqualSharesOfThePool) {
  FabricParameters parameters = dropping(9'000_B);
  EXPECT_EQ(first_lost(parameters, 2, 3'010_ns), 10U);
  EXPECT_EQ(first_lost(parameters, 1, 5'010_ns), 9U);
  // alpha = 1/2, one output: a third again. 1,000 <= 4,500 and 2,000 <= 4,000; 1,000 + 1,000 and
  // 3,000 <= 3,500; at 2,110 2,000 + 1,000 <= 3,500, then 4,000 > 3,000: round 2, packet 5.
  parameters.shared.alpha = 0.5;
  EXPECT_EQ(first_lost(parameters, 1, 3'010_ns), 5U);
  // alpha = 4, one output, pool of 4,000: theta = 8,000 would allow 4,000 when 2,000 are held. At 1,110
  // 1,000 + 1,000, 3,000; at 2,110 2,000 + 1,000, then 4,000 <= 4 * 1,000; at 3,110 4,000 again, then
  // 5,000 > 0: round 3, packet 7.
  parameters.shared.alpha = 4;
  parameters.shared.size = 4'000_B;
  EXPECT_EQ(first_lost(parameters, 1, 4'010_ns), 7U);
}

// alpha = 4, reserve of 500 and a pool of 2,900: with 3,000 held s = 2,500, theta = 1,600 allows no more.
// With 2,000 held s = 1,500, theta = 5,600 would allow 3,000 (s = 2,500), and a packet of 1,400 besides would
// pass the threshold, but not the end of the pool.
TEST(SharedBufferByHand, ThePoolDoesNotOverflow) {
  FabricParameters parameters = dropping(3 * 500_B + 2'900_B);
  parameters.shared.reserve = 500_B;
  parameters.shared.alpha = 4;
  // Both ready at 110, after 2,000 bytes: 2,000 + S <= 500 + 5,600 for S <= 4,100; 1,500 + S <= 2,900.
  const auto is_lost = [&](std::int64_t bytes) {
    const std::vector<FabricInjection> plan{unit(0, 0, 2, 0, 2'000), unit(0, 1, 2, 0, bytes)};
    return carried(star(3), parameters, plan).fates[1].lost.has_value();
  };
  EXPECT_FALSE(is_lost(1'400));
  EXPECT_TRUE(is_lost(1'401));
}

// ---- marks

/// Three packets of each of hosts 0 and 1 to host 2.
std::vector<bool> marked(const fabric::MarkParameters& marks, unsigned last_class = 0) {
  FabricParameters parameters = dropping(0_B);
  parameters.marks = marks;
  parameters.classes = 2;
  std::vector<FabricInjection> plan;
  for (int round = 0; round < 3; ++round)
    for (const HostNumber from : {0U, 1U}) plan.push_back(unit(0, from, 2));
  plan.back().traffic_class = last_class;
  std::vector<bool> all;
  for (const FabricFate& fate : carried(star(3), parameters, plan).fates) {
    EXPECT_TRUE(fate.delivered);
    all.push_back(fate.marked);
  }
  return all;
}
using Marks = std::vector<bool>;

// Two packets join at 110, 1,110 and 2,110. They find 0 and 1,000 bytes waiting; 1,000 (one of two has
// started) and 2,000; 2,000 and 3,000.
TEST(SharedBufferByHand, PacketsThatJoinALongQueueAreMarked) {
  const auto beyond = [](Bytes bytes) { return fabric::MarkParameters{.from = bytes, .to = bytes}; };
  EXPECT_EQ(marked(beyond(1'000_B)), (Marks{false, false, false, true, true, true}));
  EXPECT_EQ(marked(beyond(999_B)), (Marks{false, true, true, true, true, true}));
  EXPECT_EQ(marked(beyond(2'999_B)), (Marks{false, false, false, false, false, true}));
  EXPECT_EQ(marked(beyond(3'000_B)), Marks(6));
  EXPECT_EQ(marked({}), Marks(6));
  // Each class has a queue of its own.
  EXPECT_EQ(marked(beyond(999_B), 1), (Marks{false, true, true, true, true, false}));
}

// They leave one after the other behind them 1,000, 2,000, 3,000, 2,000, 1,000, 0 bytes.
TEST(SharedBufferByHand, PacketsThatLeaveALongQueueBehindAreMarked) {
  const auto beyond = [](Bytes bytes) {
    return fabric::MarkParameters{.from = bytes, .to = bytes, .when = fabric::MarkWhen::leaving};
  };
  EXPECT_EQ(marked(beyond(1'000_B)), (Marks{false, true, true, true, false, false}));
  EXPECT_EQ(marked(beyond(999_B)), (Marks{true, true, true, true, true, false}));
  EXPECT_EQ(marked(beyond(2'000_B)), (Marks{false, false, true, false, false, false}));
}

// From 1,000 to 5,000 bytes the probability grows to 0.4: 0.2 at 3,000. Four standard deviations.
TEST(SharedBufferByHand, BetweenTheBoundsMarksAreDrawn) {
  const fabric::MarkParameters marks{.from = 1'000_B, .to = 5'000_B, .share = 0.4};
  constexpr unsigned packets = 4'000;
  const auto expect_share = [&](Bytes queued, double share) {
    unsigned count = 0;
    for (std::uint64_t number = 0; number < packets; ++number)
      count += fabric::is_marked(marks, queued, number, 1) ? 1 : 0;
    EXPECT_NEAR(count, packets * share, 4 * std::sqrt(packets * share * (1 - share)));
  };
  expect_share(1'000_B, 0);
  expect_share(2'000_B, 0.1);
  expect_share(3'000_B, 0.2);
  expect_share(5'000_B, 0.4);
  expect_share(5'001_B, 1);
}

}  // namespace
}  // namespace morgana::testing
