#include "runs/measure.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/time.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "pvmshim/launch/process/interrupt.h"
#include "replay/comparison.h"

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

// The sample of 8 GPUs computes 4 x 400 + 4 x 800 + 300 us, by hand.
TEST(MeasureReplay, DividesAnExecutionTraceAsItsReplayDoes) {
  const std::string trace = std::string(MORGANA_SOURCE) + "/traces/samples/data-parallel";
  const Platform platform = Platform::load("dgx-h100");
  const std::optional<ExecutionUse> use = replay_on(platform, trace, {}).execution;
  ASSERT_TRUE(use.has_value());
  const Figures figures = measure_replay(platform, trace, Placement(), 1).figures;
  EXPECT_EQ(figures.at("compute_ps"), 5'100'000'000.0);
  EXPECT_EQ(figures.at("communication_ps"), static_cast<double>((use->exposed + use->idle).ps()));
  EXPECT_DOUBLE_EQ(
      figures.at("communication_share"),
      figures.at("communication_ps") / (figures.at("compute_ps") + figures.at("communication_ps")));
}

}  // namespace
}  // namespace morgana
