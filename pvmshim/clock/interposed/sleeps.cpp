// The C library's calls that sleep for a time.

#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "pvmshim/clock/interposed/readiness.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

using namespace morgana;

namespace {

/// @return what is left of the span if a signal's handler has interrupted the sleep; else 0
SimTime sleep_until(LiveRank& rank, Call call, TimeLimit limit) {
  TimedWait wait(rank, call, limit, has_children() ? EndedBy::outside : EndedBy::threads);
  return rest_of(wait);
}

SimTime sleep_for(LiveRank& rank, Call call, SimTime span) {
  return span <= SimTime() ? SimTime() : sleep_until(rank, call, TimeLimit::within(span));
}

}  // namespace

MORGANA_EXPORT unsigned int sleep(unsigned int seconds) {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(sleep)(seconds);
  // Whole seconds, as the C library says.
  return static_cast<unsigned>(timespec_of(sleep_for(*rank, Call::sleep, time_of({seconds, 0}))).tv_sec);
}

MORGANA_EXPORT int usleep(useconds_t us) {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(usleep)(us);
  if (sleep_for(*rank, Call::usleep, SimTime::from_ps(std::int64_t{us} * 1'000'000)) == SimTime()) return 0;
  errno = EINTR;
  return -1;
}

MORGANA_EXPORT int nanosleep(const timespec* span, timespec* rest) {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr || !is_valid(*span)) return MORGANA_LIBC(nanosleep)(span, rest);
  const SimTime left = sleep_for(*rank, Call::nanosleep, time_of(*span));
  if (left == SimTime()) return 0;
  if (rest != nullptr) *rest = timespec_of(left);
  errno = EINTR;
  return -1;
}

MORGANA_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* span, timespec* rest) {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  const auto start = rank == nullptr ? std::nullopt : start_of_clock(clock);
  if (!start) return MORGANA_LIBC(clock_nanosleep)(clock, flags, span, rest);
  if (!is_valid(*span)) return EINVAL;
  if ((flags & TIMER_ABSTIME) != 0) {
    const TimeLimit limit = TimeLimit::until(point_of(*span, *start));
    return sleep_until(*rank, Call::clock_nanosleep, limit) == SimTime() ? 0 : EINTR;
  }
  const SimTime left = sleep_for(*rank, Call::clock_nanosleep, time_of(*span));
  if (left == SimTime()) return 0;
  if (rest != nullptr) *rest = timespec_of(left);
  return EINTR;
}

MORGANA_EXPORT int thrd_sleep(const timespec* span, timespec* rest) {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr || !is_valid(*span)) return MORGANA_LIBC(thrd_sleep)(span, rest);
  const SimTime left = sleep_for(*rank, Call::nanosleep, time_of(*span));
  if (left == SimTime()) return 0;
  if (rest != nullptr) *rest = timespec_of(left);
  return -1;
}
