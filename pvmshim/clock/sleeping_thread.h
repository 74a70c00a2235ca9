#pragma once

#include <sys/types.h>

namespace morgana {

/// What a thread of this process does, as the kernel sees it.
enum class ThreadDoes {
  run,              ///< it runs, or would if it had a processor
  wait_for_thread,  ///< it sleeps until another thread of this process wakes it (a join, a lock, a condition)
  wait_otherwise,   ///< it sleeps for a time, or until something outside of the process happens
};

/// Some microseconds. @param thread  its number in the kernel (gettid)
ThreadDoes what_does(pid_t thread);

}  // namespace morgana
