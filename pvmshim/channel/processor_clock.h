#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <optional>

namespace morgana {

/// Reads a clock past the C library, whose clock_gettime the shim replaces. Nanoseconds, or nothing if there
/// is no such clock (any more).
inline std::optional<std::int64_t> read_clock_ns(clockid_t clock) {
  timespec now{};
  if (syscall(SYS_clock_gettime, clock, &now) != 0) return std::nullopt;
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

/// The CPU time that this process has used.
inline std::int64_t own_processor_ns() {
  return read_clock_ns(CLOCK_PROCESS_CPUTIME_ID).value_or(0);
}

/// The CPU time that another process has used, if it still runs.
inline std::optional<std::int64_t> processor_ns_of(int pid) {
  clockid_t clock{};
  if (clock_getcpuclockid(pid, &clock) != 0) return std::nullopt;
  return read_clock_ns(clock);
}

}  // namespace morgana
