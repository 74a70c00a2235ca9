#pragma once

#include <atomic>
#include <cstdint>

#include "pvmshim/clock/bell.h"
#include "pvmshim/clock/live_rank.h"
#include "pvmshim/clock/program_threads.h"

namespace morgana {

/// The waits with a deadline (TimedWait) of threads that share the rank's clock: the program has not asked
/// for MPI_THREAD_MULTIPLE. (Where threads take turns ThreadTurns looks after waits and timers, until the
/// rank's end; then they go by real time.) They are over in the order of their deadlines: when the clock has
/// come there because threads compute, or when all threads sleep; then the clock goes to the earliest
/// deadline.
///
/// Timers of the program (ProgramTimers) expire in the same order. Where a thread computes they expire when
/// the clock has come there, with ComputeMode::none at its next call or reading of the clock; in a call of
/// MPI when that ends (LiveRank).
///
/// A thread that runs is waited for, with two exceptions. With ComputeMode::none, one that has used more
/// CPU time than the first wait lasts, and at least as much as `patience`, is passed over until it
/// sleeps: it spins on a variable, perhaps for the thread that waits. And while a thread waits for what is no
/// thread, a wait is over no sooner than it would be natively.
class RankWaits {
 public:
  static RankWaits& own();

  /// A thread's wait begins, from now on of Place::timed.
  void begin(LiveRank& rank, ProgramThread& thread);
  /// The calling thread, whose wait has begun, can be woken from now on: it looks whether it must wait at
  /// all.
  void look_now(const ProgramThread& self);
  /// A timer has been armed. Takes no lock, as a signal's handler may do that.
  void timer_is_armed(LiveRank& rank);
  /// The rank has ended, and no thread is given a turn any more.
  void turns_are_over(LiveRank& rank);

 private:
  using Lock = ThreadsLock;
  struct Outlook {
    bool somebody_runs = false;
    bool outside = false;  ///< a thread waits for something other than a thread
  };

  ProgramThread* first();
  bool step(Lock& lock, const ProgramThread* self);
  bool is_in_charge() const;
  bool goes_by_real_time() const;
  bool end_by_real_time();
  bool timer_comes_before(const ProgramThread* first) const;
  bool let_timer_expire(Lock& lock);
  bool timer_is_due(Lock& lock);
  Outlook look(const ProgramThread* self, std::int64_t span_ns);
  void look_at(ProgramThread& thread, std::int64_t span_ns, Outlook& outlook);
  bool is_passed_over(ProgramThread& thread, std::int64_t span_ns);
  static bool has_slept_for_long(ProgramThread& thread);
  void forget_who_spins();
  void run_clerk();
  void start_clerk();

  std::atomic<LiveRank*> rank_{nullptr};
  std::atomic<bool> has_clerk_{false};
  std::uint64_t visits_seen_ = 0;  ///< when threads were last looked at for a timer
  SimTime shown_seen_;             ///< the clock that had been shown then
  bool somebody_looks_ = false;
  Bell clerk_;
  std::int64_t patience_ns_ = 1'000'000'000;
};

}  // namespace morgana
