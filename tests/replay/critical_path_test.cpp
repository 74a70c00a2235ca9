#include "emulator/report/limits/critical_path.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "replay/comparison.h"

namespace morgana {
namespace {

// Whatever carries the messages: the path's pieces add up to the simulated time.
TEST(CriticalPath, OfTracesIsAsLongAsTheirReplaysOnEveryKindOfTransport) {
  for (const char* platform : {"loggp-example", "fast-ethernet", "fast-ethernet-smp", "smp-push-pull",
                               "atm-oc3-streamed", "atm-loaded", "myrinet-ud", "myrinet-itb", "myrinet-gm",
                               "myrinet-gam", "myrinet-am2", "infiniband-hdr"}) {
    for (const char* trace : {"mg.mpi.otf2", "pde1.mpi.otf2", "is.pvm.otf2"}) {
      SCOPED_TRACE(std::string(platform) + ", " + trace);
      CriticalPathRecorder recorder;
      ReplayOptions options;
      options.observers.push_back(&recorder);
      options.causes = &recorder;
      const ReplayResult replayed =
          replay_on(Platform::load(platform), std::filesystem::path(MORGANA_SAMPLES) / trace, options);
      const CriticalPath path = recorder.path(replayed.statistics.first_rank());
      EXPECT_EQ(path.total(), replayed.statistics.simulated_time());
      EXPECT_GT(path.messages(), 0u);
      EXPECT_GT(path.time(PathKind::computing), SimTime());
      // Without it, the same.
      EXPECT_EQ(replay_on(Platform::load(platform), std::filesystem::path(MORGANA_SAMPLES) / trace, {})
                    .statistics.simulated_time(),
                path.total());
    }
  }
}

}  // namespace
}  // namespace morgana
