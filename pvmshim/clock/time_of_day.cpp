#include "pvmshim/clock/time_of_day.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/times.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>

#include "pvmshim/clock/caller.h"

namespace morgana {
namespace {

constexpr std::size_t kinds = 3, clocks = CLOCK_TAI + 1;

/// Where real clocks have been read, and of which kind: the libraries below the program do so, too, which is
/// found out later. Never more than a program has such places.
std::array<std::atomic<std::uintptr_t>, 1024> readings;
std::array<std::atomic<bool>, kinds> too_many_readings;

struct Starts {
  std::array<timespec, clocks> of_clock{};
  timeval user{}, system{};
  clock_t ticks = 0;
};
Starts starts;
bool have_started = false;

constexpr std::size_t index_of(ClockKind kind) {
  return static_cast<std::size_t>(kind);
}

std::array<bool, kinds> read_by_program() {
  std::array<bool, kinds> result{};
  for (std::size_t kind = 0; kind < kinds; ++kind) result[kind] = too_many_readings[kind];
  for (const auto& one : readings) {
    const std::uintptr_t reading = one;
    if (reading != 0 && !called_from_below(reinterpret_cast<const void*>(reading >> 2)))
      result[reading & 3] = true;
  }
  return result;
}

timespec before(timespec time, SimTime span) {
  const timespec passed = timespec_of(span);
  time.tv_sec -= passed.tv_sec;
  time.tv_nsec -= passed.tv_nsec;
  return time.tv_nsec >= 0 ? time : timespec{time.tv_sec - 1, time.tv_nsec + 1'000'000'000};
}

/// Past the C library, whose calls the shim replaces.
timespec read_really(clockid_t clock) {
  timespec now{};
  syscall(SYS_clock_gettime, clock, &now);
  return now;
}

constexpr std::int64_t fixed_start_s(ClockKind kind, const ChannelSettings& settings) {
  switch (kind) {
    case ClockKind::wall:
      return settings.epoch_s;
    case ClockKind::steady:
      return monotonic_start_s;
    case ClockKind::processor:
      break;
  }
  return 0;
}

}  // namespace

std::optional<ClockKind> kind_of_clock(clockid_t clock) {
  switch (clock) {
    case CLOCK_REALTIME:
    case CLOCK_REALTIME_COARSE:
    case CLOCK_TAI:
      return ClockKind::wall;
    case CLOCK_MONOTONIC:
    case CLOCK_MONOTONIC_RAW:
    case CLOCK_MONOTONIC_COARSE:
    case CLOCK_BOOTTIME:
      return ClockKind::steady;
    case CLOCK_PROCESS_CPUTIME_ID:
    case CLOCK_THREAD_CPUTIME_ID:
      return ClockKind::processor;
    default:
      return std::nullopt;
  }
}

void note_real_reading(ClockKind kind, const void* return_address) {
  const std::uintptr_t reading = reinterpret_cast<std::uintptr_t>(return_address) << 2 | index_of(kind);
  std::size_t place = reading * 0x9e3779b97f4a7c15U >> 54;  // 10 bits
  for (std::size_t tried = 0; tried < readings.size(); ++tried, place = (place + 1) % readings.size()) {
    std::uintptr_t there = readings[place].load(std::memory_order_relaxed);
    if (there == 0 && readings[place].compare_exchange_strong(there, reading)) return;
    if (there == reading) return;
  }
  too_many_readings[index_of(kind)] = true;
}

bool real_clocks_were_read() {
  const auto read = read_by_program();
  return read[0] || read[1] || read[2];
}

void start_clocks(const ChannelSettings& settings, SimTime now) {
  if (have_started) return;
  have_started = true;
  const auto read = read_by_program();
  for (std::size_t clock = 0; clock < clocks; ++clock) {
    const auto kind = kind_of_clock(static_cast<clockid_t>(clock));
    if (!kind) continue;
    const bool goes_on = read[index_of(*kind)] && !(*kind == ClockKind::wall && settings.date_is_chosen != 0);
    starts.of_clock[clock] = goes_on ? before(read_really(static_cast<clockid_t>(clock)), now)
                                     : timespec{fixed_start_s(*kind, settings), 0};
  }
  const std::int64_t per_second = sysconf(_SC_CLK_TCK);
  // What times() returns counts from some other start.
  tms spent{};
  starts.ticks = read[index_of(ClockKind::steady)]
                     ? syscall(SYS_times, &spent) - now.ps() / (1'000'000'000'000 / per_second)
                     : monotonic_start_s * per_second;
  if (!read[index_of(ClockKind::processor)]) return;
  rusage used{};
  syscall(SYS_getrusage, RUSAGE_SELF, &used);
  starts.user = used.ru_utime;
  starts.system = used.ru_stime;
}

std::optional<timespec> start_of_clock(clockid_t clock) {
  if (!kind_of_clock(clock)) return std::nullopt;
  return starts.of_clock[static_cast<std::size_t>(clock)];
}

timeval start_of_user_time() {
  return starts.user;
}

timeval start_of_system_time() {
  return starts.system;
}

clock_t start_of_ticks() {
  return starts.ticks;
}

}  // namespace morgana
