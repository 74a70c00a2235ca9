#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace morgana {

/// What one thread of a process does at a moment, as the kernel shows it.
struct ThreadActivity {
  enum class Does {
    runs,     ///< it runs, waits for a processor, or waits for a page or a disk: it goes on by itself
    sleeps,   ///< until something happens
    stopped,  ///< by a signal or a debugger
    ended
  };
  pid_t number = 0;
  Does does = Does::ended;
  /// Sleeping: "read of descriptor 0 (/dev/pts/1)", "futex (a lock, or another thread)"; empty: not known.
  std::string in;
};

/// What a process does at a moment, the processes that it has started included.
struct ProcessActivity {
  std::vector<ThreadActivity> threads;  ///< the first is the one that began it; none: it has ended
  std::chrono::nanoseconds used{};      ///< CPU time of all its threads so far
  bool child_runs = false;              ///< a process that it has started, or one of that, runs

  bool has(ThreadActivity::Does what) const;
};

/// @param most_threads  that are looked at
ProcessActivity activity_of(pid_t process, std::size_t most_threads = 64);

}  // namespace morgana
