#include "pvmshim/launch/process/guardian.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "tests/support/messages.h"

namespace morgana {
namespace {

/// As long as it lives, a signal comes every 100 us, and what waits is woken by it.
class Interruptions {
 public:
  Interruptions() {
    struct sigaction action {};
    action.sa_handler = [](int) {};  // no SA_RESTART
    sigaction(SIGALRM, &action, &before_);
    set(100);
  }
  ~Interruptions() {
    set(0);
    sigaction(SIGALRM, &before_, nullptr);
  }

 private:
  static void set(int microseconds) {
    const itimerval often{{0, microseconds}, {0, microseconds}};
    setitimer(ITIMER_REAL, &often, nullptr);
  }

  struct sigaction before_ {};
};

std::string line_of(pid_t process, const std::string& name) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(name)) return line.substr(name.size() + 1);
  return "";
}

// As when Ctrl-C comes while a run starts: it is no reason to say that mpiexec can't be started.
TEST(Guardian, StartsHoweverOftenSignalsInterruptIt) {
  const Interruptions often;
  for (int i = 0; i < 50; ++i) {
    Guardian guardian({"sleep", "100"}, {}, STDERR_FILENO, Guardian::Input::inherited_as(-1));
    EXPECT_GT(guardian.launcher(), 0);
  }
}

TEST(Guardian, BlocksNoSignalInWhatItStarts) {
  Guardian guardian({"sleep", "100"}, {}, STDERR_FILENO, Guardian::Input::inherited_as(-1));
  for (const pid_t process : {guardian.process(), guardian.launcher()})
    EXPECT_EQ(line_of(process, "SigBlk:"), "0000000000000000");
}

// Else it would wait for whoever has stopped it.
TEST(Guardian, EndsAlthoughItIsStopped) {
  Guardian guardian({"sleep", "100"}, {}, STDERR_FILENO, Guardian::Input::inherited_as(-1));
  kill(guardian.process(), SIGSTOP);
  guardian.end_all();
  EXPECT_NE(kill(guardian.launcher(), 0), 0);
}

TEST(Guardian, SaysWhatCannotBeStarted) {
  const Interruptions often;
  try {
    const Guardian guardian({"no-such-launcher"}, {}, STDERR_FILENO, Guardian::Input::inherited_as(-1));
    FAIL() << "was started";
  } catch (const Error& error) {
    expect_message(error.what(), "no-such-launcher");
  }
}

}  // namespace
}  // namespace morgana
