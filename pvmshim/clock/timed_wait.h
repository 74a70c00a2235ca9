#pragma once

#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "emulator/core/time.h"
#include "emulator/operations/call.h"
#include "pvmshim/clock/live_rank.h"

namespace morgana {

/// When a wait of the program ends at the latest, on the simulated clock of the calling thread.
struct TimeLimit {
  SimTime time;
  bool is_span = false;  ///< counted from the beginning of the wait; else a point in time

  static constexpr TimeLimit within(SimTime span) { return {span, true}; }
  static constexpr TimeLimit until(SimTime point) { return {point, false}; }
};

/// What traces and tables call a wait that has a time limit and has reached it.
inline constexpr Call wait_with_limit = Call::nanosleep;

/// Who can end a wait before its deadline.
enum class EndedBy {
  threads,  ///< other threads of the program alone
  outside,  ///< another process, too
};

/// A wait of the calling thread, in the program, that ends at a deadline of the thread's simulated clock
/// unless what it waits for comes before. One rule for all of the C library's calls with a time limit:
///
/// - What has come already is found first.
/// - A wait that only other threads can end: if there are none, and no timer of the program is armed, the
///   clock goes to the deadline. Else the wait is over when they have computed for so long, or when all of
///   them sleep and no deadline of theirs is earlier: then the clock goes there. With ComputeMode::none
///   computing takes no time, and every decision is the same in each run. (RankWaits; where threads take
///   turns, ThreadTurns.)
/// - A wait that another process can end lasts as long as it does natively, in real time. If what it waits
///   for comes, that has taken no simulated time (only CPU time counts); else the clock goes to the deadline.
///   While any thread waits so, the others' waits end no sooner than in real time, either.
/// - While another thread is in a call of MPI that is not for several threads at once, waits go by real time.
///
/// Trivially destructible, like all that wait_until() has on the stack: a thread may be cancelled while it
/// waits, and be unwound by another library's unwinder.
class TimedWait {
 public:
  TimedWait(LiveRank& rank, Call call, TimeLimit limit, EndedBy ended_by);

  /// No thread can end it. Who could when it was last looked whether what it waits for has come may have
  /// ended since.
  bool is_alone() const { return how_ == How::alone || how_ == How::alone_for_span; }
  /// Asked before each slice. Whether the deadline has been reached; the thread's clock shows it then.
  bool is_over();
  /// For how much real time the thread may wait for what it waits for before it asks again.
  std::chrono::nanoseconds slice() const { return slice_; }
  /// Around each slice.
  void slice_begins();
  void slice_ends();
  /// Whether a timer's signal has come since this was last asked; its handler has run. The kernel reports
  /// only of one that has come within a slice.
  bool was_interrupted();
  /// What it waits for has come, or a signal: the wait ends before its deadline.
  void has_come();
  /// A handler that waited itself has left this wait: no thread could end it. It begins again when it is
  /// asked.
  bool was_left() const;

  /// Instead of slices. `interrupted` (by a signal's handler) and `cancelled` do not end the wait: the thread
  /// rests again, or has_come(). After that it may begin again, with the same deadline.
  enum class Rest {
    over,
    woken,  ///< by wake_waiters_on()
    interrupted,
    cancelled  ///< the thread is to be cancelled, if it allows that
  };
  Rest rest();
  /// How far the deadline is away, at least 1 ns.
  SimTime left() const;
  /// Before rest(): from now on wake_waiters_on(object) ends the wait.
  void waits_on(const void* object);

 private:
  enum class How {
    alone_for_span,  ///< no thread can end it
    alone,           ///< the same, until a point in time
    outside,         ///< another process can, and the time has not passed in reality
    by_rank,         ///< other threads can, which have the rank's clock
    in_turns         ///< the same, and each has its own clock
  };
  How how_among_threads() const;
  bool real_time_is_over();
  void begin_among_threads();
  void end_among_threads();

  LiveRank& rank_;
  Call call_;
  How how_ = How::alone;
  bool is_span_ = false;
  bool has_begun_ = false;           ///< among threads
  bool is_within_slice_ = false;     ///< of a wait that a handler has interrupted
  std::uint64_t number_ = 0;         ///< then
  std::uint32_t interruptions_ = 0;  ///< of the thread, of which it knows
  SimTime span_, deadline_, begin_;
  std::int64_t real_begin_ns_ = 0;
  std::chrono::nanoseconds slice_{};
};

/// What a handler of a signal does to a wait.
enum class OnSignal {
  end,   ///< it ends with EINTR, whether or not other calls would be begun again
  go_on  ///< nothing
};

/// Waits by slices.
/// @param attempt  a function of the longest real time that it may wait (ns; 0: it must not wait). It returns
/// an optional result, which is nothing if that time has passed
/// @return nothing at the deadline; -1 where a signal ends it, and errno is EINTR
template <typename Attempt>
auto wait_within(LiveRank& rank, TimeLimit limit, EndedBy ended_by, Attempt attempt,
                 OnSignal on_signal = OnSignal::end) -> decltype(attempt(std::chrono::nanoseconds())) {
  if (const auto result = attempt(std::chrono::nanoseconds())) return result;
  TimedWait wait(rank, wait_with_limit, limit, ended_by);
  if (wait.is_alone())
    if (const auto result = attempt(std::chrono::nanoseconds())) return result;
  while (!wait.is_over()) {
    wait.slice_begins();
    auto result = attempt(wait.slice());
    wait.slice_ends();
    const bool is_interrupted = wait.was_interrupted() && on_signal == OnSignal::end;
    if (!result && !is_interrupted) continue;
    if (!result)
      result = attempt(std::chrono::nanoseconds());  // it waits for the signal, or that has brought it
    wait.has_come();
    if (result) return result;
    errno = EINTR;
    return -1;
  }
  return std::nullopt;
}

/// Sleeps until the deadline, or until a signal's handler has run. @return what is left of the wait then;
/// else 0
SimTime rest_of(TimedWait& wait);

/// Whether any thread waits on an object, so that to wake one the C library is not enough.
bool somebody_waits_on_objects();
/// Wakes those that have waited on `object` for longest. @return false if none does
bool wake_waiters_on(const void* object, std::size_t most);
/// The thread is to be cancelled: ends its rest, or the next one that it begins.
void wake_to_cancel(pthread_t thread);

/// The calling thread waits for another one, for real time, whatever the kernel is given; or not any more.
void mark_wait_for_thread(bool waits);

/// The calling thread is in no wait: a signal's handler has left the one that it seems to be in by a jump, or
/// begins another one within it, after which that one begins again.
void leave_abandoned_wait();

/// While it lives the calling thread waits, without a limit, for what only this process can bring: another
/// thread, or a timer of the program, which expires once all threads sleep.
class WaitForTimer {
 public:
  WaitForTimer();
  ~WaitForTimer() { mark_wait_for_thread(false); }
  WaitForTimer(const WaitForTimer&) = delete;
  WaitForTimer& operator=(const WaitForTimer&) = delete;
};

}  // namespace morgana
