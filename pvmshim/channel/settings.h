#pragma once

#include <chrono>
#include <cstdint>

#include "emulator/core/time.h"

namespace morgana {

/// How a rank's computing becomes simulated time.
enum class ComputeMode : std::uint32_t {
  measured,  ///< its CPU time x compute_scale
  none,      ///< computing takes no time
};

/// The launcher's settings for every rank's shim, which reads them when it attaches. Plain data in shared
/// memory.
struct ChannelSettings {
  std::uint32_t ranks = 0;
  ComputeMode compute = ComputeMode::measured;
  double compute_scale = 1.0;
  /// In mode `none`, a read of the clock that would return the same time as the one before moves the clock on
  /// by this much (ps), so that loops on the clock end.
  std::int64_t clock_tick_ps = 100'000;
  /// What one rank does reaches no other sooner than after this (ps); 0: nothing is known.
  std::int64_t least_distance_ps = 0;
  /// The same for ranks on different hosts: never less; 0: nothing more is known of them.
  std::int64_t least_distance_between_hosts_ps = 0;
  /// How many threads of a rank can run concurrently; 0: as many as it has.
  std::uint32_t cores_per_rank = 0;
  /// Whether to expect that messages are returned: then sends may end with an error.
  std::uint32_t messages_may_return = 0;
  /// Whether a send that waits for its endpoint's frame suspends its thread alone
  /// (EndpointSettings::Suspends::thread): then a rank with several threads waits for the ends of its sends.
  std::uint32_t page_faults_suspend_threads = 0;
  /// Whether every message that is sent comes, and none is cancelled: then a receive that names sender and
  /// tag gets the same message whatever the time, and its rank need not wait for the emulator.
  std::uint32_t messages_are_certain = 0;
  /// Whether ranks share processors: then a rank's clock does not follow from its own computing alone.
  std::uint32_t processors_are_shared = 0;
  /// Whether a rank's clock stands still while it posts a receive (machine.h: receives_take_no_time).
  std::uint32_t receives_take_no_time = 0;
  /// What simulated time 0 is for gettimeofday and its like: 2000-01-01T00:00:00Z, in seconds since 1970.
  std::int64_t epoch_s = 946'684'800;
  /// Whether the user has chosen it: then the clocks of a program that has read the date before it becomes a
  /// rank jump to it.
  std::uint32_t date_is_chosen = 0;

  void choose_date(std::int64_t date_s) {
    epoch_s = date_s;
    date_is_chosen = 1;
  }
};

/// What CPU time is worth on the rank's simulated clock, rounded down; monotone, and the same on both
/// ends of the channel, so that the emulator's bound never passes what the rank reports.
inline SimTime simulated(std::chrono::nanoseconds processor_time, const ChannelSettings& settings) {
  if (settings.compute == ComputeMode::none) return SimTime();
  constexpr double limit_ps = 4e18;
  const double ps = static_cast<double>(processor_time.count()) * 1e3 * settings.compute_scale;
  return SimTime::from_ps(static_cast<std::int64_t>(ps < limit_ps ? ps : limit_ps));
}

}  // namespace morgana
