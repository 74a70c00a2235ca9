#pragma once

#include <sys/types.h>

namespace morgana {

/// What a thread of this process does, as the kernel sees it.
enum class ThreadDoes {
  run,              ///< it runs, or would if it had a processor
  wait_for_thread,  ///< it sleeps until another thread of this process wakes it (a join, a lock, a condition)
  wait_otherwise,   ///< it sleeps for a time, or until something outside of the process happens
};

/// What the kernel tells of one thread of this process. Its file stays open from one question to the next,
/// which is five times as fast as to open it each time; where the program has closed it, or has taken its
/// number for another one, it is opened again.
class SleepingThread {
 public:
  SleepingThread() = default;
  ~SleepingThread() { forget(); }
  SleepingThread(const SleepingThread&) = delete;
  SleepingThread& operator=(const SleepingThread&) = delete;

  /// Some microseconds. @param thread  its number in the kernel (gettid), always the same
  ThreadDoes what_does(pid_t thread);
  /// The next question is about another thread: a forked child's own one.
  void forget();

 private:
  bool is_open() const;
  bool open(pid_t thread);

  int file_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace morgana
