#pragma once

#include <cstdint>

#include "pvmshim/clock/program_threads.h"
#include "pvmshim/clock/program_timers.h"

namespace morgana {

/// Where a thread is passed over, which may call at any time, simulated time passes as the wall clock does.
class RealPace {
 public:
  void begin();
  /// Since it has begun, or since it was asked last: a microsecond at least.
  SimTime passed();

 private:
  std::int64_t since_ns_ = 0;
};

/// What is known of the threads of a rank that are in no call: when they may call. One that others have
/// waited for too long, because it spins on a variable or waits for something outside of the process, is
/// passed over until it calls. The caller holds a ThreadsLock.
class ThreadOutlook {
 public:
  struct Seen {
    bool somebody_runs = false;
    SimTime horizon = SimTime::max();  ///< no running thread calls before
    bool passed_over = false;          ///< a thread was, which may call at any time
  };

  /// @param measured  computing takes simulated time; without it no time says how far a thread is
  ThreadOutlook(ProgramThreads& threads, bool measured) : threads_(threads), measured_(measured) {}

  Seen look();
  /// A thread may run that slept when it was looked last.
  void somebody_may_run() { all_sleep_ = false; }
  /// Whether those that are passed over have spun, or slept for something outside, for as long as a timer
  /// runs. They are given as much time again for what they do next. What reads its clock does not spin.
  bool have_waited_for(const ProgramTimers::First& timer);
  /// Since the last thread was passed over.
  RealPace& pace() { return pace_; }

 private:
  bool holds_up(ProgramThread& thread, Seen& seen);

  ProgramThreads& threads_;
  bool measured_;
  bool all_sleep_ = false;                    ///< who is in no call, since it was last looked
  std::int64_t patience_ns_ = 1'000'000'000;  ///< with a thread that others wait for, in its CPU time
  RealPace pace_;
};

}  // namespace morgana
