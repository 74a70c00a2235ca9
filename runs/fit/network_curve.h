#pragma once

#include <limits>

#include "runs/fit/measured_times.h"

namespace morgana {

/// What a message of `s` bytes takes on a LogGP platform, as a fit of half round trips finds it; times in us,
/// costs in us per byte; see NetworkFit for the meaning of each letter.
struct NetworkCurve {
  double eager = 0;                                            ///< E; 0: all messages are eager
  double head = 0;                                             ///< K; 0: none
  double fixed = 0;                                            ///< A
  double per_byte = 0;                                         ///< G
  double head_per_byte = 0;                                    ///< D
  double copies = 0;                                           ///< c_s + c_r
  double step = 0;                                             ///< J
  double criterion = std::numeric_limits<double>::infinity();  ///< Schwarz's: the lower the better
};

/// The curve, E and K among the sizes with at least three on both sides.
NetworkCurve curve_of_latencies(const MeasuredTimes& times);

}  // namespace morgana
