#pragma once

#include "emulator/report/limits/straggler.h"
#include "replay/comparison.h"

namespace morgana {

/// So many of the ranks that compute longest are each tried at the median.
inline constexpr std::size_t stragglers_tried = 3;

/// Replays a run again with slow ranks' computing at the median, up to `stragglers_tried` + 1 times. All
/// random numbers are those of the run.
/// @param how  as of the run: `translated` and `variation` are set
/// @param result  the run's
/// @throws what replay_on() throws
StragglerReport find_straggler(const Platform& platform, const std::filesystem::path& trace,
                               const ReplayOptions& how, const ReplayResult& result);

}  // namespace morgana
