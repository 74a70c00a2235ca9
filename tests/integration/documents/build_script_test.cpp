#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

// Some awk read from a pipe by whole blocks: what they print comes when the build has ended.
TEST_F(MorganaTest, ABuildsProgressIsShownWhileItGoesOn) {
  const FinishedProcess shown =
      in_shell("set -euo pipefail; cd " MORGANA_SOURCE
               "; source scripts/build.sh; out=$OLDPWD/shown\n"
               "exec 3> >(build_progress >\"$out\")\n"
               "echo '[1 of 4, 11.0s] a file' >&3\n"
               "for ((tries = 0; tries < 600; ++tries)); do [[ ! -s $out ]] || break; sleep 0.1; done\n"
               "cat \"$out\"");
  EXPECT_EQ(shown.out, "1 of 4 steps after 11 s, about 33 s to go\n") << shown.err;
}

}  // namespace
}  // namespace morgana::test
