#include "tests/support/pvm_daemon.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <optional>

#include "tests/integration/support/finished_process.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class RealPvm : public testing::Test {
 protected:
  void SetUp() override {
    if (!PvmDaemon::available()) GTEST_SKIP() << "PVM is not installed";
  }
};

TEST_F(RealPvm, RunsProgramsThatSpawnOthers) {
  const PvmDaemon daemon;
  const FinishedProcess hello = run_to_end(daemon.command({"hello.pvm"}));
  EXPECT_EQ(hello.exit_code, 0) << hello.err << daemon.log();
  EXPECT_THAT(hello.out, HasSubstr("from t40002: hello, world from"));
}

TEST_F(RealPvm, RunsBesideOthersThatKnowNothingOfIt) {
  const PvmDaemon one, other;
  for (const PvmDaemon* daemon : {&one, &other})
    EXPECT_THAT(run_to_end(daemon->command({"hello.pvm"})).out, HasSubstr("i'm t40001")) << daemon->log();
}

TEST_F(RealPvm, FindsProgramsInTheFoldersThatItIsTold) {
  const PvmDaemon daemon({{"/nowhere"}, {}});
  EXPECT_THAT(run_to_end(daemon.command({"hello.pvm"})).out, HasSubstr("can't start hello_other"));
}

TEST_F(RealPvm, GivesItsEnvironmentToTheTasksThatItStarts) {
  const PvmDaemon daemon({{MORGANA_BIN, "/usr/bin"}, {"MARK=here"}});
  const FinishedProcess run =
      run_to_end(daemon.command({MORGANA_BIN "/pvm_spawner", "1", "/usr/bin/printenv", "MARK"}));
  EXPECT_THAT(run.out, HasSubstr("here")) << run.err << daemon.log();
}

TEST_F(RealPvm, LeavesNothingBehind) {
  std::optional<PvmDaemon> daemon(std::in_place);
  const fs::path folder = daemon->folder();
  const pid_t keeper = daemon->keeper();
  EXPECT_TRUE(fs::exists(folder));
  daemon.reset();
  EXPECT_FALSE(fs::exists(folder));
  EXPECT_EQ(::kill(keeper, 0), -1);
}

TEST_F(RealPvm, EndsWithTheProcessThatHasStartedItEvenIfThatIsKilled) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // to learn when the keeper of a dead child has ended
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    const PvmDaemon daemon;
    const std::string folder = daemon.folder();
    const bool told = ::write(ends[1], folder.data(), folder.size()) > 0;
    ::kill(::getpid(), told ? SIGKILL : SIGTERM);
  }
  ::close(ends[1]);
  char folder[4096] = "";
  ASSERT_GT(::read(ends[0], folder, sizeof folder - 1), 0);
  ::close(ends[0]);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  while (::waitpid(-1, nullptr, 0) > 0) {
  }
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  EXPECT_FALSE(fs::exists(folder)) << folder;
}

}  // namespace
}  // namespace morgana::test
