#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/common/options.h"
#include "runs/result_file.h"
#include "runs/sweep/sweep.h"
#include "runs/sweep/sweep_part.h"

namespace morgana::cli {

/// Of `sweep`: options by which several processes, maybe on several machines, make its runs.
struct SharingOptions {
  std::string on;                 ///< "mpi", "slurm", or empty: this process makes them
  std::vector<std::string> with;  ///< the engine's own options
  std::string part;               ///< as read_part(); empty: this process is no part

  void add(Command& command);
  /// @throws Error for what does not go together
  /// @param csv  where rows are kept; empty: nowhere @param draws  whether there is more to write than rows
  void check(const std::string& csv, bool draws) const;
};

/// Takes the rows of parts into the sweep's file and removes the parts' files.
/// @throws Error if a part is still being made
void take_up_parts(ResultFile& file, const std::string& csv, const Sweep& sweep);

/// Has an engine make the runs that are missing in the file.
/// @param command  `morgana sweep` with what makes a part, but for --part @param jobs  processes, 0: by
/// default
/// @throws Error if runs are missing afterwards, with what the parts have said
void share_out(const SharingOptions& options, const std::vector<std::string>& command, std::size_t jobs,
               ResultFile& file, const std::string& csv, const Sweep& sweep, bool quiet);

/// Makes one part of the sweep, beside its file.
void make_part(const SweepPart& part, const Runner& runner, const std::string& csv, const Sweep& sweep,
               bool quiet);

}  // namespace morgana::cli
