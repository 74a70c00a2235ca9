#include "emulator/core/link_history.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "replay/comparison.h"

namespace morgana {
namespace {

// Looking changes nothing, and the windows hold what the links have carried in all.
TEST(LinkHistory, OfAReplayAddsUpToTheLinksUseAndChangesNothing) {
  const auto trace = std::filesystem::path(MORGANA_SAMPLES) / "mg.mpi.otf2";
  for (const char* name :
       {"fast-ethernet", "atm-oc3-streamed", "atm-loaded", "myrinet-itb", "myrinet-gm", "myrinet-gam"}) {
    SCOPED_TRACE(name);
    const Platform platform = Platform::load(name);
    ReplayOptions options;
    options.links = options.links_over_time = true;
    const ReplayResult watched = replay_on(platform, trace, options);
    options.links_over_time = false;
    const ReplayResult alone = replay_on(platform, trace, options);
    EXPECT_EQ(watched.statistics.simulated_time(), alone.statistics.simulated_time());
    const LinkHistory& history = watched.history;
    ASSERT_EQ(history.links.size(), alone.links.loads.size());
    ASSERT_GT(history.windows(), 100u);
    for (std::size_t link = 0; link < history.links.size(); ++link) {
      EXPECT_EQ(watched.links.loads[link].carried, alone.links.loads[link].carried);
      double busy = 0;
      for (std::size_t i = 0; i < history.windows(); ++i) {
        const SimTime begin = static_cast<std::int64_t>(i) * history.window;
        const SimTime length = std::min(history.window, history.end - begin);
        busy += static_cast<double>(history.busy[link * history.windows() + i]) * length.seconds();
      }
      EXPECT_NEAR(busy / history.end.seconds(), alone.links.loads[link].utilisation, 2e-3) << link;
    }
  }
}

}  // namespace
}  // namespace morgana
