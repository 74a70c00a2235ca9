#include <gtest/gtest.h>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

Operation wait_at_most(SimTime limit, std::initializer_list<std::uint64_t> requests, Completion completion) {
  Operation operation = script::wait(requests, completion);
  operation.duration = limit;
  operation.wants_answer = true;
  return operation;
}

/// Rank 1 sends at 50 us; rank 0 does what `waits` says with its receive, request 1.
std::vector<Answer> answers_to(std::vector<Operation> waits) {
  std::vector<Operation> receiver{receive(1, 8, 5, 1)};
  receiver.insert(receiver.end(), waits.begin(), waits.end());
  receiver.push_back(exit());
  ScriptedSource source({receiver, {after(50_us, send(0, 8, 5, 1)), script::wait({1}), exit()}});
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  engine.run();
  return source.answers[0];
}

TEST(WaitWithALimit, EndsEmptyHandedWhenNothingHasCompletedByThen) {
  const auto answers = answers_to({wait_at_most(10_us, {1}, Completion::any), script::wait({1})});
  ASSERT_FALSE(answers.empty());
  EXPECT_EQ(answers[0].clock, 10_us);
  EXPECT_TRUE(answers[0].completed.empty());
}

TEST(WaitWithALimit, LeavesTheRequestPendingForALaterWait) {
  const auto answers =
      answers_to({wait_at_most(10_us, {1}, Completion::all), wait_at_most(1_s, {1}, Completion::all)});
  ASSERT_EQ(answers.size(), 2U);
  ASSERT_EQ(answers[1].completed.size(), 1U);
  EXPECT_EQ(answers[1].completed[0].source, Rank{1});
  EXPECT_GT(answers[1].clock, 50_us);
  EXPECT_LT(answers[1].clock, 1_s);
}

TEST(WaitWithALimit, IsAsLongAsAnyOtherWhenTheMessageComesInTime) {
  Operation plain = script::wait({1});
  plain.wants_answer = true;
  const auto limited = answers_to({wait_at_most(1_s, {1}, Completion::all)});
  const auto unlimited = answers_to({plain});
  ASSERT_EQ(limited.size(), 1U);
  ASSERT_EQ(unlimited.size(), 1U);
  EXPECT_EQ(limited[0], unlimited[0]);
}

TEST(WaitWithALimit, HasNoSayInAWaitThatCameAfterIt) {
  // The first wait's limit passes while the second, without one, waits for the same rank.
  std::vector<Operation> receiver{receive(1, 8, 5, 1), receive(1, 8, 6, 2),
                                  wait_at_most(60_us, {1}, Completion::all), script::wait({2}), exit()};
  receiver[3].wants_answer = true;
  ScriptedSource source(
      {receiver,
       {after(5_us, send(0, 8, 5, 1)), after(200_us, send(0, 8, 6, 2)), script::wait({1, 2}), exit()}});
  Machine machine = logp_machine(2);
  Engine engine(machine, source, {});
  engine.run();
  ASSERT_EQ(source.answers[0].size(), 2U);
  EXPECT_EQ(source.answers[0][0].completed.size(), 1U);
  EXPECT_EQ(source.answers[0][1].completed.size(), 1U);
  EXPECT_GT(source.answers[0][1].clock, 200_us);
}

}  // namespace
}  // namespace morgana
