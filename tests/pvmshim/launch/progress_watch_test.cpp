#include "pvmshim/launch/process/progress_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace morgana {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using Where = RankStanding::Where;
using Does = ThreadActivity::Does;

/// Ranks whose processes are 100 and so on, and a clock of the test's own.
class ProgressWatchTest : public testing::Test {
 protected:
  void rank(Where where, const std::string& call, std::vector<ThreadActivity> threads) {
    const auto number = static_cast<int>(ranks_.size());
    ranks_.push_back({Rank{number}, where, call, 100 + number});
    processes_[100 + number].threads = std::move(threads);
  }
  ProcessActivity& process(int rank) { return processes_[100 + rank]; }

  std::string look(ProgressWatch& watch, std::chrono::milliseconds later = 1s) {
    now_ += later;
    return watch.look(now_, [this] { return ranks_; });
  }
  /// @return what the watch says in so many looks, and after which it said something first
  struct Said {
    std::string text;
    int after = 0;
  };
  Said in_looks(ProgressWatch& watch, int looks) {
    Said said;
    for (int i = 1; i <= looks; ++i) {
      const std::string text = look(watch);
      if (!text.empty() && said.after == 0) said.after = i;
      said.text += text;
    }
    return said;
  }
  ProgressWatch watch(bool computing_takes_time = false) {
    return {1s, computing_takes_time, [this](pid_t process) { return processes_[process]; }};
  }
  void two_ranks_that_hang() {
    rank(Where::in_call, "MPI_Recv", {{100, Does::sleeps, "futex"}});
    rank(Where::in_program, "MPI_Barrier", {{101, Does::sleeps, "read of descriptor 0 (/dev/null)"}});
  }

  std::vector<RankStanding> ranks_;
  std::map<pid_t, ProcessActivity> processes_;
  ProgressWatch::Clock::time_point now_{};
};

TEST_F(ProgressWatchTest, SaysInOneLineWhatEveryRankIsIn) {
  two_ranks_that_hang();
  rank(Where::in_call, "MPI_Recv", {{102, Does::sleeps, "futex"}});
  rank(Where::not_begun, "", {{103, Does::sleeps, "wait4"}});
  ProgressWatch watching = watch();
  const Said said = in_looks(watching, 20);
  EXPECT_EQ(said.after, 1 + ProgressWatch::looks_until_line);
  EXPECT_EQ(
      said.text,
      "note: for 10 s no rank has gone on: ranks 0, 2: in MPI_Recv; rank 1: between calls after MPI_Barrier, "
      "asleep in read of descriptor 0 (/dev/null); rank 3: before MPI_Init, asleep in wait4. The run waits; "
      "Ctrl-C ends it");
}

TEST_F(ProgressWatchTest, SaysMoreAfterAnotherWhileAndThenNothing) {
  two_ranks_that_hang();
  process(1).threads.push_back({777, Does::sleeps, "poll"});
  ProgressWatch watching = watch();
  in_looks(watching, 1 + ProgressWatch::looks_until_line);
  const Said said = in_looks(watching, 200);
  EXPECT_EQ(said.after, ProgressWatch::looks_until_details);
  EXPECT_EQ(
      said.text,
      "note: still no rank has gone on, for 60 s:\n"
      "  rank 0 (process 100): in MPI_Recv; thread 100 asleep in futex\n"
      "  rank 1 (process 101): between calls after MPI_Barrier; thread 101 asleep in read of descriptor 0 "
      "(/dev/null), thread 777 asleep in poll");
}

TEST_F(ProgressWatchTest, BeginsAnewWhenARankHasSaidSomething) {
  two_ranks_that_hang();
  ProgressWatch watching = watch();
  EXPECT_THAT(in_looks(watching, ProgressWatch::looks_until_line).text, IsEmpty());
  watching.moved();
  EXPECT_EQ(in_looks(watching, 20).after, 1 + ProgressWatch::looks_until_line);
  watching.moved();
  EXPECT_EQ(in_looks(watching, 40).after, 1 + 2 * ProgressWatch::looks_until_line)
      << "it did go on after the last";
}

// Whatever the clock says: a look is worth one interval at most.
TEST_F(ProgressWatchTest, CountsNoTimeInWhichItCouldNotLook) {
  two_ranks_that_hang();
  ProgressWatch watching = watch();
  in_looks(watching, 5);
  for (int i = 6; i <= ProgressWatch::looks_until_line; ++i) EXPECT_THAT(look(watching, 1h), IsEmpty());
  EXPECT_THAT(look(watching, 1h), HasSubstr("for 10 s"));
}

TEST_F(ProgressWatchTest, LooksNoMoreOftenThanItIsTo) {
  two_ranks_that_hang();
  ProgressWatch watching = watch();
  look(watching);
  for (int i = 0; i < 500; ++i) EXPECT_THAT(look(watching, 1ms), IsEmpty());
}

// A rank waits for a processor on a busy machine: it is runnable at each look, and uses hardly any CPU time.
TEST_F(ProgressWatchTest, SaysNothingOfARankThatCouldRun) {
  two_ranks_that_hang();
  process(1).threads[0].does = Does::runs;
  ProgressWatch watching = watch(true);
  EXPECT_THAT(in_looks(watching, 200).text, IsEmpty());
}

TEST_F(ProgressWatchTest, SaysNothingWhileSomethingElseOfTheRankRuns) {
  two_ranks_that_hang();
  ProgressWatch watching = watch();
  process(1).child_runs = true;
  EXPECT_THAT(in_looks(watching, 100).text, IsEmpty());
  process(1).child_runs = false;
  process(1).threads.push_back({777, Does::runs, ""});
  EXPECT_THAT(in_looks(watching, 100).text, IsEmpty());
  process(1).threads.back().does = Does::stopped;  // which somebody else tells of
  EXPECT_THAT(in_looks(watching, 100).text, IsEmpty());
  process(1).threads.back().does = Does::sleeps;
  EXPECT_THAT(in_looks(watching, 100).text, HasSubstr("no rank has gone on"));
}

TEST_F(ProgressWatchTest, SaysNothingWhileNobodyKnowsARanksProcess) {
  two_ranks_that_hang();
  rank(Where::not_begun, "", {});
  ranks_.back().process = 0;
  ProgressWatch watching = watch();
  EXPECT_THAT(in_looks(watching, 100).text, IsEmpty());
}

// It sleeps whenever it is looked at, and has used CPU time meanwhile.
TEST_F(ProgressWatchTest, SaysNothingOfARankThatWakesAndWorks) {
  two_ranks_that_hang();
  ProgressWatch watching = watch(true);
  for (int i = 0; i < 100; ++i) {
    process(1).used += 300ms;
    EXPECT_THAT(look(watching), IsEmpty());
  }
}

TEST_F(ProgressWatchTest, TakesARankThatOnlyWakesToBeAsleep) {
  two_ranks_that_hang();
  ProgressWatch watching = watch(true);
  std::string text;
  for (int i = 0; i < 20; ++i) {
    process(0).used += 900ms;  // in its call, whatever it does there
    process(1).used += 2ms;
    text += look(watching);
  }
  EXPECT_THAT(text, HasSubstr("no rank has gone on"));
}

TEST_F(ProgressWatchTest, SaysOnceThatARankComputesForWhichTheOthersWait) {
  two_ranks_that_hang();
  process(1).threads[0].does = Does::runs;
  ProgressWatch watching = watch();
  std::string text;
  for (int i = 0; i < 12; ++i) {
    process(1).used += 1s;
    text += look(watching);
  }
  EXPECT_THAT(text, IsEmpty()) << "10 s from the third look on";
  for (int i = 0; i < 100; ++i) {
    process(1).used += 1s;
    text += look(watching);
  }
  EXPECT_EQ(
      text,
      "note: rank 1 has used 10 s of CPU time without a call of MPI, and the others wait for it: it computes "
      "or spins, and with --compute none neither takes simulated time (rank 0: in MPI_Recv; rank 1: between "
      "calls after MPI_Barrier, running). If it never calls, run it with measured computing");
}

TEST_F(ProgressWatchTest, DoesNotSayThatWhereComputingTakesTimeOrNobodyWaits) {
  two_ranks_that_hang();
  process(1).threads[0].does = Does::runs;
  ProgressWatch measured = watch(true), none = watch();
  for (int i = 0; i < 100; ++i) {
    process(1).used += 1s;
    EXPECT_THAT(look(measured), IsEmpty());
  }
  ranks_[0].where = Where::in_program;
  for (int i = 0; i < 100; ++i) {
    process(1).used += 1s;
    EXPECT_THAT(look(none), IsEmpty());
  }
}

TEST_F(ProgressWatchTest, LeavesOutRanksWhoseProcessesHaveEnded) {
  two_ranks_that_hang();
  rank(Where::ended, "MPI_Finalize", {});
  rank(Where::ended, "MPI_Finalize", {{103, Does::sleeps, "pause"}});
  ProgressWatch watching = watch();
  EXPECT_THAT(in_looks(watching, 20).text,
              AllOf(HasSubstr("rank 3: after MPI_Finalize, asleep in pause"), Not(HasSubstr("rank 2"))));
}

}  // namespace
}  // namespace morgana
