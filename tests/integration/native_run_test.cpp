#include "tests/integration/support/native_run.h"

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

TEST(NativeRun, LetsARankSleepWhileItWaits) {
  // Rank 1 answers only once the kernel has counted a hundred sleeps of rank 0.
  const FinishedProcess native = run_natively(2, {MORGANA_BIN "/sleeping_receiver"});
  EXPECT_EQ(native.exit_code, 0) << native.out << native.err;
  EXPECT_THAT(native.out, testing::HasSubstr("PASS"));
}

}  // namespace
}  // namespace morgana::test
