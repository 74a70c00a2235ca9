#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/common/progress_bar.h"
#include "cli/compare/compare_page.h"
#include "emulator/platform/platform.h"
#include "replay/comparison.h"
#include "runs/compared_replay.h"
#include "runs/runner.h"

namespace morgana::cli {

/// The replays of `morgana compare`: one trace on several platforms.
struct ReplaysToCompare {
  std::filesystem::path trace;
  std::vector<Platform> platforms;  ///< modelled ones
  ReplayOptions how;                ///< but for what watches a replay
  const ComparePage& page;
  /// The options that decide the results, except the platforms; each worker has the same.
  std::string request;
};

/// Makes them side by side, each in a process of its own, and gives what came of them by platform.
/// @throws Deadlock of the first platform on which the trace ends so, once all replays have ended; Error;
/// Interrupted
std::vector<ComparedReplay> made(ReplaysToCompare replays, const Runner& runner, ProgressBar& bar);

}  // namespace morgana::cli
