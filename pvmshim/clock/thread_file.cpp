#include "pvmshim/clock/thread_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>

namespace morgana {

/// By the numbers of what was opened: the program may have closed all files that it does not know.
bool ThreadFile::is_open() const {
  struct stat now {};
  return file_ >= 0 && fstat(file_, &now) == 0 && now.st_dev == device_ && now.st_ino == inode_;
}

bool ThreadFile::open(pid_t thread) {
  std::array<char, 48> path{};
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", static_cast<int>(thread), name_);
  file_ = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path.data(), O_RDONLY | O_CLOEXEC));
  struct stat opened {};
  if (file_ < 0 || fstat(file_, &opened) != 0) return false;
  device_ = opened.st_dev;
  inode_ = opened.st_ino;
  return true;
}

void ThreadFile::forget() {
  if (is_open()) syscall(SYS_close, file_);
  file_ = -1;
}

ThreadFile::Read ThreadFile::read(pid_t thread, std::span<char> text) {
  if (!is_open() && !open(thread)) {
    const bool has_ended = syscall(SYS_tgkill, getpid(), thread, 0) != 0;
    return has_ended ? Read::thread_has_ended : Read::nothing;
  }
  const long length = syscall(SYS_pread64, file_, text.data(), text.size() - 1, 0);
  if (length < 0 && errno == ESRCH) return Read::thread_has_ended;
  if (length <= 0) return Read::nothing;
  text[static_cast<std::size_t>(length)] = 0;
  return Read::text;
}

}  // namespace morgana
