#pragma once

#include <cstdint>

namespace morgana {

/// How a rank's computing becomes simulated time.
enum class ComputeMode : std::uint32_t {
  measured,  ///< its processor time x compute_scale
  none,      ///< computing takes no time
};

/// What the launcher tells every rank's shim when it attaches. Plain data in shared memory.
struct ChannelSettings {
  std::uint32_t ranks = 0;
  ComputeMode compute = ComputeMode::measured;
  double compute_scale = 1.0;
  /// In mode `none`, a read of the clock that would return the same time as the one before moves the clock on
  /// by this much (ps), so that loops on the clock end.
  std::int64_t clock_tick_ps = 100'000;
  /// What simulated time 0 is for gettimeofday and its like: 2000-01-01T00:00:00Z, in seconds since 1970.
  std::int64_t epoch_s = 946'684'800;
};

}  // namespace morgana
