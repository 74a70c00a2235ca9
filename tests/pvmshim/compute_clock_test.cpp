#include <gtest/gtest.h>
#include <algorithm>

#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/channel/rank_channel.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::Forked;

ChannelSettings one_rank(ComputeMode mode = ComputeMode::measured) {
  ChannelSettings settings;
  settings.ranks = 1;
  settings.compute = mode;
  return settings;
}

/// Uses processor time until the process's clock has moved on by this much.
void compute(nanoseconds span) {
  const std::int64_t until = own_processor_ns() + span.count();
  while (own_processor_ns() < until) {
  }
}

Operation reporting(nanoseconds computed) {
  Operation operation;
  operation.duration = SimTime::from_ps(computed.count());
  operation.wants_answer = true;
  return operation;
}

TEST(ComputeClock, CountsOnlyTheProgram) {
  EmulatorChannel emulator(one_rank());
  RankChannel rank(emulator.path(), Rank{0});
  compute(5ms);  // in the shim
  EXPECT_EQ(rank.computed_since_post(), 0ns);
  const std::int64_t start = own_processor_ns();
  rank.leave();
  compute(2ms);
  rank.enter();
  const nanoseconds outside(own_processor_ns() - start);
  compute(5ms);
  EXPECT_GT(rank.computed_since_post(), 1ms);
  EXPECT_LE(rank.computed_since_post(), outside);
}

TEST(ComputeClock, SumsUpVisitsThatPostNothing) {
  EmulatorChannel emulator(one_rank());
  RankChannel rank(emulator.path(), Rank{0});
  nanoseconds before = 0ns;
  for (int i = 0; i < 5; ++i) {
    rank.leave();
    compute(1ms);
    rank.enter();
    EXPECT_GT(rank.computed_since_post(), before + 500us);
    before = rank.computed_since_post();
  }
  EXPECT_EQ(emulator.computed(Rank{0}), before);
}

TEST(ComputeClock, StartsAnewWithEachPost) {
  EmulatorChannel emulator(one_rank());
  RankChannel rank(emulator.path(), Rank{0});
  rank.leave();
  compute(1ms);
  rank.enter();
  rank.post(Operation());
  EXPECT_EQ(rank.computed_since_post(), 0ns);
  Operation operation;
  ASSERT_TRUE(emulator.take(Rank{0}, operation));
  EXPECT_EQ(emulator.computed(Rank{0}), 0ns);
}

TEST(ComputeClock, IsNotReadWhenComputingTakesNoTime) {
  EmulatorChannel emulator(one_rank(ComputeMode::none));
  RankChannel rank(emulator.path(), Rank{0});
  rank.leave();
  compute(1ms);
  EXPECT_EQ(emulator.computed(Rank{0}), 0ns);
  rank.enter();
  EXPECT_EQ(rank.computed_since_post(), 0ns);
}

TEST(ComputeClock, IsSeenWhileTheProgramRuns) {
  EmulatorChannel emulator(one_rank());
  Forked rank([path = emulator.path()] {
    RankChannel channel(path, Rank{0});
    channel.leave();
    while (true) compute(1s);
    return 0;
  });
  while (emulator.computed(Rank{0}) < 20ms) {
  }
  EXPECT_GE(emulator.computed(Rank{0}), 20ms);
}

// The law that the emulator's clock rule rests on. (That there is a bound at all says the test before.)
TEST(ComputeClock, BoundNeverPassesWhatTheRankReports) {
  constexpr int posts = 2'000;
  EmulatorChannel emulator(one_rank());
  Forked rank([path = emulator.path()] {
    RankChannel channel(path, Rank{0});
    Answer answer;
    for (int i = 0; i < posts; ++i) {
      for (int visit = 0; visit < i % 4; ++visit) {
        channel.leave();
        compute(i % 100 == 99 ? nanoseconds(2ms) : nanoseconds(i % 13 * 1'000));
        channel.enter();
      }
      channel.post(reporting(channel.computed_since_post()));
      channel.await(answer);
    }
    return 0;
  });
  Operation operation;
  nanoseconds bound = 0ns;
  for (int taken = 0; taken < posts;) {
    if (const auto now = emulator.computed(Rank{0})) bound = std::max(bound, *now);
    if (!emulator.take(Rank{0}, operation)) continue;
    ASSERT_LE(bound.count(), operation.duration.ps());
    bound = 0ns;
    ++taken;
    emulator.answer(Rank{0}, Answer());
  }
  EXPECT_EQ(rank.result(), 0);
}

TEST(ComputeClock, SimulatedTimeIsScaledAndRoundedDown) {
  ChannelSettings settings;
  settings.compute_scale = 0.3333333;
  EXPECT_EQ(simulated(10ns, settings), SimTime::from_ps(3'333));
  settings.compute = ComputeMode::none;
  EXPECT_EQ(simulated(10s, settings), SimTime());
}

}  // namespace
}  // namespace morgana
