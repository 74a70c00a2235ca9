#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

/// docs/mpi-functions.md is made of MPICH's installed headers and of pvmshim/mpi/*.def: if any of the three
/// has changed alone, they differ.
TEST(MpiFunctions, TheTableIsWhatTheHeadersAndTheDefinitionsSay) {
  if (MPICH_NUMBER >= 40100000L) GTEST_SKIP() << "the table is that of MPICH 4.0's headers";
  const FinishedProcess made = run_to_end({MORGANA_SOURCE "/scripts/mpi-functions.sh"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  ASSERT_THAT(made.out, testing::HasSubstr("| `MPI_Send` | modelled |"));
  EXPECT_EQ(made.out, run_to_end({"cat", MORGANA_SOURCE "/docs/mpi-functions.md"}).out)
      << "scripts/mpi-functions.sh > docs/mpi-functions.md mends it";
}

/// What the table says is modelled, the library must take over.
TEST(MpiFunctions, WhatIsModelledIsExported) {
  const FinishedProcess missing = run_to_end(
      {"bash", "-c",
       "comm -13 <(nm -D --defined-only " MORGANA_BIN "/../lib/libmorgana-mpi.so | cut -d' ' -f3 | sort -u) "
       "<(sed -nE 's/^\\| `(\\w+)` \\| (modelled|refused|passed through, together) .*/\\1/p' " MORGANA_SOURCE
       "/docs/mpi-functions.md | sort -u)"});
  EXPECT_EQ(missing.exit_code, 0) << missing.err;
  EXPECT_EQ(missing.out, "");
}

}  // namespace
}  // namespace morgana::test
