#pragma once

#include <string>
#include <vector>

#include "pvmshim/launch/mpi/rank_program.h"

namespace morgana {

/// A program and its arguments, in one line as a shell would be given it.
std::string command_text(const std::vector<std::string>& program);

/// Whether a word is "\:", "\\:" ...
bool is_colon_behind_backslashes(const std::string& word);
/// The words as they stand behind Morgana's "--", where a lone ":" separates programs: that is "\:" there.
std::vector<std::string> behind_dashes(std::vector<std::string> program);

/// Programs with their arguments as they stand behind "--", in one line: ": -n 2 --env A=1 ./b x" for every
/// one but the first.
std::string programs_text(const std::vector<RankProgram>& programs);

}  // namespace morgana
