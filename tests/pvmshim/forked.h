#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>

namespace morgana::testing {

/// A process of the test's own that runs `body` and ends with its result as exit code (99 for an exception).
/// Killed and reaped, if it still runs, with this object.
class Forked {
 public:
  template <typename Body>
  explicit Forked(const Body& body) : pid_(fork()) {
    if (pid_ != 0) return;
    int code = 99;
    try {
      code = body();
    } catch (const std::exception& failure) {
      std::cerr << "in a forked process: " << failure.what() << '\n';
    }
    _exit(code);
  }
  ~Forked() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  pid_t pid() const { return pid_; }
  /// Waits for the process to end. @return its exit code, or minus the signal that ended it
  int result() {
    int status = 0;
    waitpid(pid_, &status, 0);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }

 private:
  pid_t pid_;
};

}  // namespace morgana::testing
