#include "emulator/pipeline/compound.h"

#include <cassert>
#include <utility>

#include "emulator/pipeline/equal_fragments.h"

namespace morgana::pipeline {

CompoundStage::CompoundStage(Stages stages) : stages_(std::move(stages)) {
  assert(!stages_.empty());
}

std::size_t CompoundStage::sub_fragments(RealBytes fragment) const {
  return stages_.size() == 1 ? 1 : best_equal_count(stages_, fragment);
}

RealTime CompoundStage::time_for(RealBytes fragment) const {
  return latency_of_equal(stages_, fragment, sub_fragments(fragment));
}

LinearFit CompoundStage::line(RealBytes least, RealBytes most, std::size_t samples) const {
  std::vector<Timing> timings;
  for (std::size_t n = 0; n < samples; ++n) {
    const RealBytes size =
        least + (most - least) * (static_cast<double>(n) / static_cast<double>(samples - 1));
    timings.push_back({size, time_for(size)});
  }
  return fit(timings);
}

Stage CompoundStage::simple(RealBytes least, RealBytes most) const {
  if (stages_.size() == 1) return stages_.front();
  constexpr std::size_t samples = 16;
  const LinearFit fitted = line(least, most, samples);
  return {stages_.front().name + " to " + stages_.back().name, fitted.overhead, fitted.cost};
}

}  // namespace morgana::pipeline
