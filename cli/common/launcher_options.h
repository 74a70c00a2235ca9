#pragma once

#include <string>
#include <vector>

#include "cli/common/options.h"

namespace morgana::cli {

/// For those who come from mpiexec, mpirun or srun: what Morgana has in the place of an option of theirs.
/// @param word  as typed
/// @return a sentence; empty if the word is no such option
std::string instead_of_launchers_option(const std::string& word);

/// The words with "-ppn N" and its like of other launchers as "--ranks-per-host N", if the command has that.
std::vector<std::string> with_ranks_per_host(std::vector<std::string> words, const Command& command);

/// The words with "-np" as "-n", if the command has that.
/// @throws Error for a launcher's option that the command does not have
std::vector<std::string> without_launchers_options(std::vector<std::string> words, const Command& command);

}  // namespace morgana::cli
