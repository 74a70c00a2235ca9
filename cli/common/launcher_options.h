#pragma once

#include <string>
#include <vector>

#include "cli/common/options.h"

namespace morgana::cli {

// Users of mpiexec, mpirun and srun type their options here. The same few are accepted, and the others are
// errors that name Morgana's way.

/// What to use instead of an option of MPICH's, Open MPI's or Slurm's launcher.
/// @param word  as typed: "-hosts", "--bind-to=core"; the number of dashes and the value do not count
/// @return a sentence without its final full stop; empty if no launcher has such an option
std::string instead_of_launchers_option(const std::string& word);

/// Replaces the launchers' words for ranks per host (-ppn, -perhost, -npernode, --ntasks-per-node) by
/// "--ranks-per-host". Words after "--" and values of other options stay.
/// @param words  the command's arguments
/// @return the words, unchanged if the command has no --ranks-per-host
std::vector<std::string> with_ranks_per_host(std::vector<std::string> words, const Command& command);

/// Replaces "-np" and "--ntasks" by "-n", if the command has --ranks.
/// @param words  the command's arguments before "--"
/// @throws Error for any other launcher's option that the command does not have, with the sentence of
/// instead_of_launchers_option(), and for a long option with a single dash ("-platform")
std::vector<std::string> without_launchers_options(std::vector<std::string> words, const Command& command);

}  // namespace morgana::cli
