// All that a network may do to the first packets between two or three interfaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/interface/am2/wires.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace am2_bench;

using Waves = std::pair<Wave, Wave>;
const Waves two_ends{{{0, 1, 0, 16}, {0, 1, 1, 100}, {1, 0, 10, 16}},
                     {{0, 1, 2, 100}, {0, 1, 3, 16}, {1, 0, 11, 100}}};
/// Two of them send to the third, which sends to one of them.
const Waves three_ends{{{0, 1, 0, 16}, {2, 1, 20, 100}, {1, 2, 10, 16}, {0, 1, 1, 16}},
                       {{2, 1, 21, 16}, {0, 1, 2, 100}, {1, 0, 11, 100}}};
/// Two endpoints an interface, of which one has a frame.
const Waves two_endpoints{{{0, 1, 0, 16, 0}, {0, 1, 20, 100, 1}, {1, 0, 10, 16, 1}},
                          {{0, 1, 1, 16, 0}, {1, 0, 11, 100, 0}, {0, 1, 21, 16, 1}}};

/// What becomes of a packet; the first is what becomes of all behind the schedule.
const std::vector<PacketFate> losses{on_time, lost, twice}, delays{on_time, lost, twice, late},
    everything{on_time, lost, twice, late, sender_is_unloaded, receiver_is_unloaded},
    unloads_alone{on_time, sender_is_unloaded, receiver_is_unloaded},
    unloads_and_losses{on_time, lost, sender_is_unloaded, receiver_is_unloaded};

/// The second wave finds the tables as the first one left them.
void try_all(const std::vector<PacketFate>& kinds, unsigned packets, std::int64_t channels,
             std::uint32_t tries, bool some_are_returned, const Waves& waves = two_ends,
             std::int64_t frames = 7) {
  am2::Parameters parameters = firmware_parameters();
  parameters.channels = channels;
  parameters.tries = tries;
  parameters.receive_queue = 1;
  parameters.load = 3_us;
  parameters.frames = frames;
  parameters.receive_buffers = 1;
  unsigned schedules = 1;
  for (unsigned i = 0; i < packets; ++i) schedules *= static_cast<unsigned>(kinds.size());
  const bool unloads_some = std::find(kinds.begin(), kinds.end(), sender_is_unloaded) != kinds.end();
  std::uint64_t returned = 0, unloads = 0, stops = 0;
  const unsigned step = schedules / static_cast<unsigned>(random_cases(schedules));  // 1 where all are tried
  for (unsigned schedule = 0; schedule < schedules && !::testing::Test::HasFailure(); schedule += step) {
    SCOPED_TRACE(schedule);
    Wires wires(parameters, [&kinds, left = schedule]() mutable {
      const PacketFate fate = kinds[left % kinds.size()];
      left /= static_cast<unsigned>(kinds.size());
      return fate;
    });
    // Endpoints that are unloaded take packets back from channels, and others' may go first.
    const bool in_order = frames > 1 && (!unloads_some || channels == 1);
    wires.post(waves.first);
    wires.run();
    wires.expect_settled(in_order);
    wires.post(waves.second);
    wires.run();
    wires.expect_settled(in_order);
    returned += wires.returned();
    unloads += wires.counters().unloads;
    stops += wires.stops();
  }
  EXPECT_EQ(returned > 0, some_are_returned);
  EXPECT_GT(stops, 0u);
  EXPECT_EQ(unloads > 0, unloads_some || frames == 1);
}

TEST(Am2Schedules, TenPacketsLostOrDuplicatedOnOneChannel) {
  try_all(losses, 10, 1, 255, false);
}

TEST(Am2Schedules, SevenPacketsLostDuplicatedOrLateOnTwoChannels) {
  try_all(delays, 7, 2, 255, false);
}

// Two retransmissions are soon used up: messages are returned, and channels begin new sessions.
TEST(Am2Schedules, SevenPacketsLostDuplicatedOrLateWhereMessagesAreReturned) {
  try_all(delays, 7, 1, 1, true);
}

// A packet that was refused goes back and takes whichever channel is free: an answer to an older copy would
// acknowledge another packet there.
TEST(Am2Schedules, SixPacketsWhileEndpointsAreUnloaded) {
  try_all(everything, 6, 2, 255, false);
}

TEST(Am2Schedules, SixPacketsWhileEndpointsAreUnloadedAndMessagesReturned) {
  try_all(everything, 6, 1, 1, true);
}

TEST(Am2Schedules, TenPacketsWhoseEndpointsAreUnloaded) {
  try_all(unloads_alone, 10, 2, 255, false);
}

TEST(Am2Schedules, TenPacketsAmongThreeInterfacesWhoseEndpointsAreUnloaded) {
  try_all(unloads_alone, 10, 1, 255, false, three_ends);
}

TEST(Am2Schedules, SevenPacketsLostOrUnloadedFrom) {
  try_all(unloads_and_losses, 7, 2, 255, false);
}

TEST(Am2Schedules, EightPacketsLostOrDuplicatedAmongThreeInterfaces) {
  try_all(losses, 8, 1, 255, false, three_ends);
}

TEST(Am2Schedules, FivePacketsAmongThreeInterfacesWhileEndpointsAreUnloaded) {
  try_all(everything, 5, 2, 255, false, three_ends);
}

TEST(Am2Schedules, FivePacketsLostDuplicatedOrLateOfTwoEndpointsThatShareAFrame) {
  try_all(delays, 5, 2, 255, false, two_endpoints, 1);
}

TEST(Am2Schedules, FivePacketsOfTwoEndpointsThatShareAFrameWhereMessagesAreReturned) {
  try_all(delays, 5, 1, 1, true, two_endpoints, 1);
}

}  // namespace
}  // namespace morgana::testing
