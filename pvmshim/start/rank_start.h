#pragma once

#include <cstdint>

namespace morgana {

/// What a rank says of itself before its program begins: less than a pipe takes at once, so never in parts.
struct RankStart {
  std::int32_t rank;
  std::int32_t process;
};

/// morgana-rank's arguments.
enum StartArgument : int {
  output_pipe = 1,   ///< /proc/PID/fd/N of the process that holds it open: the rank's standard output
  error_pipe,        ///< its standard error
  start_pipe,        ///< takes a RankStart
  leave_pipe,        ///< gives each rank a byte once its program may begin
  start_file,        ///< what each rank becomes; see below
  program_number,    ///< which of the start file's programs this rank runs, from 0
  input_rank,        ///< the rank that gets standard input; -1: none. The others read /dev/null
  input_descriptor,  ///< the inherited one with that rank's input; -1: mpiexec's own standard input is it
  start_arguments    ///< how many there are, morgana-rank's name counted
};

// The start file holds words, each ended by a zero, so that no word of a program passes through mpiexec,
// which takes a lone ":" for its own. First the number of ranks that the run has on all machines, and the
// number and the numbers of those that mpiexec starts here, in the order of its own; 0 and 0: mpiexec starts
// all of them. Then for each program:
//
//   the number of the program's variables, and each as NAME=VALUE; all of the following numbers in decimal
//   the number of the variables that are the rank's alone, and each as NAME=VALUE
//   the number of the variables that have a value for each rank, and each as NAME=VALUE,VALUE,... in the
//   order of the ranks
//   the number of its words, and each: the program's path first

/// Between the values of a variable that has one for each rank.
inline constexpr char value_separator = ',';

/// In a rank's environment: which connection is its own to mpiexec, "DEVICE.INODE" of the socket PMI_FD. A
/// process that mpiexec has started in a job of its own has another one, and is no rank of this run.
inline constexpr const char* line_variable = "MORGANA_PMI";
/// In a rank's environment: the names of the variables that are the rank's alone, separated by ":".
inline constexpr const char* added_variable = "MORGANA_ADDED";
/// Before such a name: the value that the program's own environment has for it, if it has one.
inline constexpr const char* before_prefix = "MORGANA_BEFORE_";

}  // namespace morgana
