// What becomes of a run whose first task ends before the others.

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

class PvmEndings : public MorganaTest, public testing::WithParamInterface<const char*> {};

// Over PVM 3.4.6, too, the first task's exit code is 7 and nothing is said; there the child waits on.
TEST_P(PvmEndings, TheFirstTaskEndsTheRunThoughItsChildWaits) {
  const FinishedProcess run =
      morgana({"run", "-n", "2", "--platform", "loggp-example", "--set", "hosts.processors=16", "--compute",
               "none", "--", program("../tests/pvm/leaving"), GetParam()});
  EXPECT_EQ(run.exit_code, 7) << run.err;
  EXPECT_THAT(run.out, HasSubstr("started 1\n"));
  EXPECT_THAT(run.err, HasSubstr("the first task has ended, and the others can't go on"));
  EXPECT_THAT(run.out + run.err, Not(HasSubstr("not reached")));
}

TEST_P(PvmEndings, TheTraceOfSuchARunHoldsWhatHadEnded) {
  const FinishedProcess run =
      morgana({"run", "-n", "2", "--platform", "loggp-example", "--set", "hosts.processors=16", "--compute",
               "none", "--trace", "run.otf2", "--", program("../tests/pvm/leaving"), GetParam()});
  EXPECT_EQ(run.exit_code, 7) << run.err;
  EXPECT_THAT(run.err, HasSubstr("the trace run.otf2 holds what had ended before a deadlock"));
  EXPECT_THAT(run.err, HasSubstr("the first task has ended, and the others can't go on"));
  succeed({"replay", "run.otf2", "--platform", "loggp-example"});
}

class PvmFailures : public MorganaTest {
 protected:
  FinishedProcess leaving(const char* way) {
    return morgana({"run", "-n", "2", "--platform", "loggp-example", "--compute", "none", "--",
                    program("../tests/pvm/leaving"), way});
  }
};

TEST_F(PvmFailures, ADeadlockTellsBySignalWhichTaskHasEnded) {
  const FinishedProcess run = leaving("crash");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("rank 1: waits in pvm_recv"));
  EXPECT_THAT(run.err, HasSubstr("rank 2: has ended"));
  EXPECT_THAT(run.err,
              ContainsRegex("rank 2, task t[0-9a-f]+, was killed by signal 11 \\(Segmentation fault\\)"));
}

TEST_F(PvmFailures, ADeadlockTellsTheExitCodeOfATaskThatHasFailed) {
  const FinishedProcess run = leaving("fail");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, ContainsRegex("rank 2, task t[0-9a-f]+, exited with code 3"));
}

// One after the other they would be waited for longer than the command is given.
TEST_F(PvmFailures, ADeadlockIsToldThoughManyProcessesDontEnd) {
  const FinishedProcess run = leaving("stick");
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.err, HasSubstr("rank 31: has ended"));
}

// It was printed into a pipe, so that the task's library still had it when the run ended.
TEST_F(PvmFailures, WhatATaskHasPrintedBeforeADeadlockAppears) {
  const FinishedProcess run = morgana({"run", "-n", "2", "--platform", "loggp-example", "--compute", "none",
                                       "-q", "--", program("pvm_spawner"), "1", "nosuchtask", "@nobody"});
  EXPECT_EQ(run.exit_code, 3) << run.err;
  EXPECT_THAT(run.out, HasSubstr("cannot start nosuchtask: "));
}

INSTANTIATE_TEST_SUITE_P(Ways, PvmEndings, testing::Values("exit", "leave and exit"), [](const auto& way) {
  return std::string(way.param == std::string("exit") ? "Exit" : "LeaveAndExit");
});

}  // namespace
}  // namespace morgana::test
