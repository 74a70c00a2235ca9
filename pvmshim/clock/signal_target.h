#pragma once

#include <sys/types.h>

namespace morgana {

/// Where a signal of the process goes.
struct SignalTarget {
  pid_t thread = 0;         ///< 0: no thread lets it through now
  bool is_pending = false;  ///< the same signal has been sent there, and was not taken yet
};

/// The oldest of the program's threads that does not block the signal itself. The kernel prefers the oldest,
/// too, but another thread may take the signal while that one wakes; then the wait that it should interrupt
/// goes on. Asks the kernel; may be called within a signal's handler.
/// @param only  a signal for this thread alone; 0: of the process
SignalTarget find_target(int signal, pid_t only = 0);

}  // namespace morgana
