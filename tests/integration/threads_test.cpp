// Programs whose threads call MPI at once, and ranks that compute without end.

#include <string>
#include <utility>

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

/// How often the ranks called it.
std::int64_t count_of(const nlohmann::json& run, const std::string& call) {
  for (const auto& one : run.at("calls"))
    if (one.at("call") == call) return one.at("count").get<std::int64_t>();
  return 0;
}

class PollingThreads : public MorganaTest, public testing::WithParamInterface<std::string> {};

TEST_P(PollingThreads, GetTheirMessages) {
  EXPECT_THAT(run_natively(2, {program("polling_threads"), GetParam(), "4", "5", "20000"}).out,
              HasSubstr("PASS"));
  for (const char* compute : {"none", "measured"})
    EXPECT_THAT(succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--compute", compute, "--quiet",
                         "--", program("polling_threads"), GetParam(), "4", "5", "20000"})
                    .out,
                HasSubstr("PASS"));
}

TEST_P(PollingThreads, TakeTheSameTimeEachTimeAndInAReplay) {
  // "a" polls all the time; messages of "c" are eager, so that looks meet steps of barriers.
  const std::string bytes = GetParam() == "a" || GetParam() == "c" ? "20000" : "200000";
  for (const std::string run : {"a", "b"})
    succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--compute", "none", "--quiet", "--json",
             run + ".json", "--trace", run + ".otf2", "--", program("polling_threads"), GetParam(), "2", "3",
             bytes});
  EXPECT_EQ(simulated_ps("a.json"), simulated_ps("b.json"));
  succeed({"replay", "a.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
  EXPECT_EQ(simulated_ps("a.json"), simulated_ps("replay.json"));
}

INSTANTIATE_TEST_SUITE_P(By, PollingThreads,
                         testing::Values("i", "p", "m", "t", "r", "o", "M", "x", "a", "c"));

// While one thread's message of a megabyte is under way the other one polls some 80,000 times (poll-cost is 1
// us), and the first one's wait is looked after as often. Each rank's two threads have two messages.
TEST_F(MorganaTest, ThreadsThatWaitAreCountedOnceHoweverOftenOthersPoll) {
  succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--compute", "none", "--quiet", "--json",
           "run.json", "--", program("polling_threads"), "i", "2", "2", "1000000"});
  const nlohmann::json run = read_json("run.json");
  EXPECT_GT(count_of(run, "MPI_Iprobe"), 40'000);
  EXPECT_EQ(count_of(run, "MPI_Recv"), 4);
  EXPECT_EQ(count_of(run, "MPI_Send"), 4);
  EXPECT_LE(count_of(run, "MPI_Waitsome"), 2 * 4);
}

// Other threads' calls lie between the begin and the end of each. Four threads with ten messages each.
TEST_F(MorganaTest, BlockingCallsOfThreadsAreCountedAsOftenAsTheyAreCalled) {
  for (const std::string bytes : {"8", "200000"}) {
    succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--compute", "none", "--quiet", "--json",
             "run.json", "--trace", bytes + ".otf2", "--", program("polling_threads"), "r", "4", "10",
             bytes});
    succeed({"replay", bytes + ".otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
    for (const char* name : {"run.json", "replay.json"})
      for (const char* call : {"MPI_Send", "MPI_Recv"})
        EXPECT_EQ(count_of(read_json(name), call), 40) << call << " of " << bytes << " B in " << name;
  }
}

// Three threads with four messages each, which wait in one probe: all of them in MPI_Mprobe, or one.
TEST_F(MorganaTest, ThreadsInMprobeAreCountedAsOftenAsTheyCall) {
  for (const auto& [how, calls] : {std::pair<std::string, int>("M", 12), {"x", 4}}) {
    succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--compute", "none", "--quiet", "--json",
             "run.json", "--trace", how + ".otf2", "--", program("polling_threads"), how, "3", "4", "20000"});
    succeed({"replay", how + ".otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
    for (const char* name : {"run.json", "replay.json"})
      EXPECT_EQ(count_of(read_json(name), "MPI_Mprobe"), calls) << how << ' ' << name;
  }
}

// The other thread's polls wait for no call of the one that spins; the other rank waits for both.
TEST_F(MorganaTest, ThreadsThatPolledAndSpinHoldUpNobody) {
  for (const char* compute : {"none", "measured"})
    EXPECT_THAT(succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--compute", compute, "--quiet",
                         "--", program("polls_that_end"), "spin", "20", "200"})
                    .out,
                HasSubstr("PASS"));
}

TEST_F(MorganaTest, PollsWaitOnceForWhatAnotherThreadComputedOnTheSameCores) {
  for (const std::string cores : {"unlimited", "1", "2"})
    EXPECT_THAT(
        succeed({"run", "-n", "2", "--platform", "fast-ethernet", "--set", "hosts.cores-per-rank=" + cores,
                 "--quiet", "--", program("polls_that_end"), "share", "300", "1"})
            .out,
        HasSubstr("PASS"));
}

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
