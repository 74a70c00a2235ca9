#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace morgana::test {

/// A command that runs while the test goes on; killed and reaped with this object. Its standard output and
/// error go to files.
class StartedProcess {
 public:
  /// @param environment  added to it, "NAME=VALUE"
  StartedProcess(const std::vector<std::string>& command, const std::string& folder,
                 const std::string& environment);
  ~StartedProcess();
  StartedProcess(const StartedProcess&) = delete;
  StartedProcess& operator=(const StartedProcess&) = delete;

  pid_t pid() const { return pid_; }
  bool running();
  /// Waits until it has ended. @return its exit code (128 + signal), or nothing if it takes longer
  std::optional<int> exit_code_within(std::chrono::milliseconds limit);
  /// What it has used so far, or in all when it has ended; without its children's.
  std::chrono::nanoseconds processor_time();

  /// The files' names in the folder.
  static constexpr const char* out = "out";
  static constexpr const char* err = "err";

 private:
  pid_t pid_;
  std::optional<int> status_;
  std::chrono::nanoseconds processor_time_{};
};

}  // namespace morgana::test
