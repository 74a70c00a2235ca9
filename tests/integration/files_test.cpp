#include <sched.h>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

/// The first two processors that this process may use, as taskset names them.
std::string two_processors() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);
  std::string names;
  int found = 0;
  for (int processor = 0; processor < CPU_SETSIZE && found < 2; ++processor)
    if (CPU_ISSET(processor, &allowed)) names += (found++ == 0 ? "" : ",") + std::to_string(processor);
  return names;
}

/// MPICH itself waits by spinning: with four ranks to a processor this would take minutes.
TEST_F(MorganaTest, EightRanksOpenFilesTogetherOnTwoProcessors) {
  HowToRun how;
  how.folder = path("");
  const FinishedProcess result =
      run_to_end({"taskset", "-c", two_processors(), program("morgana"), "run", "-n", "8", "--quiet",
                  "--compute", "none", "--", program("shared_files"), path("shared.data")},
                 how);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, testing::HasSubstr("PASS"));
}

}  // namespace
}  // namespace morgana::test
