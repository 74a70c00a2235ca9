// The C library's calls that wait for a signal, or an asynchronous access of a file.

#include <aio.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <optional>

#include "pvmshim/clock/interposed/readiness.h"
#include "pvmshim/clock/interposed/real_time.h"
#include "pvmshim/clock/libc_call.h"
#include "pvmshim/clock/program_timers.h"
#include "pvmshim/clock/time_of_day.h"
#include "pvmshim/clock/timed_wait.h"

using namespace morgana;

namespace {

using Span = std::chrono::nanoseconds;

/// The rank one of whose timers may end a wait for signals, if no child of its can.
LiveRank* waiter_for_timers(const void* caller) {
  LiveRank* const rank = ProgramTimers::own().any() ? rank_for(caller) : nullptr;
  return rank == nullptr || has_had_children() ? nullptr : rank;
}

template <typename Wait>
int wait_for_signal(const void* caller, Wait wait) {
  LiveRank* const rank = waiter_for_timers(caller);
  if (rank == nullptr) return wait();
  const WaitForTimer mark;
  return wait();
}

bool waits(const timespec* span) {
  return span != nullptr && is_valid(*span) && (span->tv_sec != 0 || span->tv_nsec != 0);
}

}  // namespace

MORGANA_EXPORT int pause() {
  return wait_for_signal(__builtin_return_address(0), [] { return MORGANA_LIBC(pause)(); });
}

MORGANA_EXPORT int sigsuspend(const sigset_t* mask) {
  return wait_for_signal(__builtin_return_address(0), [=] { return MORGANA_LIBC(sigsuspend)(mask); });
}

MORGANA_EXPORT int sigwait(const sigset_t* signals, int* signal) {
  return wait_for_signal(__builtin_return_address(0), [=] { return MORGANA_LIBC(sigwait)(signals, signal); });
}

MORGANA_EXPORT int sigwaitinfo(const sigset_t* signals, siginfo_t* about) {
  return wait_for_signal(__builtin_return_address(0),
                         [=] { return MORGANA_LIBC(sigwaitinfo)(signals, about); });
}

MORGANA_EXPORT int sigtimedwait(const sigset_t* signals, siginfo_t* about, const timespec* span) {
  const void* const caller = __builtin_return_address(0);
  if (span == nullptr)
    return wait_for_signal(caller, [=] { return MORGANA_LIBC(sigtimedwait)(signals, about, nullptr); });
  LiveRank* const rank = waits(span) ? rank_for(caller) : nullptr;
  if (rank == nullptr) return MORGANA_LIBC(sigtimedwait)(signals, about, span);
  const auto within = [&](Span slice) -> std::optional<int> {
    const timespec real = as_timespec(slice);
    const int signal = MORGANA_LIBC(sigtimedwait)(signals, about, &real);
    return signal == -1 && errno == EAGAIN ? std::nullopt : std::optional(signal);
  };
  const EndedBy ended_by = has_had_children() ? EndedBy::outside : EndedBy::threads;
  if (const auto signal = wait_within(*rank, TimeLimit::within(time_of(*span)), ended_by, within))
    return *signal;
  errno = EAGAIN;
  return -1;
}

/// The C library's own threads carry out the accesses: no thread of the program does.
MORGANA_EXPORT int aio_suspend(const aiocb* const* list, int count, const timespec* span) {
  LiveRank* const rank = waits(span) ? rank_for(__builtin_return_address(0)) : nullptr;
  if (rank == nullptr) return MORGANA_LIBC(aio_suspend)(list, count, span);
  const auto within = [&](Span slice) -> std::optional<int> {
    const timespec real = as_timespec(slice);
    const int result = MORGANA_LIBC(aio_suspend)(list, count, &real);
    return result == -1 && errno == EAGAIN ? std::nullopt : std::optional(result);
  };
  if (const auto result = wait_within(*rank, TimeLimit::within(time_of(*span)), EndedBy::outside, within))
    return *result;
  errno = EAGAIN;
  return -1;
}
