#pragma once

#include <string>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/options.h"
#include "pvmshim/launch/mpi/live_program.h"

namespace morgana::cli {

/// Most ranks of a run, of all its programs together.
inline constexpr std::size_t most_ranks = 4096;

/// -n, --ranks.
void add_ranks(Command& command, std::size_t& ranks);

/// What runs on which ranks: options of the commands that start one program or several (MPMD), as
/// `-n 2 --env A=1 -- ./a x : -n 2 --env B=2 ./b y`. -n and --env before "--" are the first program's, as
/// those behind a lone ":" are those of the program that follows them.
struct ProgramOptions {
  std::size_t ranks = 1;
  std::vector<std::string> environment;
  std::string input = "0";
  std::string mpi = "auto";

  void add(Command& command);
  /// @param example  of how the command is given a program
  /// @throws Error for what is missing or wrong in `line`
  LaunchOptions launch(const CommandLine& line, const std::string& example) const;
};

/// What its ranks run, in one line.
std::string programs_text(const LaunchOptions& launch);

/// Checks all programs before anything long is done. @throws Error
void check_programs(const LaunchOptions& launch, bool pvm);
/// @throws Error for what only MPI programs can be given: several programs, --env, --stdin, --mpi
void refuse_for_pvm(const LaunchOptions& launch);

}  // namespace morgana::cli
