#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/channel/anonymous_file.h"
#include "pvmshim/launch/mpi/rank_program.h"
#include "pvmshim/launch/process/guardian.h"
#include "pvmshim/launch/process/output_relay.h"
#include "pvmshim/launch/process/process_tree.h"
#include "pvmshim/launch/process/stopped_helpers.h"

namespace morgana {

/// Programs started by MPICH's mpiexec on this machine, in a session of its own; standard input and output
/// are passed through. mpiexec does not look for other machines, whatever batch system it runs in
/// (launcher_environment.h). Ends with this object at the latest, all its processes and their shared memory
/// with it; also if this process is killed. Nothing that a rank has written is lost, however it ends.
class MpiJob {
 public:
  enum class Cleanup { by_mpiexec, by_us };
  using Environment = Variables;

  /// @param programs  not empty; a program's path is looked up in PATH
  /// @param environment  of the ranks alone: neither mpiexec nor what a rank starts later is to have it.
  ///   LD_PRELOAD is put behind what the program's own environment preloads
  /// @param cleanup  whether mpiexec ends the other ranks when one dies; or the user of this object does
  /// @param input  the rank that gets standard input; -1: none. The others read what /dev/null holds
  /// @param share  the ranks of `programs` are these of the run's: so they are numbered, here and in `input`
  /// @throws Error if mpiexec.mpich is not installed
  MpiJob(const std::vector<RankProgram>& programs, const Environment& environment,
         Cleanup cleanup = Cleanup::by_mpiexec, int input = 0, const RankShare& share = {});
  /// All ranks run the same.
  MpiJob(const std::vector<std::string>& command, std::size_t ranks, const Environment& environment,
         Cleanup cleanup = Cleanup::by_mpiexec)
      : MpiJob({RankProgram{command, ranks}}, environment, cleanup) {}
  ~MpiJob();
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  /// mpiexec's process.
  pid_t pid() const { return guardian_->launcher(); }
  /// The processes that have become ranks since the last call: rank and process. Each says so itself before
  /// its program begins, and then waits for leave.
  std::vector<std::pair<int, pid_t>> new_ranks();
  /// All processes of a rank that run, as far as they have its environment.
  std::vector<pid_t> processes_of(int rank) const;
  /// Lets the ranks' programs begin. Where mpiexec cleans up, nobody has to know the ranks, and they may at
  /// once.
  void let_begin();
  /// mpiexec's exit code (128 + signal, if one ended it) once it has ended.
  std::optional<int> exit_code();
  /// Waits for mpiexec to end and for the output of all that it has started. @return its exit code.
  /// @throws Interrupted
  int wait();
  /// Whether mpiexec or one of its proxies has begun to end, although it has not ended yet.
  bool is_ending() const;
  /// Whether a proxy of mpiexec runs.
  bool has_proxies() const;
  /// Says once of each process which the run needs beside the ranks, and which is stopped, that it is.
  void look_at_helpers();
  /// Carries the ranks' output.
  OutputRelay& output() { return output_; }
  /// What has ended mpiexec (or one of its proxies) from outside, and the exit code that it amounts to.
  /// @throws Interrupted
  std::optional<std::pair<std::string, int>> violent_end(bool of_proxies);
  /// Ends every process of the job: politely, then by force.
  void terminate();

 private:
  int wait_for_mpiexec();
  void close_pipes();

  std::size_t ranks_;
  std::int64_t begin_;
  std::string mark_;
  OutputRelay output_;
  int starts_ = -1, starting_ = -1;  ///< both ends of the pipe through which ranks say that they begin
  int awaited_ = -1, leave_ = -1;    ///< and of that from which each takes leave to do so
  std::optional<AnonymousFile> start_file_;  ///< what each rank becomes, for morgana-rank
  std::optional<Guardian> guardian_;
  std::map<pid_t, int> proxies_;  ///< with their pidfds
  StoppedHelpers stopped_;
};

}  // namespace morgana
