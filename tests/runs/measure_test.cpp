#include "runs/measure.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <cstdlib>

#include "pvmshim/launch/process/interrupt.h"

namespace morgana {
namespace {

constexpr int broken_off = 7;

/// What a run of a sweep does in its process when the sweep is ended.
[[noreturn]] void replay_when_interrupted() {
  install_signal_handlers();
  raise(SIGTERM);
  const itimerval none{};
  setitimer(ITIMER_REAL, &none, nullptr);  // on a busy machine it may obey late
  try {
    measure_replay(Platform::load("ideal"), std::string(MORGANA_SOURCE) + "/traces/samples/pde1.mpi.otf2",
                   Placement(), 1);
  } catch (const Interrupted&) {
    std::_Exit(broken_off);
  }
  std::_Exit(EXIT_SUCCESS);
}

TEST(MeasureReplay, IsBrokenOffByASignal) {
  EXPECT_EXIT(replay_when_interrupted(), ::testing::ExitedWithCode(broken_off), "");
}

}  // namespace
}  // namespace morgana
