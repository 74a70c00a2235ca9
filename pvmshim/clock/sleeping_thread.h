#pragma once

#include <sys/types.h>

#include "pvmshim/clock/thread_file.h"

namespace morgana {

/// What a thread of this process does, as the kernel sees it.
enum class ThreadDoes {
  run,              ///< it runs, or would if it had a processor
  wait_for_thread,  ///< it sleeps until another thread of this process wakes it (a join, a lock, a condition)
  wait_otherwise,   ///< it sleeps for a time, or until something outside of the process happens; not where
                    ///< the kernel itself keeps it for a moment (state D)
};

/// What the kernel reports about one thread of this process. Each question takes some microseconds, and is
/// always about the same thread, whose number in the kernel (gettid) is given.
class SleepingThread {
 public:
  /// A thread that has been woken for another processor counts as waiting until that one has noticed.
  ThreadDoes what_does(pid_t thread);
  /// Whether it sleeps, or has ended, and nobody has woken it.
  bool is_asleep(pid_t thread);
  /// The next question is about another thread: a forked child's own one.
  void forget();

 private:
  ThreadDoes otherwise(pid_t thread);

  ThreadFile call_{"syscall"}, state_{"stat"};
};

}  // namespace morgana
