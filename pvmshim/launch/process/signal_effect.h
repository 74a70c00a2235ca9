#pragma once

#include <sys/types.h>

#include "emulator/operations/operation.h"

namespace morgana {

/// A signal that one task has sent to another one's process.
struct SentSignal {
  Rank to{};
  pid_t process = 0;
  bool ends_it = false;  ///< ends_process, asked before it was sent
};

/// Whether the signal ends the process as things are: ending is what it does by default, and the process
/// neither catches, ignores nor blocks it.
bool ends_process(int signal, pid_t process);

/// Whether the process is stopped: it takes no signals until it is continued.
bool is_stopped(pid_t process);

/// Whether signals sent to the process have still to show what they do to it: they have not been taken yet,
/// or the process is ending. One that slept before it got them (`slept`) runs their handlers until it sleeps
/// again.
bool is_under_way(pid_t process, bool slept);

}  // namespace morgana
