#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

namespace morgana::test {

/// A real PVM daemon of our own, on this machine alone: it has its own folder, so any number can run beside
/// each other and nobody else's tasks are in it. It ends, with all tasks that it has started, and its folder
/// vanishes, when this object or its process ends, however that happens: another process (pvm_keeper) sees
/// to it.
class PvmDaemon {
 public:
  struct Options {
    std::vector<std::filesystem::path> programs{"/usr/bin"};  ///< where pvm_spawn looks
    std::vector<std::string> environment;  ///< "A=B", of the daemon and the tasks that it starts
  };

  /// Whether PVM's daemon is installed.
  static bool available();

  /// Returns when tasks can enrol. @throws std::runtime_error if it can't be started
  PvmDaemon() : PvmDaemon(Options()) {}
  explicit PvmDaemon(const Options& options);
  /// Returns when everything has ended.
  ~PvmDaemon();
  PvmDaemon(const PvmDaemon&) = delete;
  PvmDaemon& operator=(const PvmDaemon&) = delete;

  /// The command with what a program must find in its environment to become a task of this daemon.
  std::vector<std::string> command(const std::vector<std::string>& program) const;
  /// What `command` puts there, "A=B".
  const std::vector<std::string>& environment() const { return environment_; }

  const std::filesystem::path& folder() const { return folder_; }
  /// What the daemon has logged, the output of its tasks that nobody collects among it.
  std::string log() const;
  pid_t keeper() const { return keeper_; }

 private:
  std::filesystem::path folder_;
  std::vector<std::string> environment_;
  pid_t keeper_ = -1;
  int lifeline_ = -1;  ///< the keeper cleans up when its other end is closed
};

}  // namespace morgana::test
