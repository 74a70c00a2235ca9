#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace morgana {

/// Variables of the environment: name and value.
using Variables = std::vector<std::pair<std::string, std::string>>;

/// A program and the ranks that run it. Of several, as MPMD programs have them, the ranks are numbered in
/// their order; each program's number among them is its ranks' MPI_APPNUM.
struct RankProgram {
  std::vector<std::string> command;  ///< program and arguments, not empty
  std::size_t ranks = 1;
  Variables environment = {};  ///< in addition to what this process has
  /// Libraries of ours that its ranks load before the job's own LD_PRELOAD.
  std::vector<std::string> preloaded = {};
  /// Variables with a value for each rank of the job, which the rank's children see, too.
  std::vector<std::pair<std::string, std::vector<std::string>>> by_rank = {};
};

/// The ranks of a run that are on this machine; the others are on other ones.
struct RankShare {
  std::size_t of = 0;      ///< how many ranks the run has; 0: all of them are here
  std::vector<int> ranks;  ///< those that are here, ascending

  bool is_all() const { return of == 0; }
};

}  // namespace morgana
