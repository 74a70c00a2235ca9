#pragma once

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace morgana {

/// Whether the process has ended (a zombie has). Never waits.
inline bool process_has_ended(int pid) {
  const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor < 0) return errno == ESRCH;
  pollfd ready{descriptor, POLLIN, 0};
  const bool ended = poll(&ready, 1, 0) > 0;
  close(descriptor);
  return ended;
}

}  // namespace morgana
