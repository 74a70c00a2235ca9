#include "pvmshim/launch/mpi/mpi_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "pvmshim/launch/mpi/live_program.h"
#include "pvmshim/launch/process/proc_file.h"
#include "pvmshim/launch/process/process_state.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using testing::Forked;
using ::testing::HasSubstr;
using testing::Pipe;

const std::string misbehaving = TEST_PROGRAMS "/misbehaving";

/// A temporary folder, and a shell command that leaves a rank's process number in it.
class MpiJobTest : public ::testing::Test {
 protected:
  MpiJobTest() {
    std::string name = (fs::temp_directory_path() / "morgana-job-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~MpiJobTest() override { fs::remove_all(folder_); }

  std::vector<std::string> shell(const std::string& then) const {
    return {"/bin/sh", "-c",
            "echo $$ > " + folder_.string() + "/$PMI_RANK.new; mv " + folder_.string() + "/$PMI_RANK.new " +
                folder_.string() + "/$PMI_RANK; " + then};
  }
  /// Waits until the rank's process has left its number.
  pid_t pid_of(int rank) const {
    pid_t pid = 0;
    while (!(std::ifstream(folder_ / std::to_string(rank)) >> pid)) {
    }
    return pid;
  }

  fs::path folder_;
};

bool runs(pid_t pid) {
  const std::string status = read_proc_file("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t after_name = status.rfind(')');
  return after_name != std::string::npos && status[after_name + 2] != 'Z' && status[after_name + 2] != 'X';
}

TEST_F(MpiJobTest, GivesTheProgramsExitCode) {
  EXPECT_EQ(MpiJob({"/bin/true"}, 2, {}).wait(), 0);
  EXPECT_EQ(MpiJob({"/bin/sh", "-c", "exit 3"}, 2, {}).wait(), 3);
}

TEST_F(MpiJobTest, PutsTheEnvironmentIntoTheRanksOnly) {
  MpiJob job(shell("test \"$MORGANA_TEST\" = 'two words'"), 2, {{"MORGANA_TEST", "two words"}});
  const std::string environment = read_proc_file("/proc/" + std::to_string(job.pid()) + "/environ");
  EXPECT_EQ(environment.find("MORGANA_TEST"), std::string::npos);
  EXPECT_EQ(job.wait(), 0);
}

// A lone colon would be mpiexec's own.
TEST_F(MpiJobTest, GivesProgramsTheirWordsAsTheyAre) {
  const auto expecting = [](const std::string& words) {
    return std::vector<std::string>{"/bin/sh", "-c", "test \"$#:$*\" = '" + words + "'", "sh"};
  };
  RankProgram one{expecting("4: : a b -n"), 2}, two{expecting("0:"), 1};
  one.command.insert(one.command.end(), {"", ":", "a b", "-n"});
  EXPECT_EQ(MpiJob({one, two}, {}).wait(), 0);
  EXPECT_EQ(MpiJob({two, one, two}, {}).wait(), 0);
}

TEST_F(MpiJobTest, PutsWhatIsTheRanksBehindWhatTheProgramPreloads) {
  RankProgram plain{{"/bin/sh", "-c", "test \"$LD_PRELOAD/$A\" = ours.so/"}, 1},
      own{{"/bin/sh", "-c", "test \"$LD_PRELOAD/$A\" = tool.so:ours.so/2"}, 1};
  own.environment = {{"LD_PRELOAD", "tool.so"}, {"A", "2"}};
  EXPECT_EQ(MpiJob({plain, own}, {{"LD_PRELOAD", "ours.so"}}).wait(), 0);
}

TEST_F(MpiJobTest, LeavesNoProcessBehind) {
  pid_t mpiexec = 0;
  std::vector<pid_t> ranks;
  {
    MpiJob job(shell("exec sleep 1000"), 3, {});
    mpiexec = job.pid();
    for (int rank = 0; rank < 3; ++rank) ranks.push_back(pid_of(rank));
  }
  EXPECT_FALSE(runs(mpiexec));
  for (const pid_t rank : ranks) EXPECT_FALSE(runs(rank));
}

TEST_F(MpiJobTest, EndsProcessesThatIgnoreItAndThoseThatHaveGoneAway) {
  std::vector<pid_t> processes;
  {
    MpiJob job(shell("trap '' TERM; (trap '' TERM; setsid sh -c 'echo $$ > " + folder_.string() +
                     "/9; exec sleep 1000' &) ; while true; do sleep 1; done"),
               1, {});
    processes = {pid_of(0), pid_of(9)};
    EXPECT_TRUE(runs(processes[0]));
    EXPECT_TRUE(runs(processes[1]));
  }
  for (const pid_t process : processes) EXPECT_FALSE(runs(process));
}

TEST_F(MpiJobTest, EndsWithTheProcessThatStartedIt) {
  Forked starter([this] {
    MpiJob job(shell("exec sleep 1000"), 2, {});
    return job.wait();
  });
  const std::vector<pid_t> ranks{pid_of(0), pid_of(1)};
  kill(starter.pid(), SIGKILL);
  EXPECT_EQ(starter.result(), -SIGKILL);
  // What is left to MPICH takes a moment.
  while (runs(ranks[0]) || runs(ranks[1])) {
  }
}

TEST_F(MpiJobTest, LeavesOtherChildrenAlone) {
  Forked bystander([] { return pause(); });
  {
    MpiJob job(shell("exec sleep 1000"), 1, {});
    pid_of(0);
  }
  EXPECT_TRUE(runs(bystander.pid()));
}

// However late somebody looks: what has begun was seen.
TEST_F(MpiJobTest, LetsNoProgramBeginBeforeItsRanksAreKnown) {
  MpiJob job(shell("exit 0"), 2, {}, MpiJob::Cleanup::by_us);
  std::map<int, pid_t> ranks;
  while (ranks.size() < 2)
    for (const auto& rank : job.new_ranks()) ranks.insert(rank);
  for (const auto& [rank, process] : ranks) {
    while (state_of(process).letter == 'R') {  // without leave, the program would be through
    }
    EXPECT_EQ(fs::read_symlink("/proc/" + std::to_string(process) + "/exe").filename(), "morgana-rank");
  }
  EXPECT_TRUE(fs::is_empty(folder_));
  job.let_begin();
  EXPECT_EQ(job.wait(), 0);
  EXPECT_EQ(pid_of(0), ranks.at(0));
  EXPECT_EQ(pid_of(1), ranks.at(1));
}

TEST_F(MpiJobTest, OfANativeRunGivesItsExitCode) {
  EXPECT_EQ(run_native({.command = {misbehaving, "well"}, .ranks = 2}), 0);
  EXPECT_EQ(run_native({.command = {misbehaving, "fails"}, .ranks = 2}), 3);
  EXPECT_THROW(run_native({.command = {"no-such-program"}, .ranks = 2}), Error);
}

}  // namespace
}  // namespace morgana
