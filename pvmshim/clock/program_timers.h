#pragma once

#include <signal.h>
#include <sys/types.h>
#include <time.h>

#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "emulator/core/time.h"
#include "pvmshim/clock/bell.h"

namespace morgana {

/// Waits for expirations of a timer whose owner wants a function called.
class TimerCalls;
struct SignalTarget;

/// What happens when a timer expires.
struct TimerAction {
  enum class Kind : std::uint8_t {
    none,        ///< nothing: the program asks how much time is left
    signal,      ///< a signal to the process
    to_thread,   ///< a signal to one thread
    call,        ///< a call of a function
    descriptor,  ///< a descriptor becomes readable
  };
  Kind kind = Kind::none;
  int signal = 0;
  pid_t thread = 0;
  sigval value{};
  TimerCalls* calls = nullptr;       ///< never null for `call`
  clockid_t clock = CLOCK_REALTIME;  ///< that the program counts
  int descriptor = -1;               ///< an event counter
  std::uint64_t event_id = 0;        ///< the kernel's number of that counter; 0: unknown
};

/// The timers of the program, which expire at times of the rank's simulated clock (RankWaits and ThreadTurns
/// let them, LiveRank at the end of a call and at a reading of the clock).
///
/// All may be called within a signal's handler, but for create(): signals are blocked while a thread holds
/// the lock, and nothing is allocated.
class ProgramTimers {
 public:
  struct Timer;
  struct Setting {
    SimTime left;      ///< until the timer expires; 0: it is not armed
    SimTime interval;  ///< between later expirations; 0: there are none
  };
  struct First {
    SimTime deadline;
    std::int64_t real_span_ns;  ///< how long it runs natively
    std::int64_t real_end_ns;   ///< when that is over, on the wall clock
  };

  static ProgramTimers& own();

  /// Not armed. Its memory stays.
  Timer& create(const TimerAction& action);
  /// @return what it did; nothing if there is no such timer (any more)
  std::optional<TimerAction> remove(const void* timer);
  /// After the last call of a timer that has been removed.
  void destroy(TimerCalls* calls);
  /// Null if there is no such timer.
  Timer* find(const void* timer);
  Timer* find_descriptor(int descriptor);
  /// There is no timer with this descriptor: it is that of a new file. (The kernel gives numbers of event
  /// counters again, too.)
  void forget_descriptor(int descriptor);

  /// Arms the timer. @param deadline  SimTime::max(): disarms it. @return what it was set to
  Setting set(Timer& timer, SimTime deadline, SimTime interval, SimTime now);
  Setting read(Timer& timer, SimTime now);
  /// How many expirations the latest signal stands for, without the first.
  int overrun(Timer& timer);

  /// When the first one expires; SimTime::max() if none is armed. Takes no lock.
  SimTime first() const { return SimTime::from_ps(first_ps_.load(std::memory_order_acquire)); }
  bool any() const { return first() < SimTime::max(); }
  First look_at_first();
  /// The calling thread, which blocks all signals, is none of the program's any more: those of the process
  /// that were sent to it in its last moment go to another one.
  void pass_on_signals();
  /// Lets the first timer expire once, if that is at `now` at the latest. @return whether it was
  bool expire_one(SimTime now);
  /// Lets all of them expire until then, in the order of their times. For a thread of the program: handlers
  /// run in it. They may leave by a jump.
  void expire_until(SimTime now);
  /// The same; nothing if is_within_handler().
  void expire_in_passing(SimTime now);
  /// Whether the calling thread lets timers expire and runs a handler of such a signal, which would merge the
  /// next expirations. If it has left the handler by a jump it does not any more.
  bool is_within_handler() const;

 private:
  class Lock;
  struct Due {
    TimerAction action;
    std::uint64_t times;
    const Timer* timer;
  };
  ProgramTimers();
  Timer* find_due(SimTime now);
  std::optional<Due> look_at_due(SimTime now);
  std::optional<Due> take_due(SimTime now, const Due& seen, const SignalTarget& target);
  void find_first();

  std::mutex mutex_;
  std::deque<Timer> timers_;
  std::atomic<std::int64_t> first_ps_;
};

struct ProgramTimers::Timer {
  TimerAction action;
  bool exists = true;
  SimTime deadline = SimTime::max(), interval;
  std::int64_t real_span_ns = 0, real_end_ns = 0;
  int overrun = 0;
  bool is_queued = false;  ///< its signal was blocked when it was sent, and such a one pending ever since
};

/// A helper thread's end of a timer that calls a function. The timers' lock is held where they use it.
class TimerCalls {
 public:
  /// One more call is due. @param times  how many
  void add(std::uint64_t times);
  /// No more calls after those that are due: the timer has been removed.
  void end();
  /// Sleeps until a call is due. @return false if there will be none
  bool take();

 private:
  std::atomic<std::uint64_t> due_{0};
  std::atomic<bool> has_ended_{false};
  Bell bell_;
};

}  // namespace morgana
