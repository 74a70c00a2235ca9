#pragma once

#include <filesystem>
#include <memory>

#include "replay/replay_input.h"
#include "runs/live_run.h"
#include "runs/runner.h"

namespace morgana {

/// Replays a trace. A deadlock (for example after a lost message that is not repeated) is an outcome, not an
/// error.
/// @param translated  what read_trace() has read of it; may be empty
/// @throws Interrupted (pvmshim/launch/process/interrupt.h); Error for a trace that can't be replayed
RunOutcome measure_replay(const Platform& platform, const std::filesystem::path& trace,
                          const Placement& placement, std::uint64_t seed,
                          std::shared_ptr<const ReplayInput> translated = nullptr);

/// Runs a live program; `options.inspect` is not used. Deadlocks, failed ranks and exit codes other than 0
/// are outcomes.
RunOutcome measure_live(const Platform& platform, LiveRunOptions options);

}  // namespace morgana
