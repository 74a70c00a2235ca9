#include <gtest/gtest.h>

#include <optional>

#include "emulator/engine/engine.h"
#include "emulator/transport/interrupts/delivery_by_interrupt.h"
#include "tests/engine/endless_timer.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

constexpr SimTime poll_cost = 100_ns;

/// Rank 0 polls for a message from rank 1 with `pause` of computing between its polls, and answers polls
/// itself as far as the emulator's last answer lets it, if `by_itself`.
class Poller : public OperationSource {
 public:
  Poller(SimTime sent_at, SimTime pause, bool by_itself)
      : other_({{}, {after(sent_at, send(0, 8, 5, 1)), script::wait({1}), exit()}}),
        pause_(pause),
        by_itself_(by_itself) {}

  std::size_t ranks() const override { return 2; }
  bool next(Rank rank, Operation& operation) override {
    if (rank == Rank{1}) return other_.next(rank, operation);
    if (step_++ == 0) {
      operation = receive(1, 8, 5, 1);
    } else if (found_) {
      operation = exit();
    } else {
      operation = script::wait({1}, Completion::all, OperationKind::test);
      operation.elapsed = pause_;
      ++polls;
      while (by_itself_ && clock_ + operation.elapsed < quiet_until_) {
        operation.polled += poll_cost;
        operation.elapsed += poll_cost + pause_;
        ++polls;
      }
      ++asked;
    }
    return true;
  }
  void answer(Rank rank, const Answer& answer) override {
    if (rank == Rank{1}) return;
    clock_ = answer.clock;
    quiet_until_ = answer.quiet_until;
    found_ = !answer.completed.empty();
  }

  std::uint64_t polls = 0, asked = 0;

 private:
  ScriptedSource other_;
  SimTime pause_, clock_, quiet_until_;
  bool by_itself_, found_ = false;
  int step_ = 0;
};

TEST(Polling, EndsAtTheSameTimeWhenTheRankAnswersItsPollsItself) {
  for (const SimTime sent_at : {0_us, 1_us, 100_us, 1_ms})
    for (const SimTime pause : {0_ns, 30_ns, 1_us}) {
      Poller singly(sent_at, pause, false), by_itself(sent_at, pause, true);
      Machine one = logp_machine(2), other = logp_machine(2);
      EXPECT_EQ(Engine(one, singly, {}).run(), Engine(other, by_itself, {}).run());
      EXPECT_EQ(singly.polls, by_itself.polls);
      EXPECT_EQ(singly.asked, singly.polls);
      EXPECT_LT(by_itself.asked, 10U) << "of " << by_itself.polls;
    }
}

// The message interrupts the receiver 6.007 us after the begin: before, in or after its first poll, which
// begins after the pause.
TEST(Polling, OfAnInterruptedRankEndsAtTheSameTimeWhenTheRankAnswersItself) {
  for (std::int64_t ns = 5880; ns < 6040; ns += 7) {
    const auto end = [&](bool by_itself) {
      Machine machine = logp_machine(2);
      machine.kernel = std::make_unique<Kernel>(
          *machine.events, 1, InterruptParameters{InterruptParameters::Handling::fixed, 10_us, 0});
      machine.transport = std::make_unique<DeliveryByInterrupt>(*machine.events, *machine.kernel,
                                                                std::move(machine.transport));
      Poller source(0_us, SimTime::from_ps(ns * 1000), by_itself);
      return Engine(machine, source, {}).run().at(0);
    };
    EXPECT_EQ(end(true), end(false)) << ns;
  }
}

// The poll lasts from 6 to 6.1 us; the message comes at o_s + L + 7 ns = 6.007 us, too late for it.
TEST(Polling, IsNotLeftToTheRankWhenWhatItAsksForHasComeMeanwhile) {
  ScriptedSource source(
      {{receive(1, 8, 5, 1), after(6_us, script::wait({1}, Completion::all, OperationKind::test)),
        script::wait({1}), exit()},
       {send(0, 8, 5, 1), script::wait({1}), after(1_ms, send(0, 8, 6, 1)), script::wait({1}), exit()}});
  Machine machine = logp_machine(2);
  Engine(machine, source, {}).run();
  ASSERT_TRUE(source.answers[0].at(0).completed.empty());
  EXPECT_LE(source.answers[0][0].quiet_until, source.answers[0][0].clock);
}

// Request 1, for which another thread of rank 0 waits, is ready at 6.007 us, in the first probe (6 to 6.1
// us), as above, too late for it; request 2 at 1 ms, and a message that nobody receives behind it. None of
// them ends a probe.
TEST(Polling, SaysByItsNewsWhetherSomethingHasComeForTheRank) {
  Operation probe = plain(OperationKind::test_probe);
  probe.peer = Rank{1};
  probe.tag = Tag{7};
  probe.wants_answer = true;
  ScriptedSource source({{receive(1, 8, 5, 1), receive(1, 8, 6, 2), after(6_us, probe), after(1_us, probe),
                          probe, after(2_ms, probe), after(2_ms, probe), script::wait({1, 2}), exit()},
                         {send(0, 8, 5, 1), script::wait({1}), after(1_ms, send(0, 8, 6, 1)),
                          script::wait({1}), after(2_ms, send(0, 8, 8, 2)), script::wait({2}), exit()}});
  Machine machine = logp_machine(2);
  Engine(machine, source, {}).run();
  const std::vector<Answer>& answers = source.answers[0];
  ASSERT_GE(answers.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_TRUE(answers[i].completed.empty()) << i;
  EXPECT_LE(answers[0].quiet_until, answers[0].clock);
  EXPECT_EQ(answers[1].news, answers[0].news + 1);
  EXPECT_EQ(answers[2].news, answers[1].news);
  EXPECT_GT(answers[2].quiet_until, answers[2].clock + 900_us);
  EXPECT_EQ(answers[3].news, answers[2].news + 1);
  EXPECT_EQ(answers[4].news, answers[3].news + 1);
}

// Rank 0's poll lasts from 1 to 1.1 us, rank 1's begins at 1.3 us; rank 2 sends at 1 ms.
TEST(Polling, IsLeftToTheRankBeyondOthersPollsThatAreKnown) {
  const auto poll_at = [](SimTime at) {
    return after(at, script::wait({1}, Completion::all, OperationKind::test));
  };
  ScriptedSource source({{receive(2, 8, 5, 1), poll_at(1_us), script::wait({1}), exit()},
                         {receive(2, 8, 5, 1), poll_at(1300_ns), script::wait({1}), exit()},
                         {after(1_ms, send(0, 8, 5, 1)), send(1, 8, 5, 2), script::wait({1, 2}), exit()}});
  Machine machine = logp_machine(3);
  Engine(machine, source, {}).run();
  const Answer first = source.answers[0].at(0);
  EXPECT_EQ(first.clock, 1100_ns);
  EXPECT_EQ(first.quiet_until, 1300_ns);
  EXPECT_EQ(first.quiet_but_for_computing, 1_ms);
  ASSERT_EQ(first.computing.size(), 1U);
  EXPECT_EQ(first.computing[0].rank, Rank{1});
}

// Rank 1's test goes on with its collective, and what that sends may reach others sooner than what the rank
// does after it.
TEST(Polling, IsNotLeftToTheRankBeyondPollsThatGoOnWithCollectives) {
  const auto test_at = [](SimTime at, std::uint64_t request) {
    return after(at, script::wait({request}, Completion::all, OperationKind::test));
  };
  Operation barrier = collective(CollectiveKind::barrier, 0, 2);
  barrier.collective.blocking = false;
  ScriptedSource source(
      {{receive(2, 8, 5, 1), test_at(1_us, 1), script::wait({1}), barrier, script::wait({2}), exit()},
       {barrier, test_at(300_ns, 2), script::wait({2}), exit()},
       {after(1_ms, send(0, 8, 5, 1)), barrier, script::wait({1, 2}), exit()}});
  Machine machine = logp_machine(3);
  machine.collectives.progress = CollectiveTuning::Progress::in_calls;
  Engine(machine, source, {}).run();
  const Answer first = source.answers[0].at(0);
  EXPECT_EQ(first.quiet_until, 1300_ns);
  EXPECT_TRUE(first.computing.empty());
}

Operation look(SimTime after_computing) {
  Operation o = plain(OperationKind::test_probe);
  o.peer = any_rank;
  o.tag = Tag{5};
  o.wants_answer = true;
  return after(after_computing, o);
}

// Rank 0's last poll begins at 25.1 us, after the timer, and nothing else is to happen.
TEST(Polling, ThatBeginsAfterATimersTimeIsNoDeadlock) {
  ScriptedSource source({{look(1_us), look(24_us), exit()}, {exit()}});
  Machine machine = logp_machine(2);
  const EndlessTimer sampler(*machine.events);
  EXPECT_EQ(Engine(machine, source, {}).run().at(0), 25_us + 2 * poll_cost);
}

/// Rank 0 only serves the others, of which the last one begins when it is told to.
class ServedPollers : public ScriptedSource {
 public:
  using ScriptedSource::ScriptedSource;
  bool runs_at_start(Rank rank) const override { return index(rank) + 1 < ranks(); }
  bool is_service(Rank rank) const override { return rank == Rank{0}; }
};

// The service ends rank 2 at 40 us, before its poll at 50 us begins, and starts rank 3, which polls at 43 us;
// rank 1 polls all the time and leaves. The service's own poll never begins.
TEST(Polling, ByTasksThatAreEndedOrComeLaterAndByAServiceIsNoDeadlock) {
  Operation kill = plain(OperationKind::kill), spawn = plain(OperationKind::spawn);
  kill.peer = Rank{2};
  spawn.peer = Rank{3};
  spawn.host = 3;
  for (const bool is_sampled : {false, true}) {
    ServedPollers source({{after(40_us, kill), spawn, look(1_ms), exit()},
                          {look(10_us), look(10_us), look(50_us), exit()},
                          {look(30_us), look(20_us), exit()},
                          {look(3_us), look(70_us), exit()}});
    Machine machine = logp_machine(4);
    std::optional<EndlessTimer> sampler;
    if (is_sampled) sampler.emplace(*machine.events);
    const std::vector<SimTime> ends = Engine(machine, source, {}).run();
    EXPECT_EQ(ends.at(1), 70_us + 3 * poll_cost);
    EXPECT_EQ(ends.at(2), 40_us);
    EXPECT_EQ(ends.at(3), 113_us + 2 * poll_cost);
    EXPECT_EQ(source.answers[2].size(), 1U);
    EXPECT_TRUE(source.answers[0].empty());
  }
}

}  // namespace
}  // namespace morgana
