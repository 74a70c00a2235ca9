#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace morgana {

/// The variable that marks all processes of a job in their environment, with a value of the job's own.
inline constexpr const char* mark_variable = "MORGANA_JOB";

/// The processes that a job has started, wherever they stand: those below its root, and those that carry the
/// job's mark in their environment and have become this process's own children because their parents ended
/// (this process must be a child subreaper).
class ProcessTree {
 public:
  /// @param root  this process, or a child of it; not part of the job
  /// @param mark  "NAME=value"; not needed if root is this process
  ProcessTree(pid_t root, std::string mark) : root_(root), mark_(std::move(mark)) {}

  /// Those that run now.
  std::vector<pid_t> running() const;
  /// Whether any process has "NAME=value" in its environment, as it was given to it.
  static bool carries(pid_t pid, const std::string& variable);
  /// Any process's children.
  static std::vector<pid_t> children_of(pid_t parent);

  /// Ends all that runs. Processes in `at_once`, and those that ignore or block
  /// SIGTERM, are killed. The others get a
  /// SIGTERM and are killed after half a second. Reaps those of them that are this process's children, and no
  /// others.
  void end(const std::vector<pid_t>& at_once) const;

 private:
  pid_t root_;
  std::string mark_;
};

}  // namespace morgana
