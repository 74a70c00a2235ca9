#pragma once

#include <cstddef>
#include <vector>

#include "emulator/pipeline/regression.h"
#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

/// Several stages that count as one (section 4.3.1): what enters them as a fragment passes them as several
/// equal sub-fragments, as many as make it pass fastest, and is put together again behind them. It is free
/// for the next fragment when its last stage is.
class CompoundStage {
 public:
  /// @param stages  at least one; a single stage is what it is, without sub-fragments
  explicit CompoundStage(Stages stages);

  const Stages& stages() const { return stages_; }
  std::size_t sub_fragments(RealBytes fragment) const;
  RealTime time_for(RealBytes fragment) const;

  /// The simple stage that comes closest to it with fragments from `least` to `most`, by linear regression.
  Stage simple(RealBytes least, RealBytes most) const;
  /// The regression itself: at `samples` equally spaced sizes, both ends included.
  LinearFit line(RealBytes least, RealBytes most, std::size_t samples) const;

 private:
  Stages stages_;
};

}  // namespace morgana::pipeline
