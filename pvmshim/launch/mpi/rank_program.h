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
};

}  // namespace morgana
