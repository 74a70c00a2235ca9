#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace morgana {

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
  /// Any process's children.
  static std::vector<pid_t> children_of(pid_t parent);
  /// The rank that mpiexec has started a process as (PMI_RANK), if it has.
  static std::optional<int> rank_of(pid_t process);

  /// Ends all that runs: those of `at_once` by force, the others politely, after half a second by force.
  /// Reaps those of them that are this process's children, and no others.
  void end(const std::vector<pid_t>& at_once) const;

 private:
  pid_t root_;
  std::string mark_;
};

}  // namespace morgana
