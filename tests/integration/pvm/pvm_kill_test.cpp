// What becomes of PVM tasks, and of what they have forked, when a run is killed.

#include <signal.h>

#include <chrono>
#include <ctime>
#include <thread>

#include "tests/integration/support/leftovers.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/started_process.h"

namespace morgana::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
using Clock = std::chrono::steady_clock;

constexpr auto forever = 30s;

class PvmKills : public MorganaTest {
 protected:
  std::string mark() const { return "MORGANA_TEST_MARK=" + path(""); }

  /// A run of three tasks, each of which has left a process that ignores all politeness.
  std::vector<std::string> command() const {
    return {program("morgana"), "run", "-n", "3", "--quiet", "--", program("pvm_forking"), "2"};
  }

  /// Waits until all tasks have forked, so that there are three and three.
  bool has_forked(StartedProcess& run) const {
    for (const auto deadline = Clock::now() + forever; Clock::now() < deadline && run.running();
         std::this_thread::sleep_for(1ms))
      if (read(StartedProcess::out).find("forked") != std::string::npos) return true;
    return false;
  }

  /// Those of the run that are left, at the latest after a while.
  std::vector<std::string> left_behind() const {
    std::vector<std::string> left;
    const auto deadline = Clock::now() + forever;
    do {
      left.clear();
      for (const SeenProcess& one : processes_with(mark()))
        left.push_back(std::to_string(one.pid) + " " + one.program);
      if (!left.empty()) std::this_thread::sleep_for(1ms);
    } while (!left.empty() && Clock::now() < deadline);
    return left;
  }

  std::size_t processes_of_tasks() const {
    std::size_t count = 0;
    for (const SeenProcess& one : processes_with(mark()))
      count += one.program.find("pvm_forking") != std::string::npos ? 1 : 0;
    return count;
  }
};

TEST_F(PvmKills, NothingIsLeftOfARunThatIsKilled) {
  StartedProcess run(command(), path(""), mark());
  ASSERT_TRUE(has_forked(run)) << read(StartedProcess::err);
  EXPECT_GE(processes_of_tasks(), 6U);
  ::kill(run.pid(), SIGKILL);
  EXPECT_EQ(run.exit_code_within(forever), 128 + SIGKILL);
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(PvmKills, NothingIsLeftOfARunThatIsInterrupted) {
  StartedProcess run(command(), path(""), mark());
  ASSERT_TRUE(has_forked(run)) << read(StartedProcess::err);
  ::kill(run.pid(), SIGINT);
  EXPECT_EQ(run.exit_code_within(forever), 128 + SIGINT);
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(PvmKills, NothingIsLeftWhenATaskIsKilled) {
  StartedProcess run(command(), path(""), mark());
  ASSERT_TRUE(has_forked(run)) << read(StartedProcess::err);
  // The first task: what it has forked has another parent than morgana.
  for (const SeenProcess& one : processes_with(mark()))
    if (one.parent == run.pid() && one.program.find("pvm_forking") != std::string::npos) {
      ::kill(one.pid, SIGKILL);
      break;
    }
  EXPECT_TRUE(run.exit_code_within(forever));
  EXPECT_THAT(left_behind(), IsEmpty());
}

}  // namespace
}  // namespace morgana::test
