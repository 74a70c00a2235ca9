#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace morgana {

/// A share of a sweep's runs, for one of several processes, maybe on several machines, that make it together:
/// of the runs whose results are missing every `of`-th, from the `number`-th on.
struct SweepPart {
  std::size_t number = 1, of = 1;  ///< 1 <= number <= of
  /// @param missing  a run's place among those that are missing, from 0
  bool takes(std::size_t missing) const { return missing % of == number - 1; }
};

/// @param text  "K/N"; "mpi": this process's place among those of mpiexec, as MPICH's process manager gives
/// it (PMI_RANK, PMI_SIZE); "slurm": its place in an array job (SLURM_ARRAY_TASK_ID, _MIN, _COUNT)
/// @throws Error for another text, or where the place is not known
SweepPart read_part(const std::string& text);

/// Programs that this process starts are no part of the job that it runs in itself: forgets what the job's
/// process manager has put into the environment.
void leave_job();

/// Where the part keeps its results until they are taken into the sweep's: FILE.part-K-of-N.
std::filesystem::path part_file(const std::filesystem::path& results, const SweepPart& part);
/// All files of parts that are there, of whatever number, sorted by their names.
std::vector<std::filesystem::path> part_files(const std::filesystem::path& results);

}  // namespace morgana
