#include "pvmshim/clock/sleeping_thread.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

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

/// By the numbers of what was opened: the program may have closed all files that it does not know.
bool SleepingThread::is_open() const {
  struct stat now {};
  return file_ >= 0 && fstat(file_, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
}

bool SleepingThread::open(pid_t thread) {
  std::array<char, 48> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/syscall", static_cast<int>(thread));
  file_ = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.data(), O_RDONLY | O_CLOEXEC));
  struct stat opened {};
  if (file_ < 0 || fstat(file_, &opened) != 0) return false;
  device_ = opened.st_dev;
  inode_ = opened.st_ino;
  return true;
}

void SleepingThread::forget() {
  if (is_open()) syscall(SYS_close, file_);
  file_ = -1;
}

// The kernel tells in which system call a thread sleeps, and with which arguments. (Not by the C library's
// stdio: the caller holds a lock.)
ThreadDoes SleepingThread::what_does(pid_t thread) {
  if (!is_open() && !open(thread)) {
    const bool has_ended = syscall(SYS_tgkill, getpid(), thread, 0) != 0;
    return has_ended ? ThreadDoes::wait_for_thread : ThreadDoes::run;
  }
  std::array<char, 256> text{};
  const long length = syscall(SYS_pread64, file_, text.data(), text.size() - 1, 0);
  if (length < 0 && errno == ESRCH) return ThreadDoes::wait_for_thread;  // it has ended
  if (length <= 0) return ThreadDoes::run;
  long call = -1;
  unsigned long word = 0, operation = 0, value = 0, limit = 0;
  // "running", or "-1" and two addresses while it waits for a page, say
  if (std::sscanf(text.data(), "%ld %lx %lx %lx %lx", &call, &word, &operation, &value, &limit) < 5)
    return ThreadDoes::run;
  if (is_short(call)) return ThreadDoes::run;
  if (call != SYS_futex) return ThreadDoes::wait_otherwise;
  const unsigned long what = operation & static_cast<unsigned>(FUTEX_CMD_MASK);
  const bool waits = what == FUTEX_WAIT || what == FUTEX_WAIT_BITSET || what == FUTEX_LOCK_PI;
  const bool within_process = (operation & FUTEX_PRIVATE_FLAG) != 0;
  return waits && within_process && limit == 0 ? ThreadDoes::wait_for_thread : ThreadDoes::wait_otherwise;
}

}  // namespace morgana
