// What ranks are told that wait beside one which computes on and on.

#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/operations/unknown_time.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

/// Rank 1 computes from its second collective on until the engine has waited for it several times:
/// is_held_up() is said from the second time on, if ever.
class HeldUpSource final : public ScriptedSource {
 public:
  HeldUpSource(std::vector<std::vector<Operation>> scripts, bool says_so)
      : ScriptedSource(std::move(scripts)), says_so_(says_so) {}

  bool next(Rank rank, Operation& operation) override {
    if (rank == Rank{1} && taken_ == holds_after && waited_ < 4) return false;
    if (rank == Rank{1}) ++taken_;
    return ScriptedSource::next(rank, operation);
  }
  std::optional<SimTime> computed(Rank /*rank*/) override {
    return waited_ < 4 ? std::optional(SimTime()) : std::nullopt;
  }
  bool is_held_up() override { return says_so_ && waited_ >= 2; }
  void wait(std::span<const AwaitedRank> /*awaited*/) override { ++waited_; }
  void answer(Rank rank, const Answer& answer) override {
    if (answer.clock == unknown_time) answered_while_held_up = waited_ < 4;
    ScriptedSource::answer(rank, answer);
  }

  static constexpr int holds_after = 2;  ///< of its operations
  bool answered_while_held_up = false;

 private:
  bool says_so_;
  int taken_ = 0, waited_ = 0;
};

struct AnsweredCourse {
  std::vector<SimTime> exits;
  std::vector<std::vector<Answer>> answers;
  bool answered_while_held_up;
};

Operation with_payload(Operation operation, std::uint64_t payload) {
  operation.payload = payload;
  return operation;
}

Operation unheard(Operation operation) {
  operation.wants_answer = false;
  return operation;
}

/// Rank 1 enters last, finds what rank 0 has sent, and computes; rank 0 waits for what is on its way.
AnsweredCourse answered_course(const Operation& zeros, bool says_so, Operation last = wait({1})) {
  const auto entered = [&](std::uint64_t payload) { return with_payload(zeros, payload); };
  HeldUpSource source(
      {{entered(100), std::move(last), after(3_us, plain(OperationKind::read_clock)), exit()},
       {after(20_us, entered(101)), unheard(wait({1})), after(1_us, plain(OperationKind::nothing)), exit()}},
      says_so);
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  std::vector<SimTime> exits = engine.run();
  return {std::move(exits), source.answers, source.answered_while_held_up};
}

class WhatWaitsBring : public testing::TestWithParam<CollectiveKind> {};

TEST_P(WhatWaitsBring, IsToldBeforeItsTimeIfARankComputesOnAndOn) {
  const Operation zeros = collective(GetParam(), 8, 1);
  const AnsweredCourse held_up = answered_course(zeros, true), as_ever = answered_course(zeros, false);
  EXPECT_EQ(held_up.exits, as_ever.exits);
  ASSERT_EQ(held_up.answers[0].size(), 2U);
  ASSERT_EQ(as_ever.answers[0].size(), 2U);
  const Answer &early = held_up.answers[0][0], &timely = as_ever.answers[0][0];
  EXPECT_EQ(early.clock, unknown_time);
  EXPECT_TRUE(held_up.answered_while_held_up);
  EXPECT_LT(timely.clock, 1_s);
  EXPECT_EQ(early.completed, timely.completed);
  EXPECT_EQ(held_up.answers[0][1], as_ever.answers[0][1]) << "its clock later on";
}

INSTANTIATE_TEST_SUITE_P(Of, WhatWaitsBring,
                         testing::Values(CollectiveKind::barrier, CollectiveKind::allreduce,
                                         CollectiveKind::allgather));

TEST(WhatWaitsBring, IsNotToldBeforeAllHaveEntered) {
  // Rank 1 computes before it enters: nobody knows what it will give.
  const Operation zeros = collective(CollectiveKind::allreduce, 8, 1);
  HeldUpSource source({{with_payload(zeros, 100), wait({1}), exit()},
                       {plain(OperationKind::nothing), plain(OperationKind::nothing),
                        with_payload(zeros, 101), unheard(wait({1})), exit()}},
                      true);
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  engine.run();
  ASSERT_EQ(source.answers[0].size(), 1U);
  EXPECT_NE(source.answers[0][0].clock, unknown_time);
  EXPECT_EQ(source.answers[0][0].completed.at(0).deposits, (std::vector<std::uint64_t>{100, 101}));
}

TEST(WhatWaitsBring, IsNotToldOfAWaitThatHasALimitOrEndsWithAnyRequest) {
  const Operation zeros = collective(CollectiveKind::barrier, 8, 1);
  Operation limited = wait({1});
  limited.duration = 1_s;
  for (const Operation& last : {limited, wait({1}, Completion::any)}) {
    const AnsweredCourse held_up = answered_course(zeros, true, last),
                         as_ever = answered_course(zeros, false, last);
    EXPECT_EQ(held_up.answers, as_ever.answers);
  }
}

}  // namespace
}  // namespace morgana
