#include "emulator/pipeline/exit_times.h"

#include <algorithm>

namespace morgana::pipeline {

std::vector<std::vector<RealTime>> exit_times(std::span<const Stage> stages,
                                              std::span<const RealBytes> sizes) {
  std::vector<std::vector<RealTime>> exits;
  std::vector<RealTime> before(stages.size());
  for (const RealBytes size : sizes) {
    RealTime arrived;
    for (std::size_t j = 0; j < stages.size(); ++j)
      arrived = before[j] = std::max(arrived, before[j]) + stages[j].time_for(size);
    exits.push_back(before);
  }
  return exits;
}

RealTime latency(std::span<const Stage> stages, std::span<const RealBytes> sizes) {
  return last_exit(sizes.size(), stages.size(),
                   [&](std::size_t i, std::size_t j) { return stages[j].time_for(sizes[i]); });
}

}  // namespace morgana::pipeline
