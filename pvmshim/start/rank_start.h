#pragma once

#include <cstdint>

namespace morgana {

/// What a rank says of itself before its program begins: less than a pipe takes at once, so never in parts.
struct RankStart {
  std::int32_t rank;
  std::int32_t process;
};

/// morgana-rank's arguments, before the program and its own.
enum StartArgument : int {
  output_pipe = 1,  ///< /proc/PID/fd/N of the process that holds it open: the rank's standard output
  error_pipe,       ///< its standard error
  start_pipe,       ///< takes a RankStart
  leave_pipe,       ///< gives each rank a byte once its program may begin
  preloaded,        ///< what LD_PRELOAD is to be in the program; no_preload: as it is
  program           ///< and its arguments
};

/// (mpiexec loses empty arguments.)
constexpr const char* no_preload = "-";

}  // namespace morgana
