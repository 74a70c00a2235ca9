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

constexpr std::int64_t ps_per_s = 1'000'000'000'000;

SimTime read(LiveRank& rank) {
  return rank.read_clock(Call::clock_gettime);
}

clock_t in_ticks(SimTime time) {
  static const std::int64_t per_second = sysconf(_SC_CLK_TCK);
  return time.ps() / (ps_per_s / per_second);
}

}  // namespace

MORGANA_EXPORT int clock_gettime(clockid_t clock, timespec* now) noexcept {
  if (LiveRank* rank = rank_for(__builtin_return_address(0))) {
    if (const auto start = start_of_clock(clock, rank->settings())) {
      *now = timespec_of(read(*rank), *start);
      return 0;
    }
  }
  return MORGANA_LIBC(clock_gettime)(clock, now);
}

MORGANA_EXPORT int timespec_get(timespec* now, int base) noexcept {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr || base != TIME_UTC) return MORGANA_LIBC(timespec_get)(now, base);
  *now = timespec_of(read(*rank), rank->settings().epoch_s);
  return base;
}

MORGANA_EXPORT int gettimeofday(timeval* now, void* zone) noexcept {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(gettimeofday)(now, zone);
  if (zone != nullptr) *static_cast<struct timezone*>(zone) = {};
  *now = timeval_of(read(*rank), rank->settings().epoch_s);
  return 0;
}

MORGANA_EXPORT time_t time(time_t* now) noexcept {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(time)(now);
  const time_t seconds = timespec_of(read(*rank), rank->settings().epoch_s).tv_sec;
  if (now != nullptr) *now = seconds;
  return seconds;
}

MORGANA_EXPORT clock_t clock() noexcept {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(clock)();
  return read(*rank).ps() / (ps_per_s / CLOCKS_PER_SEC);
}

MORGANA_EXPORT clock_t times(tms* spent) noexcept {
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr) return MORGANA_LIBC(times)(spent);
  const SimTime now = read(*rank);
  if (spent != nullptr) *spent = {in_ticks(now), 0, 0, 0};
  return in_ticks(now) + monotonic_start_s * sysconf(_SC_CLK_TCK);
}

MORGANA_EXPORT int getrusage(__rusage_who_t who, rusage* usage) noexcept {
  const int result = MORGANA_LIBC(getrusage)(who, usage);
  LiveRank* rank = rank_for(__builtin_return_address(0));
  if (rank == nullptr || result != 0 || who == RUSAGE_CHILDREN) return result;
  usage->ru_utime = timeval_of(read(*rank));
  usage->ru_stime = {};
  return result;
}
