#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "tests/network/fabric/by_hand.h"
#include "tests/network/fabric/fabric_outcome.h"

// Values worked out by hand from docs/fabric.md, "Storms" and "Watchdogs". Links carry a byte in a nanosecond
// and propagate in 10 ns, switches take 100 ns, packets have 1,000 bytes and no gap: a packet that starts at
// a host at b is ready at its switch at b + 110, and its tail is there at b + 1,010. A pause frame takes
// 64 ns, and 10 ns to arrive. Buffers are so large that switches pause nothing unless a test says so.

namespace morgana::testing {
namespace {

using namespace by_hand;
using namespace literals;

/// Of host 1. @param classes  a bit each
fabric::PauseStorm storm(std::int64_t from_ns, std::int64_t until_ns, std::uint32_t classes = 1) {
  return {.host = 1,
          .classes = classes,
          .from = SimTime::from_ps(1'000 * from_ns),
          .until = until_ns == never ? SimTime::max() : SimTime::from_ps(1'000 * until_ns)};
}

fabric::FabricParameters stormy(const std::vector<fabric::PauseStorm>& storms, unsigned classes = 1) {
  fabric::FabricParameters parameters = pausing(3 * classes, 1'000'000_B);
  parameters.classes = classes;
  parameters.storms = storms;
  return parameters;
}

/// From host 0 to host 1, whose switch could start them at 110, 1,110, ....
std::vector<FabricInjection> packets_to_host_1(std::size_t count, unsigned traffic_class = 0) {
  return std::vector<FabricInjection>(count, unit(0, 0, 1, traffic_class));
}

/// The starts of five packets to host 1 at its switch.
Times five_starts(const std::vector<fabric::PauseStorm>& storms) {
  return starts(carried(star(3), stormy(storms), packets_to_host_1(5)), 1);
}

std::uint64_t frames_of_host_1(const fabric::FabricParameters& parameters,
                               const std::vector<FabricInjection>& plan) {
  const CabledGraph network = star(3);
  return carried(network, parameters, plan).pause_frames[network.graph.channel_from(HostNumber{1})];
}

// ---- storms

// The frame of 2,036 has its effect at 2,110, when packet 2 could start; that of 12,036 at 12,110.
TEST(StormsByHand, AStormHoldsBackWhatHasNotStartedWhenItsFrameArrives) {
  EXPECT_EQ(five_starts({}), (Times{110, 1'110, 2'110, 3'110, 4'110}));
  EXPECT_EQ(five_starts({storm(2'036, 12'036)}), (Times{110, 1'110, 12'110, 13'110, 14'110}));
  // Packet 2 starts a nanosecond before the effect, and goes on.
  EXPECT_EQ(five_starts({storm(2'037, 12'037)}), (Times{110, 1'110, 2'110, 12'111, 13'111}));
  EXPECT_EQ(five_starts({storm(0, never)}), (Times(5, never)));
  EXPECT_EQ(frames_of_host_1(stormy({storm(2'036, 12'036)}), packets_to_host_1(5)), 2U);
  EXPECT_EQ(frames_of_host_1(stormy({storm(0, never)}), packets_to_host_1(5)), 1U);
}

// The frame that ends the pause starts behind the first one, at 2,064.
TEST(StormsByHand, AStormShorterThanAFrameLastsAsLongAsTheFrame) {
  EXPECT_EQ(five_starts({storm(2'000, 2'001)}), (Times{110, 1'110, 2'138, 3'138, 4'138}));
  fabric::FabricParameters parameters = stormy({storm(2'000, 2'001)});
  parameters.shared.pause_delay = 500_ns;
  EXPECT_EQ(starts(carried(star(3), parameters, packets_to_host_1(5)), 1),
            (Times{110, 1'110, 2'110, 3'110, 4'110}))
      << "a pause from 2,574 to 2,638";
}

// Host 1 sends two packets itself, from 1,500 on: the frame goes between them.
TEST(StormsByHand, AFrameWaitsForThePacketOnTheHostsChannelAndGoesBeforeTheNext) {
  std::vector<FabricInjection> plan = packets_to_host_1(4);
  plan.push_back(unit(1'500, 1, 2));
  plan.push_back(unit(1'500, 1, 2));
  const FabricOutcome outcome = carried(star(3), stormy({storm(2'000, 6'000)}), plan);
  EXPECT_EQ(starts(outcome, 0), (Times{0, 1'000, 2'000, 3'000, 1'500, 2'564}));
  // Pause from 2,574 to 6,074.
  EXPECT_EQ(starts(outcome, 1), (Times{110, 1'110, 2'110, 6'074, 1'610, 2'674}));
  // It is over before a frame can start.
  EXPECT_EQ(frames_of_host_1(stormy({storm(2'000, 2'500)}), plan), 0U);
  EXPECT_EQ(frames_of_host_1(stormy({storm(2'000, 2'501)}), plan), 2U);
}

TEST(StormsByHand, OverlappingStormsAreOne) {
  const Times one = {110, 1'110, 7'074, 8'074, 9'074};
  for (const std::int64_t second : {2'000, 4'000, 5'000}) {
    const std::vector<fabric::PauseStorm> storms{storm(second, 7'000), storm(2'000, 5'000)};
    EXPECT_EQ(five_starts(storms), one);
    EXPECT_EQ(frames_of_host_1(stormy(storms), packets_to_host_1(5)), 2U);
  }
  // Frames of 5,000 and 5,001: the second one waits for the first.
  EXPECT_EQ(five_starts({storm(2'000, 5'000), storm(5'001, 7'000)}),
            (Times{110, 1'110, 5'074, 7'074, 8'074}));
}

// The second storm changes nothing at 3,000. Host 1 has sent until then, and has a packet of class 1 that
// waits. One of class 0 joins it at that instant, and goes first.
TEST(StormsByHand, AHostChoosesWhenAllPacketsOfTheInstantAreThere) {
  std::vector<FabricInjection> plan(2, unit(2'000, 1, 2, 1));
  plan.push_back(unit(3'000, 1, 2, 0));
  fabric::FabricParameters parameters = stormy({storm(0, never), storm(3'000, 5'000)}, 2);
  parameters.lane_arbitration = fabric::LaneArbitration::strict;
  EXPECT_EQ(starts(carried(star(3), parameters, plan), 0), (Times{2'000, 4'000, 3'000}));
}

// Class 0 goes before class 1. It is paused from 2,074 to 6,074, class 1 from 4,074 to 8,074.
TEST(StormsByHand, EachClassIsPausedForItself) {
  const std::vector<fabric::PauseStorm> storms{storm(2'000, 6'000, 1), storm(4'000, 8'000, 2)};
  fabric::FabricParameters parameters = stormy(storms, 2);
  parameters.lane_arbitration = fabric::LaneArbitration::strict;
  std::vector<FabricInjection> plan = packets_to_host_1(4);
  for (int more = 0; more < 4; ++more) plan.push_back(unit(0, 2, 1, 1));
  // Class 0: 110, 1,110; class 1: 2,110, 3,110; then class 0 at 6,074, 7,074, and class 1 at 8,074.
  EXPECT_EQ(starts(carried(star(3), parameters, plan), 1),
            (Times{110, 1'110, 6'074, 7'074, 2'110, 3'110, 8'074, 9'074}));
  EXPECT_EQ(frames_of_host_1(parameters, plan), 4U);
  // One storm of both.
  parameters.storms = {storm(2'000, 8'000, 3)};
  EXPECT_EQ(starts(carried(star(3), parameters, plan), 1),
            (Times{110, 1'110, 8'074, 9'074, 10'074, 11'074, 12'074, 13'074}));
  EXPECT_EQ(frames_of_host_1(parameters, plan), 2U);
}

// Pool of 4,500, alpha = 1: packet 2 is in the headroom at 2,110, so that a frame pauses host 0 from 2,184
// on, for 1,000,000 ns: as long as the storm. It holds back the packet for host 2.
TEST(StormsByHand, AStormStopsWhatNeverWentToItsHost) {
  std::vector<FabricInjection> plan = packets_to_host_1(3);
  plan.push_back(unit(0, 0, 2));
  fabric::FabricParameters parameters = stormy({storm(0, 1'000'000)});
  parameters.shared.size = 3 * 3'000_B + 4'500_B;
  // Packet 0 leaves at 1,000,074, and its space is free at 1,001,074: s = 2,000 <= 2,500.
  EXPECT_EQ(starts(carried(star(3), parameters, plan), 0), (Times{0, 1'000, 2'000, 1'001'148}));
  // The queue is held from 110 on. At 3,110 the tails of all its packets are there (3,010 the last): they
  // leave the switch, and the pause ends at that instant.
  parameters.shared.watchdog = 3'000_ns;
  const FabricOutcome outcome = carried(star(3), parameters, plan);
  EXPECT_EQ(lost(outcome), (Times{3'110, 3'110, 3'110, never}));
  EXPECT_EQ(delivered(outcome), (Times{never, never, never, 3'184 + 1'120}));
}

// ---- watchdogs

/// With a watchdog of 2,500 ns, whose queue is held from 2,110 on: given up at 4,610.
fabric::FabricParameters watched(const std::vector<fabric::PauseStorm>& storms, unsigned classes = 1) {
  fabric::FabricParameters parameters = stormy(storms, classes);
  parameters.shared.watchdog = 2'500_ns;
  return parameters;
}

// Pause from 2,074 on, and a queue without packets until 2,110. At 4,610 the tails of packets 2 and 3 are
// there, that of packet 4 comes at 5,010. Packet 5 is ready at 5,110, packet 6 at 6,110.
TEST(StormsByHand, AQueueHeldSoLongIsGivenUpAndItsPacketsAreLost) {
  const FabricOutcome outcome = carried(star(3), watched({storm(2'000, never)}), packets_to_host_1(7));
  EXPECT_EQ(starts(outcome, 1), (Times{110, 1'110, never, never, never, never, never}));
  EXPECT_EQ(lost(outcome), (Times{never, never, 4'610, 4'610, 5'010, 6'010, 7'010}));
  EXPECT_EQ(delivered(outcome), (Times{1'120, 2'120, never, never, never, never, never}));
}

// Hosts 0 and 2 send two packets each: on the channel to host 1 from 110, 1,110, then the pause of 2,074
// finds two of them. It ends at 4,574 or a nanosecond later.
TEST(StormsByHand, AQueueIsHeldFromThePauseOnIfItHoldsPackets) {
  std::vector<FabricInjection> plan = packets_to_host_1(2);
  plan.push_back(unit(0, 2, 1));
  plan.push_back(unit(0, 2, 1));
  EXPECT_EQ(lost(carried(star(3), watched({storm(2'000, 4'501)}), plan)),
            (Times{never, 4'574, never, 4'574}));
  EXPECT_EQ(lost(carried(star(3), watched({storm(2'000, 4'500)}), plan)), Times(4, never));
}

// The pause ends at 4,610 or a nanosecond later.
TEST(StormsByHand, AQueueWhosePauseEndsInTimeIsNotGivenUp) {
  EXPECT_EQ(starts(carried(star(3), watched({storm(2'000, 4'536)}), packets_to_host_1(5)), 1),
            (Times{110, 1'110, 4'610, 5'610, 6'610}));
  EXPECT_EQ(starts(carried(star(3), watched({storm(2'000, 4'537)}), packets_to_host_1(5)), 1),
            (Times{110, 1'110, never, never, never}));
  // Held from 2,110 to 4,174, then from 4,274 on: packet 2 has started at 4,174, and 3 follows at 6,574.
  EXPECT_EQ(
      starts(carried(star(3), watched({storm(2'000, 4'100), storm(4'200, 6'500)}), packets_to_host_1(5)), 1),
      (Times{110, 1'110, 4'174, 6'574, 7'574}));
}

// Packet n is ready at 1,000 n + 110 and has its tail there at 1,000 n + 1,010. The pause ends at 8,074.
TEST(StormsByHand, AQueueIsRestoredOnceItHasNotBeenPausedForSoLong) {
  const auto delivered_from = [](std::vector<fabric::PauseStorm> storms, SimTime restore) {
    fabric::FabricParameters parameters = watched(storms);
    parameters.shared.restore = restore;
    const FabricOutcome outcome = carried(star(3), parameters, packets_to_host_1(13));
    std::size_t first = 5;
    while (outcome.fates.at(first).lost) {
      EXPECT_EQ(in_ns(outcome.fates[first].lost), 1'000 * static_cast<std::int64_t>(first) + 1'010);
      ++first;
    }
    // It does not wait.
    EXPECT_EQ(in_ns(outcome.fates[first].hops.at(1).start), 1'000 * static_cast<std::int64_t>(first) + 110);
    return first;
  };
  EXPECT_EQ(delivered_from({storm(2'000, 8'000)}, 0_ns), 8U);
  EXPECT_EQ(delivered_from({storm(2'000, 8'036)}, 0_ns), 8U) << "at 8,110";
  EXPECT_EQ(delivered_from({storm(2'000, 8'037)}, 0_ns), 9U);
  EXPECT_EQ(delivered_from({storm(2'000, 8'000)}, 36_ns), 8U) << "at 8,110";
  EXPECT_EQ(delivered_from({storm(2'000, 8'000)}, 37_ns), 9U);
  EXPECT_EQ(delivered_from({storm(2'000, 8'000)}, 1'036_ns), 9U) << "at 9,110";
  EXPECT_EQ(delivered_from({storm(2'000, 8'000)}, 1'037_ns), 10U);
  // A second pause from 8,574 to 8,774 interrupts the time: 9,810. Without it the queue would be restored at
  // 9,110.
  EXPECT_EQ(delivered_from({storm(2'000, 8'000), storm(8'500, 8'700)}, 1'036_ns), 10U);
  // It begins at 9,110, at the last instant, and ends at 9,310: 10,346 comes after packet 10.
  EXPECT_EQ(delivered_from({storm(2'000, 8'000), storm(9'036, 9'236)}, 1'036_ns), 11U);
}

// At 8,110, when the pause ends: packet 8 passes. The second pause, from 8,174 on, finds packet 9 at 9,110
// and is too short, or long enough: 11,610, when the tails of packets 9 and 10 are there.
TEST(StormsByHand, ARestoredQueueIsWatchedAgain) {
  const auto lost_of_13 = [](std::int64_t until) {
    return lost(carried(star(3), watched({storm(2'000, 8'036), storm(8'100, until)}), packets_to_host_1(12)));
  };
  const Times once = {never, never, 4'610, 4'610, 5'010, 6'010, 7'010, 8'010, never, never, never, never};
  EXPECT_EQ(lost_of_13(11'536), once);
  Times twice = once;
  twice[9] = 11'610;
  twice[10] = 11'610;
  twice[11] = 12'010;
  EXPECT_EQ(lost_of_13(11'537), twice);
}

// Class 0 is given up from 4,610 on. What the storming host sends in it is lost where it is ready from then
// on, at its tail; class 1 passes in both directions.
TEST(StormsByHand, WhatComesFromTheStormInItsClassIsLost) {
  std::vector<FabricInjection> plan = packets_to_host_1(3);
  plan.push_back(unit(4'499, 1, 2, 0));  // ready at 4,609: passes
  plan.push_back(unit(5'600, 1, 2, 0));
  plan.push_back(unit(6'700, 1, 2, 1));
  plan.push_back(unit(6'700, 0, 1, 1));
  plan.push_back(unit(6'700, 2, 0, 0));
  const FabricOutcome outcome = carried(star(3), watched({storm(2'000, never)}, 2), plan);
  EXPECT_EQ(lost(outcome), (Times{never, never, 4'610, never, 6'610, never, never, never}));
  EXPECT_EQ(delivered(outcome), (Times{1'120, 2'120, never, 5'619, never, 7'820, 7'820, 7'820}));
  // Ready at 4,610 itself, after the watchdog.
  plan[3] = unit(4'500, 1, 2, 0);
  EXPECT_EQ(lost(carried(star(3), watched({storm(2'000, never)}, 2), plan))[3], 5'510);
}

// Host 1 sends its packet right behind the frame of 8,000, at 8,064. It is ready at 8,174: 100 ns after the
// end of the pause.
TEST(StormsByHand, WhatComesFromTheStormPassesFromTheRestorationOn) {
  std::vector<FabricInjection> plan = packets_to_host_1(3);
  plan.push_back(unit(8'001, 1, 2));
  fabric::FabricParameters parameters = watched({storm(2'000, 8'000)});
  parameters.shared.restore = 100_ns;
  EXPECT_EQ(delivered(carried(star(3), parameters, plan)), (Times{1'120, 2'120, never, 9'184}));
  parameters.shared.restore = 101_ns;
  EXPECT_EQ(lost(carried(star(3), parameters, plan)), (Times{never, never, 4'610, 9'074}));
}

}  // namespace
}  // namespace morgana::testing
