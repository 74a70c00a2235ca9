#include <signal.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <thread>

#include "pvmshim/launch/process/process_state.h"
#include "tests/integration/support/printed_lines.h"
#include "tests/integration/support/struck_runs.h"

namespace morgana::test {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

struct Kind {
  const char* how;  ///< as programs/ending.c ends
  int exit_code;
  bool also_recorded;
};

constexpr std::array kinds{Kind{"well", 0, true},
                           Kind{"exit", 5, true},
                           Kind{"code", 1, true},
                           Kind{"deadlock", 3, false},  // the real MPI waits for ever
                           Kind{"abort", 7, true},
                           Kind{"segv", 139, true},
                           Kind{"well", 0, true},
                           Kind{"child", 5, true},
                           Kind{"abort_duplicate", 7, true},
                           Kind{"abort_between", 7, true}};

/// Freezes one process, until this object's end at the latest.
class Frozen {
 public:
  explicit Frozen(pid_t process) : process_(process) { ::kill(process_, SIGSTOP); }
  ~Frozen() { ::kill(process_, SIGCONT); }
  Frozen(const Frozen&) = delete;
  Frozen& operator=(const Frozen&) = delete;

 private:
  pid_t process_;
};

/// Short programs of all kinds, whose ranks, emulator and helpers are frozen and thawed at random while they
/// run, as a machine does that has a hundred times too much to do: MORGANA_FROZEN_RUNS of them (12 unless
/// told otherwise), the moments drawn from MORGANA_SEED. Every fourth one is recorded over the real MPI.
class FrozenRuns : public StruckRuns {
 protected:
  FrozenRuns() : StruckRuns("freezing") {}

  /// A rank of the run, the emulator, or one of its helpers; not mpiexec, whom morgana itself stops.
  std::optional<pid_t> someone_of(int run) {
    std::vector<pid_t> found;
    for (const SeenProcess& one : processes_of(run)) {
      const std::string name = fs::path(one.program).filename();
      if (name == "ending" || name == "morgana") found.push_back(one.pid);
    }
    if (found.empty()) return std::nullopt;
    return found[random().below(found.size())];
  }

  void freeze_and_thaw(StartedProcess& process, int run) {
    constexpr int most = 8;
    for (int i = 0; i < most && process.running(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(random().below(60)));
      const auto someone = someone_of(run);
      if (!someone) continue;
      const Frozen frozen(*someone);
      ++frozen_;
      std::this_thread::sleep_for(
          std::chrono::milliseconds(random().below(10) == 0 ? 1500 : random().below(200)));
    }
  }

  void run_one(int run) {
    const Kind kind = kinds[random().below(kinds.size())];
    const int lines = static_cast<int>(random().below(3000));
    const bool recorded = run % 4 == 3 && kind.also_recorded;
    SCOPED_TRACE(std::string(recorded ? "recorded " : "") + "run " + std::to_string(run) + " of seed " +
                 std::to_string(seed()) + ": " + kind.how + " after " + std::to_string(lines) + " lines");
    const long begin = std::time(nullptr);
    std::vector<std::string> command{program("morgana"), "run"};
    if (recorded) command = {program("morgana"), "capture", "-o", "kept.otf2"};
    command.insert(command.end(), {"-n", recorded ? "2" : "3", "--quiet", "--", program("ending"),
                                   std::to_string(lines), kind.how});
    const auto start = Clock::now();
    {
      StartedProcess process(command, path(""), mark(run));
      freeze_and_thaw(process, run);
      const auto exit_code = process.exit_code_within(forever);
      ASSERT_TRUE(exit_code) << "hangs";
      EXPECT_EQ(*exit_code, kind.exit_code) << read(StartedProcess::err);
    }
    slowest_ = std::max(slowest_, Clock::now() - start);
    EXPECT_EQ(wrong_lines(read(StartedProcess::out), recorded ? 2 : 3, lines), "")
        << read(StartedProcess::err);
    expect_nothing_left(run, begin);
    fs::remove_all(path("kept.otf2"));
  }

  void tell(int runs) const {
    std::cout << runs << " runs, processes frozen " << frozen_ << " times, slowest run "
              << std::chrono::duration<double>(slowest_).count() << " s" << std::endl;
  }

 private:
  int frozen_ = 0;
  Clock::duration slowest_{};
};

TEST_F(FrozenRuns, LoseNothingAndEndAsTheyShould) {
  const int runs = static_cast<int>(number_from("MORGANA_FROZEN_RUNS", 12));
  for (int run = 0; run < runs && !HasFatalFailure(); ++run) run_one(run);
  tell(runs);
}

}  // namespace
}  // namespace morgana::test
