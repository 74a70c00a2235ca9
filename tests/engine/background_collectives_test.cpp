#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::Each;
using testing::ElementsAre;

constexpr SimTime combining = 1_ms;    // of 8 bytes
constexpr SimTime wire = 5_us + 7_ns;  // L, and G for each of 8 bytes but the first
constexpr Completion all = Completion::all;
constexpr OperationKind test = OperationKind::test;

/// As logp_machine, but combining operands takes long and moving them within a rank nothing.
Machine slow_reductions(std::size_t ranks,
                        CollectiveTuning::Progress progress = CollectiveTuning::Progress::in_calls) {
  Machine machine = logp_machine(ranks);
  machine.messages.reduce_per_byte = ByteCost::from_fs(combining.ps() / 8 * 1000);
  machine.messages.copy_per_byte = ByteCost();
  machine.collectives.progress = progress;
  return machine;
}

/// Of 8 bytes: log2 of the ranks rounds, each an exchange of messages and combining.
Operation allreduce(bool blocking, std::uint64_t request = 1) {
  Operation part = collective(CollectiveKind::allreduce, 8, request);
  part.collective.blocking = blocking;
  return part;
}

std::vector<SimTime> run(Machine machine, ScriptedSource& source) {
  return Engine(machine, source, {}).run();
}

// The message of each rank leaves at o_s = 1 us, when the start returns, and is there at 6.007 us, while the
// other one computes. Receiving it (o_r = 1.3 us) and combining (1 ms) are left for the wait.
TEST(BackgroundCollectives, CostTheirRankTheProcessorTimeOfTheirSteps) {
  const std::vector<Operation> rank{allreduce(false), after(10_ms, wait({1})), exit()};
  ScriptedSource source({rank, rank});
  EXPECT_THAT(run(slow_reductions(2), source), Each(o_s + 10_ms + o_r + combining));
}

TEST(BackgroundCollectives, HideBehindComputingWithAsynchronousProgress) {
  const std::vector<Operation> rank{allreduce(false), after(10_ms, wait({1})), exit()};
  ScriptedSource source({rank, rank});
  EXPECT_THAT(run(slow_reductions(2, CollectiveTuning::Progress::asynchronous), source), Each(10_ms));
}

// The processor for asynchronous progress carries out one step at a time: both messages of a rank leave after
// its two overheads of 1 us, at 1 and 3 us (g = 2 us), and are there at 6.007 and 8.007 us. The first one is
// combined at 6.007 + 1.3 + 1000 us, the second one 1001.3 us after that.
TEST(BackgroundCollectives, ShareTheProcessorOfAsynchronousProgress) {
  const std::vector<Operation> rank{allreduce(false, 1), allreduce(false, 2), wait({1, 2}), exit()};
  ScriptedSource source({rank, rank});
  EXPECT_THAT(run(slow_reductions(2, CollectiveTuning::Progress::asynchronous), source),
              Each(o_s + wire + 2 * (o_r + combining)));
}

TEST(BackgroundCollectives, TakeAsLongAsBlockingOnesIfTheirRankWaitsAtOnce) {
  for (const auto progress :
       {CollectiveTuning::Progress::in_calls, CollectiveTuning::Progress::asynchronous}) {
    const std::vector<Operation> blocking{allreduce(true), wait({1}), exit()};
    const std::vector<Operation> background{allreduce(false), wait({1}), exit()};
    ScriptedSource one({blocking, blocking}), other({background, background});
    EXPECT_THAT(run(slow_reductions(2, progress), one), Each(o_s + wire + o_r + combining));
    EXPECT_THAT(run(slow_reductions(2, progress), other), Each(o_s + wire + o_r + combining));
  }
}

// Rank 0 waits for rank 1's message, which is sent when rank 1 has its result, at 1 + 5.007 + 1.3 + 1000 us.
// Meanwhile rank 0's own part is done: waiting for it later costs nothing.
TEST(BackgroundCollectives, GoOnWhileTheirRankWaitsForSomethingElse) {
  ScriptedSource source({{allreduce(false), receive(1, 8, 9, 2), wait({2}), after(1_ms, wait({1})), exit()},
                         {allreduce(false), wait({1}), send(0, 8, 9, 2), wait({2}), exit()}});
  const SimTime sent = o_s + wire + o_r + combining + o_s;
  EXPECT_THAT(run(slow_reductions(2), source), ElementsAre(sent + wire + o_r + 1_ms, sent));
}

// Rank 0 combines from 7.307 to 1007.307 us. The message that comes to it at 106.007 us is received after
// that.
TEST(BackgroundCollectives, KeepTheProcessorFromReceivingWhatComesMeanwhile) {
  ScriptedSource source({{allreduce(false), receive(1, 8, 9, 2), wait({2}), wait({1}), exit()},
                         {allreduce(false), after(99_us, send(0, 8, 9, 2)), wait({1, 2}), exit()}});
  // Rank 1 sends from 100 to 101 us, then it receives and combines.
  EXPECT_THAT(run(slow_reductions(2), source),
              ElementsAre(o_s + wire + o_r + combining + o_r, 101_us + o_r + combining));
}

// Four ranks: two rounds. A test at 100 us receives and combines what the first one has brought, starts the
// second one, and finds the collective unfinished. The next test, 1 ms of computing later, finishes it.
TEST(BackgroundCollectives, TakeAsManyCallsAsTheyHaveRounds) {
  const std::vector<Operation> rank{allreduce(false), after(99_us, wait({1}, all, test)),
                                    after(1_ms, wait({1}, all, test)), exit()};
  ScriptedSource source({rank, rank, rank, rank});
  Machine machine = slow_reductions(4);
  const SimTime poll_cost = machine.messages.poll_cost;
  const SimTime first = 100_us + o_r + combining + o_s + poll_cost;
  EXPECT_THAT(run(std::move(machine), source), Each(first + 1_ms + o_r + combining));
  EXPECT_TRUE(source.answers[0].at(0).completed.empty());
  EXPECT_EQ(source.answers[0].at(0).clock, first);
  EXPECT_EQ(source.answers[0].at(1).completed.size(), 1U);
}

// The second of two failing polls must not be answered by the rank itself: what has come while the first one
// lasted is to be received in it. The first poll lasts from 6 us on for 100 ns.
TEST(BackgroundCollectives, LetNoRankPollByItselfWhileTheyOweSomething) {
  ScriptedSource source({{allreduce(false), after(5_us, wait({1}, all, test)), wait({1}), exit()},
                         {allreduce(false), wait({1}), exit()}});
  run(slow_reductions(2), source);
  ASSERT_TRUE(source.answers[0].at(0).completed.empty());
  EXPECT_LE(source.answers[0][0].quiet_until, source.answers[0][0].clock);
}

// Each rank starts two, whose messages arrive while both compute: their steps follow one another.
TEST(BackgroundCollectives, ShareTheirRanksProcessor) {
  const std::vector<Operation> rank{allreduce(false, 1), allreduce(false, 2), after(1_ms, wait({1, 2})),
                                    exit()};
  ScriptedSource source({rank, rank});
  EXPECT_THAT(run(slow_reductions(2), source), Each(2 * o_s + 1_ms + 2 * (o_r + combining)));
}

// Rank 1 ends without waiting for its own part, but rank 0 gets its result: the message of the second round's
// partner does not depend on calls of the program.
TEST(BackgroundCollectives, GoOnWhenTheirRankHasEnded) {
  const std::vector<Operation> waiting{allreduce(false), wait({1}), exit()};
  ScriptedSource source({waiting, {allreduce(false), exit()}, waiting, waiting});
  const SimTime round = o_s + wire + o_r + combining;
  EXPECT_THAT(run(slow_reductions(4), source), ElementsAre(2 * round, o_s, 2 * round, 2 * round));
}

// As in a live run, where operations come one by one while other ranks compute.
TEST(BackgroundCollectives, TakeTheSameTimeWhenOperationsAreNotKnownInAdvance) {
  const auto program = [] {
    std::vector<std::vector<Operation>> ranks;
    for (int i = 0; i < 4; ++i) {
      const SimTime pause = 300_us * (i + 1);
      ranks.push_back({allreduce(false, 1), after(pause, receive((i + 3) % 4, 8, 9, 3)),
                       send((i + 1) % 4, 8, 9, 4), after(pause, allreduce(false, 2)),
                       after(2_us, wait({3, 4})), after(pause, wait({1, 2}, Completion::any)), exit()});
    }
    return ScriptedSource(ranks);
  };
  ScriptedSource known = program();
  const std::vector<SimTime> ends = run(slow_reductions(4), known);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ScriptedSource live = program();
    live.hesitate(seed);
    EXPECT_EQ(run(slow_reductions(4), live), ends) << "seed " << seed;
  }
}

/// Each rank begins what its list says, and waits for some of that until all is done, as MPI_Waitsome does.
class WaitsForSome : public OperationSource {
 public:
  explicit WaitsForSome(std::vector<std::vector<Operation>> starts)
      : starts_(std::move(starts)), left_(starts_.size()), as_found(starts_.size()) {}

  std::size_t ranks() const override { return starts_.size(); }
  bool next(Rank rank, Operation& operation) override {
    std::vector<Operation>& mine = as_found[index(rank)];
    std::vector<RequestId>& left = left_[index(rank)];
    if (mine.size() < starts_[index(rank)].size()) {
      operation = starts_[index(rank)][mine.size()];
      left.push_back(operation.request);
    } else if (left.empty()) {
      operation = exit();
    } else {
      operation = script::wait({}, Completion::some);
      operation.requests.assign(left.begin(), left.end());
    }
    mine.push_back(operation);
    return true;
  }
  std::optional<SimTime> computed(Rank) override { return std::nullopt; }
  void answer(Rank rank, const Answer& answer) override {
    Operation& wait = as_found[index(rank)].back();
    wait.completion = all;
    wait.requests.clear();
    for (const Completed& completed : answer.completed) {
      wait.requests.push_back(completed.request);
      std::erase(left_[index(rank)], completed.request);
    }
  }

 private:
  std::vector<std::vector<Operation>> starts_;
  std::vector<std::vector<RequestId>> left_;

 public:
  /// By rank: what it has done, each wait one for all that it has found.
  std::vector<std::vector<Operation>> as_found;
};

/// Ranks begin the same collectives, on the same contexts, and send round in rings; of 1 to 20,000 bytes, so
/// that some messages need a rendezvous.
std::vector<std::vector<Operation>> random_starts(int ranks, std::uint64_t seed) {
  RandomStream random(seed, "starts");
  std::vector<std::vector<Operation>> starts(static_cast<std::size_t>(ranks));
  const std::uint64_t several = 2 + random.below(5);
  for (std::uint64_t i = 0; i < several; ++i) {
    const auto bytes = static_cast<std::int64_t>(8 * (1 + random.below(random.below(2) == 0 ? 2'500 : 20)));
    const std::uint64_t what = random.below(4);
    for (int rank = 0; rank < ranks; ++rank) {
      auto& mine = starts[static_cast<std::size_t>(rank)];
      const auto tag = static_cast<int>(i);
      if (what == 0) {
        mine.push_back(receive((rank + ranks - 1) % ranks, bytes, tag, 2 * i + 1));
        mine.push_back(send((rank + 1) % ranks, bytes, tag, 2 * i + 2));
        continue;
      }
      constexpr CollectiveKind kinds[] = {CollectiveKind::allreduce, CollectiveKind::allgather,
                                          CollectiveKind::barrier};
      mine.push_back(collective(kinds[what - 1], bytes, 2 * i + 1));
      mine.back().collective.blocking = false;
    }
  }
  return starts;
}

// A replay of MPI_Waitsome waits for all that the call has found: it ends when the call did, also where that
// found a second request only because its library was at work when the first one was ready.
TEST(BackgroundCollectives, EndAWaitForSomeWhenTheyEndAWaitForAllThatItFinds) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    const int ranks = 2 + static_cast<int>(seed % 5);
    Machine machine = logp_machine(static_cast<std::size_t>(ranks));
    machine.messages.reduce_per_byte = ByteCost::from_fs(1'000'000);
    machine.collectives.progress = CollectiveTuning::Progress::in_calls;
    Machine again = logp_machine(static_cast<std::size_t>(ranks));
    again.messages = machine.messages;
    again.collectives = machine.collectives;
    WaitsForSome some(random_starts(ranks, seed));
    const std::vector<SimTime> ends = Engine(machine, some, {}).run();
    ScriptedSource found(some.as_found);
    EXPECT_EQ(Engine(again, found, {}).run(), ends) << "seed " << seed;
  }
}

}  // namespace
}  // namespace morgana
