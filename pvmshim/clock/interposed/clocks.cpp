// The C library's calls that read a clock.

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"

using namespace morgana;

namespace {

/// The rank whose clock is read; null for the real clock, which the program may find simulated later.
LiveRank* reader_for(const void* return_address, ClockKind kind) {
  if (LiveRank::active() == nullptr) {
    note_real_reading(kind, return_address);
    return nullptr;
  }
  return rank_for(return_address);
}

SimTime read(LiveRank& rank) {
  return rank.read_clock(Call::clock_gettime);
}

timespec read(LiveRank& rank, clockid_t clock) {
  return timespec_of(read(rank), *start_of_clock(clock));
}

clock_t in_ticks(timeval time) {
  static const std::int64_t per_second = sysconf(_SC_CLK_TCK);
  return time.tv_sec * per_second + time.tv_usec * per_second / 1'000'000;
}

}  // namespace

MORGANA_EXPORT int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (const auto kind = kind_of_clock(clock)) {
    if (LiveRank* rank = reader_for(__builtin_return_address(0), *kind)) {
      *now = read(*rank, clock);
      return 0;
    }
  }
  return MORGANA_LIBC(clock_gettime)(clock, now);
}

MORGANA_EXPORT int timespec_get(timespec* now, int base) noexcept {
  LiveRank* rank = base != TIME_UTC ? nullptr : reader_for(__builtin_return_address(0), ClockKind::wall);
  if (rank == nullptr) return MORGANA_LIBC(timespec_get)(now, base);
  *now = read(*rank, CLOCK_REALTIME);
  return base;
}

MORGANA_EXPORT int gettimeofday(timeval* now, void* zone) noexcept {
  LiveRank* rank = reader_for(__builtin_return_address(0), ClockKind::wall);
  if (rank == nullptr) return MORGANA_LIBC(gettimeofday)(now, zone);
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  *now = in_us(read(*rank, CLOCK_REALTIME));
  return 0;
}

MORGANA_EXPORT time_t time(time_t* now) noexcept {
  LiveRank* rank = reader_for(__builtin_return_address(0), ClockKind::wall);
  if (rank == nullptr) return MORGANA_LIBC(time)(now);
  const time_t seconds = read(*rank, CLOCK_REALTIME).tv_sec;
  if (now != nullptr) *now = seconds;
  return seconds;
}

MORGANA_EXPORT clock_t clock() noexcept {
  LiveRank* rank = reader_for(__builtin_return_address(0), ClockKind::processor);
  if (rank == nullptr) return MORGANA_LIBC(clock)();
  const timespec used = read(*rank, CLOCK_PROCESS_CPUTIME_ID);
  return used.tv_sec * CLOCKS_PER_SEC + used.tv_nsec / (1'000'000'000 / CLOCKS_PER_SEC);
}

MORGANA_EXPORT clock_t times(tms* spent) noexcept {
  LiveRank* rank = reader_for(__builtin_return_address(0), ClockKind::processor);
  if (rank == nullptr) {
    note_real_reading(ClockKind::steady, __builtin_return_address(0));
    return MORGANA_LIBC(times)(spent);
  }
  const SimTime now = read(*rank);
  if (spent != nullptr)
    *spent = {in_ticks(timeval_of(now, start_of_user_time())), in_ticks(start_of_system_time()), 0, 0};
  return start_of_ticks() + in_ticks(timeval_of(now));
}

MORGANA_EXPORT int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  const int result = MORGANA_LIBC(getrusage)(who, usage);
  if (result != 0 || who == RUSAGE_CHILDREN) return result;
  LiveRank* rank = reader_for(__builtin_return_address(0), ClockKind::processor);
  if (rank == nullptr) return result;
  usage->ru_utime = timeval_of(read(*rank), start_of_user_time());
  usage->ru_stime = start_of_system_time();
  return result;
}
