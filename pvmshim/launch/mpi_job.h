#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/launch/guardian.h"
#include "pvmshim/launch/process_tree.h"

namespace morgana {

/// A program started by MPICH's mpiexec, in a session of its own; standard input and output are passed
/// through. Ends with this object at the latest, all its processes and their shared memory with it; also if
/// this process is killed.
class MpiJob {
 public:
  enum class Cleanup { by_mpiexec, by_us };
  using Environment = std::vector<std::pair<std::string, std::string>>;

  /// @param environment  of the ranks, not of mpiexec
  /// @throws Error if mpiexec.mpich is not installed
  /// @param cleanup  whether mpiexec ends the other ranks when one dies; or the user of this object does
  MpiJob(const std::vector<std::string>& command, std::size_t ranks, const Environment& environment,
         Cleanup cleanup = Cleanup::by_mpiexec);
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  /// mpiexec's process.
  pid_t pid() const { return guardian_.launcher(); }
  /// The processes that mpiexec has started as ranks since the last call: rank and process.
  std::vector<std::pair<int, pid_t>> new_ranks();
  /// mpiexec's exit code (128 + signal, if one ended it) once it has ended.
  std::optional<int> exit_code();
  /// Waits for mpiexec to end. @return its exit code. @throws Interrupted
  int wait();
  /// What has ended mpiexec (or one of its proxies) from outside, and the exit code that it amounts to.
  /// @throws Interrupted
  std::optional<std::pair<std::string, int>> violent_end(bool of_proxies);
  /// Ends every process of the job: politely, then by force.
  void terminate();

 private:
  std::int64_t begin_;
  std::string mark_;
  Guardian guardian_;
  std::map<pid_t, int> proxies_;  ///< with their pidfds
  std::set<pid_t> ranks_;         ///< that new_ranks has told
};

}  // namespace morgana
