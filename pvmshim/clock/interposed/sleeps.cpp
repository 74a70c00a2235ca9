// The C library's calls that sleep for a time. Only the rank's main thread moves the rank's clock; its other
// threads really sleep, unless each thread has a time of its own.

#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"

using namespace morgana;

namespace {

LiveRank* sleeper_for(const void* return_address) {
  LiveRank* rank = rank_for(return_address);
  return rank != nullptr && (rank->in_main_thread() || rank->threads_take_turns()) ? rank : nullptr;
}

SimTime time_left(LiveRank& rank, Call call, std::int64_t start_s, timespec until) {
  until.tv_sec = std::max<time_t>(until.tv_sec - start_s, 0);
  return std::max(SimTime(), time_of(until) - rank.read_clock(call));
}

}  // namespace

MORGANA_EXPORT unsigned int sleep(unsigned int seconds) {
  LiveRank* rank = sleeper_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(sleep)(seconds);
  rank->sleep(Call::sleep, time_of({seconds, 0}));
  return 0;
}

MORGANA_EXPORT int usleep(useconds_t us) {
  LiveRank* rank = sleeper_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(usleep)(us);
  rank->sleep(Call::usleep, SimTime::from_ps(std::int64_t{us} * 1'000'000));
  return 0;
}

MORGANA_EXPORT int nanosleep(const timespec* span, timespec* rest) {
  LiveRank* rank = sleeper_for(__builtin_return_address(0));
  if (rank == nullptr || !is_valid(*span)) return MORGANA_LIBC(nanosleep)(span, rest);
  rank->sleep(Call::nanosleep, time_of(*span));
  return 0;
}

MORGANA_EXPORT int clock_nanosleep(clockid_t clock, int flags, const timespec* span, timespec* rest) {
  LiveRank* rank = sleeper_for(__builtin_return_address(0));
  const auto start = rank == nullptr ? std::nullopt : start_of_clock(clock, rank->settings());
  if (!start) return MORGANA_LIBC(clock_nanosleep)(clock, flags, span, rest);
  if (!is_valid(*span)) return EINVAL;
  const bool absolute = (flags & TIMER_ABSTIME) != 0;
  rank->sleep(Call::clock_nanosleep,
              absolute ? time_left(*rank, Call::clock_nanosleep, *start, *span) : time_of(*span));
  return 0;
}

MORGANA_EXPORT int thrd_sleep(const timespec* span, timespec* rest) {
  LiveRank* rank = sleeper_for(__builtin_return_address(0));
  if (rank == nullptr || !is_valid(*span))
    return libc_call<int(const timespec*, timespec*)>("thrd_sleep")(span, rest);
  rank->sleep(Call::nanosleep, time_of(*span));
  return 0;
}
