#include "pvmshim/clock/live_rank.h"

#include <gtest/gtest.h>

#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/clock/operation_stream.h"

namespace morgana {
namespace {

using namespace literals;

/// One rank and the emulator's end of its channel, in one process. Computing takes no time.
class LiveRankTest : public testing::Test {
 protected:
  static ChannelSettings settings() {
    ChannelSettings settings;
    settings.ranks = 1;
    settings.compute = ComputeMode::none;
    settings.clock_tick_ps = 1000;
    return settings;
  }
  static Operation nothing() {
    Operation operation;
    operation.kind = OperationKind::nothing;
    return operation;
  }

  void post() {
    const LiveRank::Visit visit(rank_);
    Operation operation = nothing();
    rank_.post(operation);
  }
  /// An operation that the emulator ends at `clock`.
  void ask(SimTime clock) {
    const LiveRank::Visit visit(rank_);
    Operation operation = nothing();
    answer(clock);  // which the rank will find when it waits
    rank_.ask(operation);
  }
  void answer(SimTime clock, SimTime quiet_until = SimTime()) {
    Answer answer;
    answer.quiet_until = quiet_until;
    answer.clock = clock;
    emulator_.answer(Rank{0}, answer);
  }
  Operation taken() {
    Operation operation;
    EXPECT_TRUE(emulator_.take(Rank{0}, operation));
    return operation;
  }
  bool nothing_to_take() {
    Operation operation;
    return !emulator_.take(Rank{0}, operation);
  }
  SimTime read() { return rank_.read_clock(Call::MPI_Wtime); }

  EmulatorChannel emulator_{settings(), Bytes(1 << 20)};
  LiveRank rank_{emulator_.path(), Rank{0}};
};

TEST_F(LiveRankTest, KnowsItsClockAfterAnAnswer) {
  ask(5_us);
  taken();
  EXPECT_EQ(read(), 5_us);
  EXPECT_TRUE(nothing_to_take());
}

TEST_F(LiveRankTest, AsksForItsClockWhenOperationsHaveBeenPostedSince) {
  ask(5_us);
  post();
  answer(9_us);
  EXPECT_EQ(read(), 9_us);
  taken();
  taken();
  const Operation asked = taken();
  EXPECT_EQ(asked.kind, OperationKind::read_clock);
  EXPECT_EQ(asked.call, Call::MPI_Wtime);
  EXPECT_TRUE(asked.wants_answer);
}

TEST_F(LiveRankTest, MovesAClockThatIsReadTwiceAndReportsIt) {
  ask(5_us);
  EXPECT_EQ(read(), 5_us);
  EXPECT_EQ(read(), 5_us + 1_ns);
  EXPECT_EQ(read(), 5_us + 2_ns);
  post();
  taken();
  EXPECT_EQ(taken().elapsed, 2_ns);
  post();
  EXPECT_EQ(taken().elapsed, SimTime());
}

TEST_F(LiveRankTest, ShowsTheEmulatorHowFarALoopOnTheClockHasCome) {
  ask(5_us);
  taken();
  read();
  read();
  EXPECT_EQ(emulator_.reached(Rank{0}), 5_us + 1_ns);
}

TEST_F(LiveRankTest, ShowsTheLastReadingToWhoReadsTheClockWithinTheShim) {
  ask(5_us);
  EXPECT_EQ(read(), 5_us);
  const LiveRank::Visit visit(rank_);
  EXPECT_EQ(read(), 5_us);
  EXPECT_EQ(read(), 5_us);
}

TEST_F(LiveRankTest, PostsSleepsWithoutWaiting) {
  rank_.sleep(Call::usleep, 3_ms);
  const Operation sleep = taken();
  EXPECT_EQ(sleep.kind, OperationKind::sleep);
  EXPECT_EQ(sleep.duration, 3_ms);
  EXPECT_FALSE(sleep.wants_answer);
}

TEST_F(LiveRankTest, AnswersRepeatedPollsItselfForAsLongAsTheyWouldFindNothing) {
  ask(5_us);
  taken();
  const LiveRank::Visit visit(rank_);
  Operation poll;
  poll.kind = OperationKind::test_probe;
  answer(6_us, 8_us);
  rank_.poll(poll);
  taken();
  rank_.poll(poll);  // from 6 us on
  rank_.poll(poll);  // from 7 us on
  EXPECT_TRUE(nothing_to_take());
  answer(9_us);
  rank_.poll(poll);  // at 8 us: may find something
  const Operation asked = taken();
  EXPECT_EQ(asked.elapsed, 2_us);
  EXPECT_EQ(asked.polled, 2_us);
}

// Up to four polls in turn; each is asked again when its own time is over.
TEST_F(LiveRankTest, AnswersPollsInTurnItselfForAsLongAsEachWouldFindNothing) {
  ask(5_us);
  taken();
  const LiveRank::Visit visit(rank_);
  Operation probe, test;
  probe.kind = OperationKind::test_probe;
  test.kind = OperationKind::test;
  test.requests.push_back(RequestId{7});
  answer(6_us, 12_us);
  rank_.poll(probe);
  answer(7_us, 9_us);
  rank_.poll(test);
  taken();
  taken();
  rank_.poll(probe);  // from 7 us on
  rank_.poll(test);   // from 8 us on
  rank_.poll(probe);  // from 9 us on
  EXPECT_TRUE(nothing_to_take());
  answer(11_us, 20_us);
  rank_.poll(test);  // at 10 us: may find something
  const Operation asked = taken();
  EXPECT_EQ(asked.kind, OperationKind::test);
  EXPECT_EQ(asked.elapsed, 3_us);
  EXPECT_EQ(asked.polled, 3_us);
  rank_.poll(probe);  // from 11 us on
  EXPECT_TRUE(nothing_to_take());
  answer(13_us, 20_us);
  rank_.poll(probe);  // at 12 us: may find something
  EXPECT_EQ(taken().kind, OperationKind::test_probe);
}

TEST_F(LiveRankTest, AsksAllPollsAgainAfterOneThatFoundSomething) {
  ask(5_us);
  taken();
  const LiveRank::Visit visit(rank_);
  Operation probe, test;
  probe.kind = OperationKind::test_probe;
  test.kind = OperationKind::test;
  answer(6_us, 20_us);
  rank_.poll(probe);
  Answer found;
  found.clock = 7_us;
  found.completed.emplace_back();
  emulator_.answer(Rank{0}, found);
  EXPECT_EQ(rank_.poll(test).completed.size(), 1u);
  taken();
  taken();
  answer(8_us, 20_us);
  rank_.poll(probe);
  EXPECT_EQ(taken().kind, OperationKind::test_probe);
}

TEST_F(LiveRankTest, AsksADifferentPoll) {
  ask(5_us);
  taken();
  const LiveRank::Visit visit(rank_);
  Operation poll;
  poll.kind = OperationKind::test_probe;
  answer(6_us, 8_us);
  rank_.poll(poll);
  taken();
  poll.tag = Tag{3};
  answer(7_us);
  rank_.poll(poll);
  EXPECT_EQ(taken().tag, Tag{3});
}

TEST_F(LiveRankTest, AsksAPollAgainAfterAnotherOperation) {
  ask(5_us);
  taken();
  Operation poll;
  poll.kind = OperationKind::test_probe;
  {
    const LiveRank::Visit visit(rank_);
    answer(6_us, 8_us);
    rank_.poll(poll);
  }
  post();
  const LiveRank::Visit visit(rank_);
  answer(7_us);
  rank_.poll(poll);
  taken();
  taken();
  EXPECT_EQ(taken().kind, OperationKind::test_probe);
}

TEST_F(LiveRankTest, GoesOnByItselfAfterItsExit) {
  ask(5_us);
  {
    const LiveRank::Visit visit(rank_);
    Operation exit;
    exit.kind = OperationKind::exit;
    rank_.exit(exit);
  }
  taken();
  EXPECT_EQ(taken().kind, OperationKind::exit);
  rank_.sleep(Call::sleep, 2_s);
  EXPECT_EQ(read(), 2_s + 5_us);
  EXPECT_TRUE(nothing_to_take());
}

/// What a rank of threads knows of its clock when one has posted a receive.
class ReceivesOfThreads : public testing::Test {
 protected:
  static ChannelSettings settings(bool take_no_time) {
    ChannelSettings settings;
    settings.ranks = 1;
    settings.compute = ComputeMode::none;
    settings.receives_take_no_time = take_no_time ? 1 : 0;
    return settings;
  }
  /// The emulator has ended `kind` at `clock`, and a receive is posted. @return whether it has to be asked
  /// when
  static bool must_ask_behind(OperationKind kind, SimTime clock, bool take_no_time) {
    EmulatorChannel emulator(settings(take_no_time), Bytes(1 << 20));
    OperationStream stream(emulator.path(), Rank{0}, false);
    stream.expect_threads();
    Operation before, receive;
    before.kind = kind;
    Answer answer;
    answer.clock = clock;
    emulator.answer(Rank{0}, answer);
    stream.carry_out(before);
    receive.kind = OperationKind::receive;
    stream.post(receive);
    const bool must_ask = stream.is_clock_to_be_asked();
    EXPECT_TRUE(must_ask || stream.now() == clock);
    return must_ask;
  }
};

// What came while the rank slept a library that reads sockets reads in its next call: a receive may take
// time.
TEST_F(ReceivesOfThreads, AreKnownToTakeNoTimeButBehindASleep) {
  EXPECT_FALSE(must_ask_behind(OperationKind::wait, 3_us, true));
  EXPECT_FALSE(must_ask_behind(OperationKind::test_probe, 3_us, true));
  EXPECT_TRUE(must_ask_behind(OperationKind::sleep, 3_us, true));
  EXPECT_TRUE(must_ask_behind(OperationKind::wait, 3_us, false));
}

}  // namespace
}  // namespace morgana
