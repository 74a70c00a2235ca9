#pragma once

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <stdexcept>
#include <string>

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

/// Passes words between a test and its processes.
class Pipe {
 public:
  Pipe() {
    if (pipe(ends_) != 0) throw std::runtime_error("no pipe");
  }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  void put(const std::string& word) {
    if (write(ends_[1], word.c_str(), word.size() + 1) < 0) throw std::runtime_error("can't write to a pipe");
  }
  /// Waits for the next word.
  std::string get() {
    std::string word;
    for (char next = 0; read(ends_[0], &next, 1) == 1 && next != 0;) word += next;
    return word;
  }

 private:
  int ends_[2];
};

}  // namespace morgana::testing
