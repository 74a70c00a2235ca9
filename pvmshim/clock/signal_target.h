#pragma once

#include <sys/types.h>

#include <cstdint>

namespace morgana {

/// Where a signal of the process goes.
struct SignalTarget {
  pid_t thread = 0;         ///< 0: no thread lets it through now
  bool is_pending = false;  ///< the same signal has been sent there, and was not taken yet
};

/// The oldest of the program's threads that does not block the signal itself. The kernel prefers the oldest,
/// too, but another thread may take the signal while that one wakes; then the wait that it should interrupt
/// goes on. Asks the kernel; may be called within a signal's handler.
/// To be held: a ThreadsLock, until the signal is sent, so that the thread does not end before.
/// @param only  a signal for this thread alone; 0: of the process
SignalTarget find_target(int signal, pid_t only = 0);
/// Those that have been sent to the calling thread alone and that it has not taken: bit n - 1 is signal n.
std::uint64_t pending_for_caller();

}  // namespace morgana
