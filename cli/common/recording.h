#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/common/options.h"
#include "cli/common/program_options.h"
#include "emulator/report/run_statistics.h"
#include "pvmshim/launch/mpi/live_program.h"
#include "runs/live_run.h"

namespace morgana::cli {

/// A program's run over the real MPI or PVM, recorded.
struct Recording {
  RunStatistics statistics;
  int exit_code = 0;                 ///< the program's
  double seconds = 0;                ///< real time, from start to end
  std::vector<std::string> notices;  ///< sentences for the user
  /// PVM programs of which fewer tasks were started than pvm_spawn was asked for; a notice names them, too.
  std::vector<std::string> shortfalls = {};
};

/// Runs the program over the real MPI, or over the real PVM. @param trace  the folder to become the trace;
/// empty for none. @param api  as for speaks_pvm
Recording record(const LaunchOptions& launch, const std::string& trace, const std::string& api = "auto");

/// Runs the program emulated on the ideal platform: its ranks compute for the CPU time that they use,
/// however many of them share a processor. @param trace  the folder to become the trace
Recording record_by_processor_time(const LaunchOptions& launch, const std::string& trace);

/// What is to run, for an emulated run. @throws Error for what a PVM program can't be given
LiveRunOptions live_options(const LaunchOptions& launch, bool pvm);

/// --api.
void add_api(Command& command, std::string& api);
/// @param api  auto (what the program is linked to), mpi or pvm
bool speaks_pvm(const std::string& api, const std::vector<std::string>& command);

/// Programs that have or want a processor at this moment, this one not counted; 0 where that can't be found
/// out.
std::size_t other_programs_running();
/// What it does to measured CPU times if more wants to run than there are processors; empty if nothing.
/// @param others  other running programs
std::string crowding_of_measured(std::size_t ranks, std::size_t others, std::size_t processors);

/// Why times of two ranks say nothing at the moment: others compute on all processors but one. Empty: they
/// do.
/// @param others  programs that compute or wait for a processor
std::string busy_text(std::size_t others, std::size_t processors);

/// "morgana: note: ..." on standard error.
void print_notices(const std::vector<std::string>& notices);

}  // namespace morgana::cli
