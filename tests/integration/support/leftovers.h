#pragma once

#include <string>
#include <vector>

namespace morgana::test {

/// A process, by its number and what it was started as.
struct SeenProcess {
  int pid = 0;
  int parent = 0;
  std::string program;       ///< its first argument
  std::string environment;   ///< each variable between two zeros
  std::string command = {};  ///< all its arguments, each with a blank behind it

  /// Whether it is an agent of a run on several machines.
  bool is_agent() const;
  /// Whether another one of these has forked it, and it has not become another program.
  bool is_copy_among(const std::vector<SeenProcess>& all) const;
};

/// The processes that carry "NAME=VALUE" in their environment, but for this one and zombies (which hold
/// nothing). Never found by name alone: other tests run at the same time.
std::vector<SeenProcess> processes_with(const std::string& variable);

/// Shared memory that MPICH, UCX or Morgana could have made since `begin` (seconds since 1970), and that no
/// process holds any more: files in /dev/shm, System V segments.
std::vector<std::string> orphaned_shared_memory(long begin);

}  // namespace morgana::test
