#include "pvmshim/clock/sleeping_thread.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#include <array>
#include <cstdio>
#include <cstring>

namespace morgana {
namespace {

/// System calls in which a thread may sleep on a busy machine, but not for something to happen.
bool is_short(long call) {
  switch (call) {
    case SYS_mmap:
    case SYS_munmap:
    case SYS_mprotect:
    case SYS_madvise:
    case SYS_mremap:
    case SYS_brk:
    case SYS_clone3:
    case SYS_write:
    case SYS_writev:
    case SYS_openat:
    case SYS_close:
      return true;
    default:
      return false;
  }
}

}  // namespace

void SleepingThread::forget() {
  call_.forget();
  state_.forget();
}

// The kernel tells in which system call a thread sleeps, and with which arguments. (Not by the C library's
// stdio: the caller holds a lock.)
ThreadDoes SleepingThread::what_does(pid_t thread) {
  std::array<char, 256> text{};
  switch (call_.read(thread, text)) {
    case ThreadFile::Read::thread_has_ended:
      return ThreadDoes::wait_for_thread;
    case ThreadFile::Read::nothing:
      return ThreadDoes::run;
    case ThreadFile::Read::text:
      break;
  }
  long call = -1;
  unsigned long word = 0, operation = 0, value = 0, limit = 0;
  // "running", or "-1" and two addresses while it waits for a page, say
  if (std::sscanf(text.data(), "%ld %lx %lx %lx %lx", &call, &word, &operation, &value, &limit) < 5)
    return ThreadDoes::run;
  if (is_short(call)) return ThreadDoes::run;
  if (call != SYS_futex) return otherwise(thread);
  const unsigned long what = operation & static_cast<unsigned>(FUTEX_CMD_MASK);
  const bool waits = what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET || what == FUTEX_LOCK_PI;
  const bool within_process = (operation & FUTEX_PRIVATE_FLAG) != 0;
  if (waits && within_process && limit == 0) return ThreadDoes::wait_for_thread;
  return otherwise(thread);
}

ThreadDoes SleepingThread::otherwise(pid_t thread) {
  return is_asleep(thread) ? ThreadDoes::wait_otherwise : ThreadDoes::run;
}

// The state stands behind the thread's name, which may have brackets, too. A thread that has been woken for
// another processor, which has not noticed yet, is none that sleeps here ('S'), but is one in `syscall`.
bool SleepingThread::is_asleep(pid_t thread) {
  std::array<char, 64> text{};
  const ThreadFile::Read read = state_.read(thread, text);
  if (read != ThreadFile::Read::text) return read == ThreadFile::Read::thread_has_ended;
  const char* const name_ends = std::strrchr(text.data(), ')');
  return name_ends != nullptr && std::strncmp(name_ends, ") S", 3) == 0;
}

}  // namespace morgana
