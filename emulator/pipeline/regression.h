#pragma once

#include <span>

#include "emulator/pipeline/real.h"

namespace morgana::pipeline {

/// How long something took with so many bytes.
struct Timing {
  RealBytes size;
  RealTime time;
};

/// g + x G.
struct LinearFit {
  RealTime overhead;
  RealCost cost;
  RealTime deviation = {};  ///< standard deviation of what it leaves unexplained, by n - 2 degrees of freedom

  RealTime time_for(RealBytes size) const { return overhead + size * cost; }
};

/// The straight line with the least squares. @param timings  of two different sizes at least
LinearFit fit(std::span<const Timing> timings);

/// The straight line with the least squares of relative errors, for sizes of several orders of magnitude:
/// else the largest alone would say what the overhead is.
/// @param timings  of two different sizes at least
LinearFit fit_relative(std::span<const Timing> timings);

}  // namespace morgana::pipeline
