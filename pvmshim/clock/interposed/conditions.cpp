// The C library's condition variables, as far as threads wait on them with a time limit: such a thread rests
// in the shim, and whoever signals the condition wakes it there. Those without a limit wait in the C library,
// as ever.

#include <pthread.h>
#include <threads.h>
#include <time.h>

#include <cerrno>
#include <limits>
#include <optional>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

using namespace morgana;

namespace {

/// What glibc's pthread_cond_t says of its attributes.
constexpr unsigned is_shared_bit = 1, is_monotonic_bit = 2;

clockid_t clock_of(const pthread_cond_t* condition) {
  return (condition->__data.__wrefs & is_monotonic_bit) != 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

int wait_really(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  return MORGANA_LIBC(pthread_cond_clockwait)(condition, mutex, clock, until);
}

/// For as much real time.
int wait_as_long(LiveRank& rank, pthread_cond_t* condition, pthread_mutex_t* mutex, SimTime until) {
  const SimTime now = rank.look_at_clock(wait_with_limit).value_or(rank.latest());
  const std::int64_t real_now = read_clock_ns(CLOCK_MONOTONIC).value_or(0);
  const std::int64_t real_until = real_now + (until > now ? (until - now).ps() / 1000 : 0);
  const timespec limit{real_until / 1'000'000'000, real_until % 1'000'000'000};
  mark_wait_for_thread(true);
  const int error = wait_really(condition, mutex, CLOCK_MONOTONIC, &limit);
  mark_wait_for_thread(false);
  return error;
}

int rest_until_signalled(LiveRank& rank, pthread_cond_t* condition, pthread_mutex_t* mutex, SimTime until) {
  TimedWait wait(rank, wait_with_limit, TimeLimit::until(until), EndedBy::threads);
  wait.waits_on(condition);
  if (const int error = MORGANA_LIBC(pthread_mutex_unlock)(mutex); error != 0) {
    wait.has_come();
    return error;
  }
  TimedWait::Rest why = wait.rest();
  while (why == TimedWait::Rest::interrupted && !wait.was_left()) why = wait.rest();
  if (why == TimedWait::Rest::cancelled) wait.has_come();
  const int error = MORGANA_LIBC(pthread_mutex_lock)(mutex);
  if (error != 0) return error;
  if (why == TimedWait::Rest::cancelled) pthread_testcancel();
  // Whose wait a handler has left, or who does not want to be cancelled, may have been signalled since: POSIX
  // allows to wake for nothing.
  return why == TimedWait::Rest::over ? ETIMEDOUT : 0;
}

int wait_on(const void* caller, pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
            const timespec* until) {
  LiveRank* const rank = rank_for(caller);
  const auto start = rank == nullptr ? std::nullopt : start_of_clock(clock);
  if (!start || !is_valid(*until)) return wait_really(condition, mutex, clock, until);
  const SimTime deadline = point_of(*until, *start);
  // Python's threads hand its lock to each other by the clock: that is not the program's time.
  const bool is_interpreters_lock = code_at(caller) == CodeOf::interpreter;
  const bool is_shared = (condition->__data.__wrefs & is_shared_bit) != 0;
  if (is_interpreters_lock) return wait_as_long(*rank, condition, mutex, deadline);
  if (!is_shared) return rest_until_signalled(*rank, condition, mutex, deadline);
  const int error = wait_as_long(*rank, condition, mutex, deadline);
  if (error != ETIMEDOUT) return error;
  TimedWait rest(*rank, wait_with_limit, TimeLimit::until(deadline), EndedBy::threads);
  rest_of(rest);
  return error;
}

/// The shim's own conditions are none of the program's, and it may hold the lock of its threads.
bool wakes_in_shim(const void* caller) {
  return somebody_waits_on_objects() && !called_from_below(caller);
}

int wake_one(const void* caller, pthread_cond_t* condition) {
  return wakes_in_shim(caller) && wake_waiters_on(condition, 1)
             ? 0
             : MORGANA_LIBC(pthread_cond_signal)(condition);
}

int wake_all(const void* caller, pthread_cond_t* condition) {
  if (wakes_in_shim(caller)) wake_waiters_on(condition, std::numeric_limits<std::size_t>::max());
  return MORGANA_LIBC(pthread_cond_broadcast)(condition);
}

int as_thread_result(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case ETIMEDOUT:
      return thrd_timedout;
    default:
      return thrd_error;
  }
}

}  // namespace

MORGANA_EXPORT int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                          const timespec* until) {
  return wait_on(__builtin_return_address(0), condition, mutex, clock_of(condition), until);
}

MORGANA_EXPORT int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                          const timespec* until) {
  return wait_on(__builtin_return_address(0), condition, mutex, clock, until);
}

MORGANA_EXPORT int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  return wake_one(__builtin_return_address(0), condition);
}

MORGANA_EXPORT int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  return wake_all(__builtin_return_address(0), condition);
}

// C11's are the same below (glibc).

MORGANA_EXPORT int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  return as_thread_result(wait_on(__builtin_return_address(0), reinterpret_cast<pthread_cond_t*>(condition),
                                  reinterpret_cast<pthread_mutex_t*>(mutex), CLOCK_REALTIME, until));
}

MORGANA_EXPORT int cnd_signal(cnd_t* condition) {
  return as_thread_result(
      wake_one(__builtin_return_address(0), reinterpret_cast<pthread_cond_t*>(condition)));
}

MORGANA_EXPORT int cnd_broadcast(cnd_t* condition) {
  return as_thread_result(
      wake_all(__builtin_return_address(0), reinterpret_cast<pthread_cond_t*>(condition)));
}

MORGANA_EXPORT int pthread_cancel(pthread_t thread) {
  const int error = MORGANA_LIBC(pthread_cancel)(thread);
  if (error == 0 && LiveRank::active() != nullptr) wake_to_cancel(thread);
  return error;
}
