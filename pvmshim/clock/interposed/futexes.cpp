// Waits on a futex with a time limit, which C++'s libraries ask the kernel for by syscall(): those of
// std::future and of atomics, semaphores, latches and barriers. All other system calls are the program's and
// the kernel's alone.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <optional>

#include "pvmshim/clock/interposed/readiness.h"
#include "pvmshim/clock/interposed/real_time.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

using namespace morgana;

namespace {

struct SystemCall {
  long number;
  long arguments[6];
};

/// Asks the C library for nothing, which may be about to find its own functions.
long call_kernel(const SystemCall& call) {
  long result = call.number;
  register long fourth asm("r10") = call.arguments[3];
  register long fifth asm("r8") = call.arguments[4];
  register long sixth asm("r9") = call.arguments[5];
  asm volatile("syscall"
               : "+a"(result), "+r"(fourth), "+r"(fifth), "+r"(sixth)
               : "D"(call.arguments[0]), "S"(call.arguments[1]), "d"(call.arguments[2])
               : "rcx", "r11", "memory");
  constexpr long last_error = -4095;
  if (result < 0 && result >= last_error) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}

struct FutexWait {
  bool is_absolute;
  clockid_t clock;
  bool is_private;
  const timespec* limit;
};

std::optional<FutexWait> as_wait(const SystemCall& call) {
  if (call.number != SYS_futex) return std::nullopt;
  const auto operation = static_cast<int>(call.arguments[1]);
  const int what = operation & FUTEX_CMD_MASK;
  if (what != FUTEX_WAIT && what != FUTEX_WAIT_BITSET) return std::nullopt;
  return FutexWait{
      what == FUTEX_WAIT_BITSET, (operation & FUTEX_CLOCK_REALTIME) != 0 ? CLOCK_REALTIME : CLOCK_MONOTONIC,
      (operation & FUTEX_PRIVATE_FLAG) != 0, reinterpret_cast<const timespec*>(call.arguments[3])};
}

/// Who can end the wait. libstdc++ never says that its futexes are private: those of std::future, which it
/// waits on itself, and those of atomics and semaphores, whose code is the program's.
EndedBy who_wakes(const SystemCall& call, const FutexWait& wait, const void* caller) {
  if (wait.is_private || code_at(caller) == CodeOf::cpp_library) return EndedBy::threads;
  return who_writes_to(reinterpret_cast<const void*>(call.arguments[0]));
}

long wait_without_limit(const SystemCall& call, EndedBy ended_by) {
  if (ended_by != EndedBy::threads) return call_kernel(call);
  mark_wait_for_thread(true);
  const long result = call_kernel(call);
  mark_wait_for_thread(false);
  return result;
}

long wait_on_futex(LiveRank& rank, const SystemCall& call, const FutexWait& wait, EndedBy ended_by) {
  const TimeLimit limit =
      wait.is_absolute
          ? TimeLimit::until(point_of(*wait.limit, start_of_clock(wait.clock).value_or(timespec{})))
          : TimeLimit::within(time_of(*wait.limit));
  bool has_waited = false;
  const auto within = [&](std::chrono::nanoseconds slice) -> std::optional<long> {
    const timespec real = wait.is_absolute ? real_time_in(slice, wait.clock) : as_timespec(slice);
    SystemCall attempt = call;
    attempt.arguments[3] = reinterpret_cast<long>(&real);
    const long result = call_kernel(attempt);
    if (result == -1 && errno == ETIMEDOUT) {
      has_waited = true;
      return std::nullopt;
    }
    // Changed between two slices of the wait, in which the program has been asleep: it has been woken.
    return result == -1 && errno == EAGAIN && has_waited ? 0 : result;
  };
  if (const auto result = wait_within(rank, limit, ended_by, within)) return *result;
  errno = ETIMEDOUT;
  return -1;
}

}  // namespace

MORGANA_EXPORT long syscall(long number, ...) noexcept {
  SystemCall call{number, {}};
  va_list arguments;
  va_start(arguments, number);
  for (long& argument : call.arguments) argument = va_arg(arguments, long);
  va_end(arguments);
  const auto wait = as_wait(call);
  const void* const caller = __builtin_return_address(0);
  LiveRank* const rank = wait ? rank_for(caller) : nullptr;
  if (rank == nullptr) return call_kernel(call);
  const EndedBy ended_by = who_wakes(call, *wait, caller);
  if (wait->limit == nullptr) return wait_without_limit(call, ended_by);
  return is_valid(*wait->limit) ? wait_on_futex(*rank, call, *wait, ended_by) : call_kernel(call);
}
