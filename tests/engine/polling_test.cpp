#include <gtest/gtest.h>

#include "emulator/engine/engine.h"
#include "emulator/transport/interrupts/delivery_by_interrupt.h"
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

}  // namespace
}  // namespace morgana
