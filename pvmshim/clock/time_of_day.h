#pragma once

#include <sys/time.h>
#include <time.h>

#include <optional>

#include "pvmshim/clock/live_rank.h"

namespace morgana {

/// What the program's clocks show, made of its rank's simulated time t (0 at MPI_Init):
///   wall clocks (CLOCK_REALTIME and its kin, gettimeofday, time)  settings().epoch_s + t
///   clocks since some start (CLOCK_MONOTONIC and its kin)         1,000 s + t, so that 0 stays an unset time
///   processor clocks (CLOCK_PROCESS_CPUTIME_ID, clock, getrusage) t: a rank's processor is its own, and
///   MPICH
///                                                                 waits actively
/// Calls from below the program (called_from_below) and processes that are no ranks get the real ones.

constexpr std::int64_t monotonic_start_s = 1000;

constexpr timespec timespec_of(SimTime time, std::int64_t start_s = 0) {
  return {start_s + time.ps() / 1'000'000'000'000, time.ps() % 1'000'000'000'000 / 1000};
}
constexpr timeval timeval_of(SimTime time, std::int64_t start_s = 0) {
  return {start_s + time.ps() / 1'000'000'000'000, time.ps() % 1'000'000'000'000 / 1'000'000};
}
/// Of a valid span. Spans beyond what SimTime holds are cut off.
constexpr SimTime time_of(const timespec& span) {
  constexpr std::int64_t most_s = SimTime::max().ps() / 1'000'000'000'000 / 2;
  return SimTime::from_ps((span.tv_sec < most_s ? span.tv_sec : most_s) * 1'000'000'000'000 +
                          span.tv_nsec * 1000);
}
constexpr bool is_valid(const timespec& span) {
  return span.tv_sec >= 0 && span.tv_nsec >= 0 && span.tv_nsec < 1'000'000'000;
}

/// In which second this clock shows simulated time 0; nothing for a clock that is not simulated.
std::optional<std::int64_t> start_of_clock(clockid_t clock, const ChannelSettings& settings);

}  // namespace morgana
