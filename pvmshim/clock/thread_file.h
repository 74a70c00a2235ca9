#pragma once

#include <sys/types.h>

#include <span>

namespace morgana {

/// One of the files in which the kernel reports on a thread of this process (proc_pid_stat(5) and others). It
/// stays open from one question to the next, which is five times as fast as to open it each time; where the
/// program has closed it, or has taken its number for another one, it is opened again.
class ThreadFile {
 public:
  enum class Read { text, nothing, thread_has_ended };

  /// @param name  in /proc/self/task/N; lives as long as the program
  explicit ThreadFile(const char* name) : name_(name) {}
  ~ThreadFile() { forget(); }
  ThreadFile(const ThreadFile&) = delete;
  ThreadFile& operator=(const ThreadFile&) = delete;

  /// What it says now, as far as there is space, and a zero. Allocates nothing.
  /// @param thread  its number in the kernel (gettid), always the same
  Read read(pid_t thread, std::span<char> text);
  /// The next question is about another thread: a forked child's own one.
  void forget();

 private:
  bool is_open() const;
  bool open(pid_t thread);

  const char* name_;
  int file_ = -1;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace morgana
