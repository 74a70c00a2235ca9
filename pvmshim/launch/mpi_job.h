#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/launch/process_tree.h"

namespace morgana {

/// A program started by MPICH's mpiexec, in a session of its own; standard input and output are passed
/// through. Ends with this object at the latest, all its processes with it; also if this process is killed.
/// (Linux ends mpiexec with the thread that started it: let that thread live as long.)
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
  pid_t pid() const { return pid_; }
  /// The job's processes, as far as they have started.
  ProcessTree& processes() { return processes_; }
  /// mpiexec's exit code (128 + signal, if one ended it) once it has ended.
  std::optional<int> exit_code();
  /// Waits for mpiexec to end. @return its exit code. @throws Interrupted
  int wait();
  /// Ends every process of the job: politely, then by force.
  void terminate();

 private:
  std::string mark_;
  pid_t pid_;
  ProcessTree processes_;
  std::optional<int> exit_code_;
};

}  // namespace morgana
