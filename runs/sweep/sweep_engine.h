#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace morgana {

/// Who starts the processes that share a sweep: MPICH's process manager (mpiexec, on this machine or those of
/// a host file), or Slurm (an array job).
enum class SweepEngine { mpi, slurm };

/// A sweep that several processes make. All machines must see the same files under the same names: the
/// command, the trace or program, the results.
struct SharedSweep {
  SweepEngine engine = SweepEngine::mpi;
  std::size_t parts = 1;             ///< how many processes
  std::vector<std::string> options;  ///< for mpiexec or sbatch
  /// What makes a part of the sweep once "--part", "mpi" or "slurm" is put behind its first two words.
  std::vector<std::string> command;
  std::filesystem::path results;  ///< the sweep's file, beside which the parts keep theirs

  /// The engine's command line.
  std::vector<std::string> engine_command() const;
};

/// Starts the engine and waits until it has ended; if this process ends before, so do the parts.
/// @param told  called a few times a second
/// @return the engine's exit code. @throws Error if it can't be started; Interrupted
int carry_out(const SharedSweep& sweep, const std::function<void()>& told);

/// What Slurm's array tasks have said, each line once; it lands in files beside the results, which are
/// removed.
std::string take_messages(const std::filesystem::path& results);

}  // namespace morgana
