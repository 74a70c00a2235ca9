// Programs whose threads call MPI at once, and ranks that compute without end.

#include <string>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/native_run.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;

class CrossingThreads : public MorganaTest, public testing::WithParamInterface<std::string> {};

// Each thread's wait is over soon after the thread of the other rank has taken part, a millisecond later; so
// does the program find it in simulated time. With measured computing threads come in any order.
TEST_P(CrossingThreads, WaitAloneForWhatTheOtherRanksThreadDoes) {
  EXPECT_THAT(succeed({"run", "-n", "2", "--platform", "infiniband-hdr", "--compute", "none", "--quiet", "--",
                       program("crossing_threads"), GetParam(), "simulated"})
                  .out,
              HasSubstr("PASS"));
  EXPECT_THAT(succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--quiet", "--",
                       program("crossing_threads"), GetParam()})
                  .out,
              HasSubstr("PASS"));
}

INSTANTIATE_TEST_SUITE_P(In, CrossingThreads, testing::Values("SIW", "YX", "Ri", "GV"));

TEST_F(MorganaTest, CrossingThreadsTakeTheSameTimeEachTimeAndInAReplay) {
  for (const std::string run : {"a", "b"})
    succeed({"run", "-n", "2", "--platform", "infiniband-hdr", "--compute", "none", "--quiet", "--json",
             run + ".json", "--trace", run + ".otf2", "--", program("crossing_threads"), "SWRGV"});
  EXPECT_EQ(simulated_ps("a.json"), simulated_ps("b.json"));
  succeed({"replay", "a.otf2", "--platform", "infiniband-hdr", "--quiet", "--json", "replay.json"});
  EXPECT_EQ(simulated_ps("a.json"), simulated_ps("replay.json"));
}

TEST_F(MorganaTest, CrossingThreadsPassNatively) {
  EXPECT_THAT(run_natively(2, {program("crossing_threads")}).out, HasSubstr("PASS"));
}

class GroupingThreads : public MorganaTest, public testing::WithParamInterface<std::string> {};

// Each thread of a rank meets the thread with the same tag, in whatever order they come.
TEST_P(GroupingThreads, MakeTheirOwnCommunicatorsAtOnce) {
  for (const char* compute : {"none", "measured"})
    EXPECT_THAT(succeed({"run", "-n", "3", "--compute", compute, "--quiet", "--", program("grouping_threads"),
                         GetParam()})
                    .out,
                HasSubstr("PASS"));
}

INSTANTIATE_TEST_SUITE_P(Of, GroupingThreads, testing::Values("all", "some", "both"));

TEST_F(MorganaTest, GroupingThreadsPassNatively) {
  EXPECT_THAT(run_natively(3, {program("grouping_threads"), "both"}).out, HasSubstr("PASS"));
}

class BridgingThreads : public MorganaTest, public testing::WithParamInterface<std::string> {};

// Each thread of a rank meets the thread whose leaders have the same communicator between them.
TEST_P(BridgingThreads, MakeTheirOwnIntercommunicatorsAtOnce) {
  EXPECT_THAT(run_natively(4, {program("bridging_threads"), GetParam()}).out, HasSubstr("PASS"));
  for (const char* compute : {"none", "measured"})
    EXPECT_THAT(succeed({"run", "-n", "4", "--compute", compute, "--quiet", "--", program("bridging_threads"),
                         GetParam()})
                    .out,
                HasSubstr("PASS"));
}

INSTANTIATE_TEST_SUITE_P(Apart, BridgingThreads, testing::Values("peers", "both"));

class DuplicatingThreads : public MorganaTest, public testing::WithParamInterface<std::string> {};

// A thread that waits in MPICH for those of other ranks keeps no thread of its own rank out of MPICH.
TEST_P(DuplicatingThreads, MakeAndFreeTheirOwnCommunicatorsAtOnce) {
  EXPECT_THAT(run_natively(2, {program("duplicating_threads"), GetParam()}).out, HasSubstr("PASS"));
  for (const char* compute : {"none", "measured"})
    EXPECT_THAT(succeed({"run", "-n", "2", "--compute", compute, "--quiet", "--",
                         program("duplicating_threads"), GetParam()})
                    .out,
                HasSubstr("PASS"));
}

INSTANTIATE_TEST_SUITE_P(By, DuplicatingThreads, testing::Values("dup", "split", "idup"));

class AbortBesideRanksThatSpin : public MorganaTest, public testing::WithParamInterface<std::string> {};

// Where computing takes no time nobody knows when the collective ends for rank 0; but what it brings is
// known.
TEST_P(AbortBesideRanksThatSpin, EndsTheRunWithItsCode) {
  for (const std::string ranks : {"2", "3"}) {
    const FinishedProcess done =
        morgana({"run", "-n", ranks, "--compute", "none", "--", program("spinning"), GetParam()});
    EXPECT_EQ(done.exit_code, 9) << done.err;
    EXPECT_THAT(done.err, HasSubstr("rank 0 called MPI_Abort with code 9"));
  }
}

INSTANTIATE_TEST_SUITE_P(After, AbortBesideRanksThatSpin,
                         testing::Values("barrier", "allreduce", "bcast", "ibarrier", "two"));

}  // namespace
}  // namespace morgana::test
