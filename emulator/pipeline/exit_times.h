#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

/// When each fragment leaves each stage, from the first fragment's entry into the first stage on: by
/// fragment, then by stage. A fragment enters a stage once it has left the stage before and the fragment
/// before it has left this one (Eqs. 1 to 3, each as early as it allows).
std::vector<std::vector<RealTime>> exit_times(std::span<const Stage> stages,
                                              std::span<const RealBytes> sizes);

/// When the last fragment leaves the last stage. @param sizes  at least one
RealTime latency(std::span<const Stage> stages, std::span<const RealBytes> sizes);

/// The same for any stages, `time(i, j)` being what fragment i takes in stage j: `last_exit(k, n, time)`.
template <class TimeOf>
RealTime last_exit(std::size_t fragments, std::size_t stages, const TimeOf& time) {
  std::vector<RealTime> free(stages);
  for (std::size_t i = 0; i < fragments; ++i) {
    RealTime arrived;
    for (std::size_t j = 0; j < stages; ++j) arrived = free[j] = std::max(arrived, free[j]) + time(i, j);
  }
  return free.back();
}

}  // namespace morgana::pipeline
