// What becomes of a run whose first task ends before the others.

#include "tests/integration/morgana_test.h"

namespace morgana::test {
namespace {

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

INSTANTIATE_TEST_SUITE_P(Ways, PvmEndings, testing::Values("exit", "leave and exit"), [](const auto& way) {
  return std::string(way.param == std::string("exit") ? "Exit" : "LeaveAndExit");
});

}  // namespace
}  // namespace morgana::test
