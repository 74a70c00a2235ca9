#pragma once

namespace morgana::cli {

/// How fast this machine's processor is.
struct EpMeasurement {
  int log_pairs = 0;   ///< class S of EP: 24
  double seconds = 0;  ///< of CPU time, the least of several runs
  double seconds_per_pair() const;
};

/// Runs the kernel EP, class S, on one processor several times: some seconds.
/// @param runs  > 0
/// @throws Error if its result is not the published one
EpMeasurement measure_ep(int runs);

}  // namespace morgana::cli
