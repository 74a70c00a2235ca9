#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <span>
#include <thread>

#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/clock/side_by_side.h"
#include "tests/pvmshim/channel_support.h"

namespace morgana {
namespace {

using testing::next_of;
using testing::settings_for;

Operation poll_of(std::uint64_t payload) {
  Operation operation;
  operation.kind = OperationKind::test;
  operation.wants_answer = true;
  operation.payload = payload;
  return operation;
}

/// Rank 0 polls; rank 1 computes and has reached 10 us; nothing else happens before 1 ms.
class Polling : public ::testing::Test {
 protected:
  static ChannelSettings settings() {
    ChannelSettings settings = settings_for(2);
    settings.least_distance_ps = 5'000'000;
    return settings;
  }
  Answer answered() {
    rank.post(poll_of(0));
    next_of(emulator, Rank{0});
    Answer answer;
    answer.quiet_until = SimTime::from_ps(1);
    answer.quiet_but_for_computing = SimTime::from_ps(1'000'000'000);
    answer.computing.push_back({Rank{1}});
    emulator.answer(Rank{0}, answer);
    rank.await(answer);
    return answer;
  }

  EmulatorChannel emulator{settings()};
  RankChannel rank{emulator.path(), Rank{0}}, other{emulator.path(), Rank{1}};
};

TEST_F(Polling, IsInVainUntilWhatAComputingRankDoesCanBeFelt) {
  const Answer answer = answered();
  other.show_reached(SimTime::from_ps(10'000'000));
  EXPECT_EQ(rank.quiet(answer).until, SimTime::from_ps(15'000'000));
  other.show_reached(SimTime::from_ps(20'000'000));
  EXPECT_EQ(rank.quiet(answer).until, SimTime::from_ps(25'000'000));
}

// Each rank is on a host of its own.
TEST(PollingBetweenHosts, IsInVainForLonger) {
  ChannelSettings settings = settings_for(2);
  settings.least_distance_ps = 5'000'000;
  settings.least_distance_between_hosts_ps = 7'000'000;
  Answer answer;
  answer.quiet_but_for_computing = SimTime::from_ps(1'000'000'000);
  answer.computing.push_back({Rank{1}});
  const auto until = [&](std::span<const std::uint32_t> host_of) {
    EmulatorChannel emulator(settings, Bytes(1 << 20), host_of);
    RankChannel rank(emulator.path(), Rank{0}), other(emulator.path(), Rank{1});
    other.show_reached(SimTime::from_ps(10'000'000));
    return rank.quiet(answer).until;
  };
  EXPECT_EQ(until({}), SimTime::from_ps(17'000'000));
  EXPECT_EQ(until(std::array<std::uint32_t, 2>{3, 3}), SimTime::from_ps(15'000'000));
}

// Rank 0 looks until it can poll. As that is in vain it sleeps at once the next time, until rank 1 is half
// the least distance further than it has to be, so that there is room for more polls.
TEST_F(Polling, GivesWayToWhoHasComeOrSpokenAlready) {
  const Answer answer = answered();
  const SimTime out_of_reach = SimTime::from_ps(15'000'000);
  other.show_reached(SimTime::from_ps(10'000'000));
  EXPECT_FALSE(rank.give_way(answer, out_of_reach));
  other.show_reached(SimTime::from_ps(12'499'999));
  EXPECT_FALSE(rank.give_way(answer, out_of_reach));
  EXPECT_TRUE(rank.give_way(answer, out_of_reach));  // which looks again
  other.show_reached(SimTime::from_ps(12'500'000));
  EXPECT_TRUE(rank.give_way(answer, out_of_reach));
  other.post(poll_of(0));
  EXPECT_TRUE(rank.give_way(answer, SimTime::from_ps(500'000'000)));
}

// Each may be 5 us ahead of the other, so each needs the other some 30 times; whoever sleeps must be woken.
TEST_F(Polling, GoesOnInTurns) {
  const auto poll_until_160_us = [](RankChannel& self, Rank with) {
    Answer answer;
    answer.quiet_but_for_computing = SimTime::from_ps(1'000'000'000);
    answer.computing.push_back({with});
    for (SimTime clock; clock < SimTime::from_ps(160'000'000);) {
      if (others_let_it_go_on(self, answer, clock)) clock += SimTime::from_ps(500'000);
    }
    self.show_reached(SimTime::from_ps(900'000'000));  // lets the other one end
  };
  std::thread beside(poll_until_160_us, std::ref(other), Rank{0});
  poll_until_160_us(rank, Rank{1});
  beside.join();
}

TEST_F(Polling, IsInVainNoLongerThanWithoutComputingRanks) {
  const Answer answer = answered();
  other.show_reached(SimTime::from_ps(2'000'000'000));
  EXPECT_EQ(rank.quiet(answer).until, SimTime::from_ps(1'000'000'000));
}

TEST_F(Polling, MustAskAgainOnceAComputingRankHasDoneSomething) {
  other.post(poll_of(0));
  next_of(emulator, Rank{1});
  const Answer answer = answered();
  other.show_reached(SimTime::from_ps(10'000'000));
  EXPECT_EQ(rank.quiet(answer).until, SimTime::from_ps(15'000'000));  // what it did before is known
  other.post(poll_of(0));
  EXPECT_EQ(rank.quiet(answer).until, SimTime::from_ps(1));
}

TEST_F(Polling, KnowsHowLongItCanBeInVainAtMost) {
  const Answer answer = answered();
  EXPECT_EQ(rank.quiet(answer).at_most, SimTime::from_ps(1'000'000'000));
  other.post(poll_of(0));
  EXPECT_EQ(rank.quiet(answer).at_most, SimTime::from_ps(1));
}

}  // namespace
}  // namespace morgana
