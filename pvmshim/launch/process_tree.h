#pragma once

#include <sys/types.h>

#include <set>
#include <string>
#include <utility>
#include <vector>

namespace morgana {

/// The processes that a job has started, wherever they stand: those below its root, and those that carry the
/// job's mark in their environment and have become this process's own children because their parents ended
/// (this process must be a child subreaper).
class ProcessTree {
 public:
  /// @param root  a child of this process, part of the job while it runs
  /// @param mark  "NAME=value"
  ProcessTree(pid_t root, std::string mark) : root_(root), mark_(std::move(mark)) {}

  /// Those that run now; zombies of the job that have become this process's children are reaped.
  std::vector<pid_t> running();
  /// The processes that mpiexec has started as ranks: rank (PMI_RANK) and process.
  std::vector<std::pair<int, pid_t>> ranks() const;
  /// A process that is the job's, even if it should end before it is seen running.
  void remember(pid_t process) { known_.insert(process); }

 private:
  pid_t root_;
  std::string mark_;
  std::set<pid_t> known_;  ///< once seen as the job's: another child's end is not ours to take notice of
};

}  // namespace morgana
