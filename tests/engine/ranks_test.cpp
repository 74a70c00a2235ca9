#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// Only the first `early` ranks run from the start on.
class LateRanks : public ScriptedSource {
 public:
  LateRanks(std::size_t early, std::vector<std::vector<Operation>> scripts)
      : ScriptedSource(std::move(scripts)), early_(early) {}
  bool runs_at_start(Rank rank) const override { return index(rank) < early_; }

 private:
  std::size_t early_;
};

Operation spawn(int rank, std::int32_t host) {
  Operation o = plain(OperationKind::spawn);
  o.peer = Rank{rank};
  o.host = host;
  return o;
}

Operation kill(int rank) {
  Operation o = plain(OperationKind::kill);
  o.peer = Rank{rank};
  return o;
}

std::vector<SimTime> run(Machine machine, OperationSource& source) {
  return Engine(machine, source, {}).run();
}

TEST(Ranks, BeginWhenAnotherStartsThem) {
  LateRanks source(1, {{after(3_us, spawn(1, 1)), exit()}, {after(2_us, exit())}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(3_us, 5_us));
}

TEST(Ranks, NeedNotAllBegin) {
  LateRanks source(1, {{after(3_us, exit())}, {after(2_us, exit())}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(3_us, SimTime()));
}

TEST(Ranks, ThatNeverBeganAreNoPartOfADeadlockNorIsTheDaemon) {
  std::vector<std::vector<Operation>> scripts(100);
  scripts[0] = {receive(1, 0, 5, 1), wait({1}), exit()};
  scripts[0][1].call = Call::pvmd;
  scripts[1] = {receive(0, 0, 5, 1), wait({1}), exit()};
  LateRanks source(2, std::move(scripts));
  try {
    run(logp_machine(100), source);
    FAIL() << "ended";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(), {"rank 1: waits in MPI_Waitall", "from rank 0 with tag 5"});
    for (const char* wrong : {"more ranks", "rank 0:", "0 bytes", "pvmd"})
      EXPECT_THAT(deadlock.what(), Not(HasSubstr(wrong)));
  }
}

TEST(Ranks, RunWhereTheyAreStarted) {
  const std::vector<std::vector<Operation>> scripts{{spawn(1, 0), send(1, 0, 5, 1), wait({1}), exit()},
                                                    {receive(0, 0, 5, 1), wait({1}), exit()}};
  LateRanks near(1, scripts);
  EXPECT_EQ(run(logp_machine(2), near).at(1), 200_ns + 50_ns + 200_ns);  // through the host's memory
  std::vector<std::vector<Operation>> apart = scripts;
  apart[0][0].host = 1;
  LateRanks far(1, apart);
  EXPECT_EQ(run(logp_machine(2), far).at(1), o_s + L + o_r);
}

TEST(Ranks, GetWhatWasSentToThemBeforeTheyAskedForIt) {
  LateRanks source(1, {{spawn(1, 1), send(1, 1, 5, 1), wait({1}), exit()},
                       {after(1_ms, receive(0, 1, 5, 1)), wait({1}), exit()}});
  EXPECT_EQ(run(logp_machine(2), source).at(1), 1_ms + o_r);
}

TEST(Ranks, EndInAWaitWhenTheyAreKilled) {
  LateRanks source(2, {{after(7_us, kill(1)), exit()}, {receive(0, 1, 5, 1), wait({1}), exit()}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(7_us, 7_us));
}

TEST(Ranks, EndWhileTheyComputeWhenTheyAreKilled) {
  LateRanks source(2, {{after(7_us, kill(1)), exit()}, {after(9_us, exit())}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(7_us, 7_us));
}

TEST(Ranks, StayEndedWhenTheirMessageComesAfterTheyWereKilled) {
  LateRanks source(2, {{after(7_us, kill(1)), send(1, 1, 5, 1), wait({1}), exit()},
                       {receive(0, 1, 5, 1), wait({1}), exit()}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(7_us + o_s, 7_us));
  EXPECT_TRUE(source.answers[1].empty());
}

TEST(Ranks, CanBeKilledAfterTheirEnd) {
  LateRanks source(2, {{after(7_us, kill(1)), exit()}, {after(2_us, exit())}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(7_us, 2_us));
}

/// Rank 0 serves the others.
class ServedRanks : public ScriptedSource {
 public:
  using ScriptedSource::ScriptedSource;
  bool is_service(Rank rank) const override { return rank == Rank{0}; }
};

TEST(Ranks, ThatOnlyServeEndWithTheLastOther) {
  ServedRanks source({{receive(-1, 1, 5, 1), wait({1}), receive(-1, 1, 5, 2), wait({2}), exit()},
                      {after(2_us, send(0, 1, 5, 1)), wait({1}), after(9_us, exit())}});
  EXPECT_THAT(run(logp_machine(2), source), ElementsAre(2_us + o_s + 9_us, 2_us + o_s + 9_us));
  EXPECT_EQ(source.answers[0].size(), 1U);
}

TEST(Ranks, AreNotStartedTwice) {
  LateRanks source(2, {{spawn(1, 1), exit()}, {after(2_us, exit())}});
  try {
    run(logp_machine(2), source);
    FAIL() << "a rank that runs was started";
  } catch (const Error& error) {
    expect_message(error.what(), "rank 1");
  }
}

TEST(Ranks, BeginAndEndAtTheSameTimesHoweverLateTheirOperationsBecomeKnown) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    LateRanks source(1, {{after(3_us, spawn(1, 1)), spawn(2, 2), receive(1, 8, 5, 1), wait({1}),
                          after(1_us, kill(2)), exit()},
                         {after(2_us, send(0, 8, 5, 1)), wait({1}), exit()},
                         {after(1_us, receive(0, 8, 5, 1)), wait({1}), exit()}});
    source.hesitate(seed);
    const SimTime got = 3_us + 2_us + o_s + L + G.time_for(7_B) + o_r;
    EXPECT_THAT(run(logp_machine(3), source), ElementsAre(got + 1_us, 5_us + o_s, got + 1_us));
  }
}

TEST(Ranks, LeaveTheWaitsOfOthersAloneWhenTheyAreKilled) {
  // Rank 1 has waited for a request whose place rank 2's has taken meanwhile.
  LateRanks source(4, {{after(30_us, kill(1)), exit()},
                       {send(0, 1, 9, 1), wait({1}), after(1_ms, exit())},
                       {after(10_us, receive(3, 1, 5, 1)), wait({1}), exit()},
                       {after(50_us, send(2, 1, 5, 1)), wait({1}), exit()}});
  EXPECT_EQ(run(logp_machine(4), source).at(2), 50_us + o_s + L + o_r);
}

}  // namespace
}  // namespace morgana
