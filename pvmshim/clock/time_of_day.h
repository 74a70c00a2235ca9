#pragma once

#include <sys/time.h>
#include <time.h>

#include <optional>

#include "emulator/core/time.h"
#include "pvmshim/channel/settings.h"

namespace morgana {

/// What the program's clocks show, made of its rank's simulated time t (0 at MPI_Init):
/// - wall clocks (CLOCK_REALTIME and similar clocks, gettimeofday, time): settings.epoch_s + t
/// - clocks since some start (CLOCK_MONOTONIC and similar clocks): 1,000 s + t, so that 0 stays an unset time
/// - CPU clocks (CLOCK_PROCESS_CPUTIME_ID, clock, getrusage): t, because a rank has a processor of its own
///   and MPICH waits actively
///
/// A kind of clock that the program has read before it became a rank goes on from where it was instead: what
/// passed until then is real, and t is added. Only wall clocks jump to a date that the user has chosen. Calls
/// from below the program (called_from_below) and processes that are no ranks get the real ones.

constexpr std::int64_t monotonic_start_s = 1000;

enum class ClockKind : unsigned { wall, steady, processor };

/// Nothing for a clock that is not simulated.
std::optional<ClockKind> kind_of_clock(clockid_t clock);

/// The program may have read a clock of this kind, which is real so far. Calls nothing else: it may be within
/// malloc or the dynamic linker.
void note_real_reading(ClockKind kind, const void* return_address);

/// From now on clocks are simulated. Once; later ones go on from the first. @param now  simulated
void start_clocks(const ChannelSettings& settings, SimTime now);
/// Whether the program has read any.
bool real_clocks_were_read();

/// What this clock shows at simulated time 0; nothing for a clock that is not simulated.
std::optional<timespec> start_of_clock(clockid_t clock);
/// The same for parts of the processor clock, and for what times() returns.
timeval start_of_user_time();
timeval start_of_system_time();
clock_t start_of_ticks();

constexpr timespec timespec_of(SimTime time, timespec start = {}) {
  const std::int64_t ns = start.tv_nsec + time.ps() % 1'000'000'000'000 / 1000;
  return {start.tv_sec + time.ps() / 1'000'000'000'000 + ns / 1'000'000'000, ns % 1'000'000'000};
}
constexpr timeval timeval_of(SimTime time, timeval start = {}) {
  const std::int64_t us = start.tv_usec + time.ps() % 1'000'000'000'000 / 1'000'000;
  return {start.tv_sec + time.ps() / 1'000'000'000'000 + us / 1'000'000, us % 1'000'000};
}
constexpr timeval in_us(timespec time) {
  return {time.tv_sec, time.tv_nsec / 1000};
}
/// Of a valid span. Spans beyond what SimTime holds are cut off.
constexpr SimTime time_of(const timespec& span) {
  constexpr std::int64_t most_s = SimTime::max().ps() / 1'000'000'000'000 / 2;
  return SimTime::from_ps((span.tv_sec < most_s ? span.tv_sec : most_s) * 1'000'000'000'000 +
                          span.tv_nsec * 1000);
}
/// When a clock that has started there shows a time; 0 if before.
constexpr SimTime point_of(const timespec& shown, const timespec& start) {
  timespec since{shown.tv_sec - start.tv_sec, shown.tv_nsec - start.tv_nsec};
  if (since.tv_nsec < 0) since = {since.tv_sec - 1, since.tv_nsec + 1'000'000'000};
  return since.tv_sec < 0 ? SimTime() : time_of(since);
}
constexpr bool is_valid(const timespec& span) {
  return span.tv_sec >= 0 && span.tv_nsec >= 0 && span.tv_nsec < 1'000'000'000;
}

}  // namespace morgana
