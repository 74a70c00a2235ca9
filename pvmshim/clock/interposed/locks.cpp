// The C library's locks, semaphores (also System V's), joins and message queues, as far as threads wait for
// them with a time limit.

#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/sem.h>
#include <threads.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include "pvmshim/channel/thread_clocks.h"
#include "pvmshim/clock/interposed/real_time.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

using namespace morgana;

namespace {

using Slice = std::chrono::nanoseconds;

std::int64_t wall_ns() {
  return read_clock_ns(CLOCK_MONOTONIC).value_or(0);
}

/// glibc's mark of what processes share, in its semaphores and mutexes.
constexpr int shared_mark = 128;

EndedBy who_posts(const sem_t* semaphore) {
  struct Semaphore {
    std::uint64_t value;
    int is_private;
  };
  return reinterpret_cast<const Semaphore*>(semaphore)->is_private == shared_mark ? EndedBy::outside
                                                                                  : EndedBy::threads;
}

EndedBy who_unlocks(const pthread_mutex_t* mutex) {
  return (mutex->__data.__kind & shared_mark) != 0 ? EndedBy::outside : EndedBy::threads;
}

EndedBy who_unlocks(const pthread_rwlock_t* lock) {
  return lock->__data.__shared != 0 ? EndedBy::outside : EndedBy::threads;
}

/// The deadline of a call, if its caller's clock is simulated and the call is a valid one.
std::optional<TimeLimit> limit_of(LiveRank* rank, clockid_t clock, const timespec* until) {
  if (rank == nullptr || until == nullptr || !is_valid(*until)) return std::nullopt;
  const auto start = start_of_clock(clock);
  if (!start) return std::nullopt;
  return TimeLimit::until(point_of(*until, *start));
}

/// A call that returns an error number. @param attempt  a function of a point on the real CLOCK_REALTIME
template <typename Attempt>
int wait_for_lock(LiveRank& rank, TimeLimit limit, EndedBy ended_by, Attempt attempt) {
  const auto within = [&](Slice slice) -> std::optional<int> {
    const timespec until = real_time_in(slice, CLOCK_REALTIME);
    const int error = attempt(&until);
    return error == ETIMEDOUT ? std::nullopt : std::optional(error);
  };
  return wait_within(rank, limit, ended_by, within, OnSignal::go_on).value_or(ETIMEDOUT);
}

/// A call that returns -1 and sets errno.
template <typename Attempt>
auto wait_for_news(LiveRank& rank, TimeLimit limit, EndedBy ended_by, Attempt attempt)
    -> decltype(attempt(static_cast<const timespec*>(nullptr))) {
  using Result = decltype(attempt(static_cast<const timespec*>(nullptr)));
  const auto within = [&](Slice slice) -> std::optional<Result> {
    const timespec until = real_time_in(slice, CLOCK_REALTIME);
    const Result result = attempt(&until);
    return result == -1 && errno == ETIMEDOUT ? std::nullopt : std::optional(result);
  };
  if (const auto result = wait_within(rank, limit, ended_by, within)) return *result;
  errno = ETIMEDOUT;
  return -1;
}

int lock_within(const void* caller, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  LiveRank* const rank = rank_for(caller);
  const auto limit = limit_of(rank, clock, until);
  if (!limit) return MORGANA_LIBC(pthread_mutex_clocklock)(mutex, clock, until);
  return wait_for_lock(*rank, *limit, who_unlocks(mutex), [mutex](const timespec* real) {
    return MORGANA_LIBC(pthread_mutex_timedlock)(mutex, real);
  });
}

int read_lock_within(const void* caller, pthread_rwlock_t* lock, clockid_t clock, const timespec* until) {
  LiveRank* const rank = rank_for(caller);
  const auto limit = limit_of(rank, clock, until);
  if (!limit) return MORGANA_LIBC(pthread_rwlock_clockrdlock)(lock, clock, until);
  return wait_for_lock(*rank, *limit, who_unlocks(lock), [lock](const timespec* real) {
    return MORGANA_LIBC(pthread_rwlock_timedrdlock)(lock, real);
  });
}

int write_lock_within(const void* caller, pthread_rwlock_t* lock, clockid_t clock, const timespec* until) {
  LiveRank* const rank = rank_for(caller);
  const auto limit = limit_of(rank, clock, until);
  if (!limit) return MORGANA_LIBC(pthread_rwlock_clockwrlock)(lock, clock, until);
  return wait_for_lock(*rank, *limit, who_unlocks(lock), [lock](const timespec* real) {
    return MORGANA_LIBC(pthread_rwlock_timedwrlock)(lock, real);
  });
}

int wait_for_post(const void* caller, sem_t* semaphore, clockid_t clock, const timespec* until) {
  LiveRank* const rank = rank_for(caller);
  const auto limit = limit_of(rank, clock, until);
  if (!limit) return MORGANA_LIBC(sem_clockwait)(semaphore, clock, until);
  return wait_for_news(*rank, *limit, who_posts(semaphore), [semaphore](const timespec* real) {
    return MORGANA_LIBC(sem_timedwait)(semaphore, real);
  });
}

int join_within(const void* caller, pthread_t thread, void** result, clockid_t clock, const timespec* until) {
  LiveRank* const rank = rank_for(caller);
  const auto limit = limit_of(rank, clock, until);
  int error = 0;
  if (limit) {
    ProgramThreads::own().timed_join_begins(thread);
    error = wait_for_lock(*rank, *limit, EndedBy::threads, [=](const timespec* real) {
      return MORGANA_LIBC(pthread_timedjoin_np)(thread, result, real);
    });
    ProgramThreads::own().timed_join_ends();
  } else {
    error = MORGANA_LIBC(pthread_clockjoin_np)(thread, result, clock, until);
  }
  if (error != 0) return error;
  ProgramThreads::own().joined(thread);
  ThreadClocks::own().joined(thread);
  return error;
}

}  // namespace

MORGANA_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return lock_within(__builtin_return_address(0), mutex, CLOCK_REALTIME, until);
}

MORGANA_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                           const timespec* until) noexcept {
  return lock_within(__builtin_return_address(0), mutex, clock, until);
}

MORGANA_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  // In glibc a mtx_t is a pthread_mutex_t.
  const int error = lock_within(__builtin_return_address(0), reinterpret_cast<pthread_mutex_t*>(mutex),
                                CLOCK_REALTIME, until);
  return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

MORGANA_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return read_lock_within(__builtin_return_address(0), lock, CLOCK_REALTIME, until);
}

MORGANA_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                              const timespec* until) noexcept {
  return read_lock_within(__builtin_return_address(0), lock, clock, until);
}

MORGANA_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return write_lock_within(__builtin_return_address(0), lock, CLOCK_REALTIME, until);
}

MORGANA_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                              const timespec* until) noexcept {
  return write_lock_within(__builtin_return_address(0), lock, clock, until);
}

MORGANA_EXPORT int sem_timedwait(sem_t* semaphore, const timespec* until) {
  return wait_for_post(__builtin_return_address(0), semaphore, CLOCK_REALTIME, until);
}

MORGANA_EXPORT int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* until) {
  return wait_for_post(__builtin_return_address(0), semaphore, clock, until);
}

MORGANA_EXPORT int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* until) {
  return join_within(__builtin_return_address(0), thread, result, CLOCK_REALTIME, until);
}

MORGANA_EXPORT int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock,
                                        const timespec* until) {
  return join_within(__builtin_return_address(0), thread, result, clock, until);
}

MORGANA_EXPORT ssize_t mq_timedreceive(mqd_t queue, char* text, size_t size, unsigned* priority,
                                       const timespec* until) {
  LiveRank* const rank = rank_for(__builtin_return_address(0));
  const auto limit = limit_of(rank, CLOCK_REALTIME, until);
  if (!limit) return MORGANA_LIBC(mq_timedreceive)(queue, text, size, priority, until);
  return wait_for_news(*rank, *limit, EndedBy::outside, [=](const timespec* real) {
    return MORGANA_LIBC(mq_timedreceive)(queue, text, size, priority, real);
  });
}

MORGANA_EXPORT int mq_timedsend(mqd_t queue, const char* text, size_t size, unsigned priority,
                                const timespec* until) {
  LiveRank* const rank = rank_for(__builtin_return_address(0));
  const auto limit = limit_of(rank, CLOCK_REALTIME, until);
  if (!limit) return MORGANA_LIBC(mq_timedsend)(queue, text, size, priority, until);
  return wait_for_news(*rank, *limit, EndedBy::outside, [=](const timespec* real) {
    return MORGANA_LIBC(mq_timedsend)(queue, text, size, priority, real);
  });
}

MORGANA_EXPORT int semtimedop(int set, sembuf* operations, size_t count, const timespec* span) noexcept {
  const bool waits = span != nullptr && is_valid(*span) && (span->tv_sec != 0 || span->tv_nsec != 0);
  LiveRank* const rank = waits ? rank_for(__builtin_return_address(0)) : nullptr;
  if (rank == nullptr) return MORGANA_LIBC(semtimedop)(set, operations, count, span);
  const auto within = [&](Slice slice) -> std::optional<int> {
    const timespec real = as_timespec(slice);
    const std::int64_t begin = wall_ns();
    const int result = MORGANA_LIBC(semtimedop)(set, operations, count, &real);
    if (result != -1 || errno != EAGAIN) return result;
    // It is also what an operation says that does not wait: at once. The kernel has read the operations.
    const auto waiting = std::count_if(operations, operations + count,
                                       [](const sembuf& one) { return (one.sem_flg & IPC_NOWAIT) == 0; });
    const bool some_wait = waiting > 0, all_wait = waiting == static_cast<std::ptrdiff_t>(count);
    const bool is_at_once = Slice(wall_ns() - begin) < slice / 2;
    return !some_wait || (!all_wait && is_at_once) ? std::optional(result) : std::nullopt;
  };
  if (const auto result = wait_within(*rank, TimeLimit::within(time_of(*span)), EndedBy::outside, within))
    return *result;
  errno = EAGAIN;
  return -1;
}
