#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/collectives/tuning.h"
#include "emulator/core/error.h"
#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "emulator/report/run_statistics.h"
#include "pvmshim/agent/machines.h"
#include "pvmshim/channel/settings.h"
#include "pvmshim/launch/mpi/rank_program.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "replay/comparison.h"

namespace morgana {

/// The program failed under way: a rank died, or did what can't be emulated.
class ProgramFailed : public Error {
 public:
  using Error::Error;
};

/// The options of a live run, without its platform.
struct LiveRunOptions {
  std::vector<std::string> command;  ///< program and arguments, not empty
  /// MPI: of several programs, as LaunchOptions::programs.
  std::vector<RankProgram> programs = {};
  std::optional<Machines> machines = {};  ///< MPI: where the ranks run, if not all on this machine
  int input = 0;                          ///< MPI: as LaunchOptions::input
  MpiChoice mpi = MpiChoice::automatic;   ///< MPI: as LaunchOptions::mpi
  bool pvm = false;                       ///< what the program speaks
  std::size_t ranks = 1;  ///< MPI: ranks; PVM: hosts, where the platform leaves their number open
  ComputeMode compute = ComputeMode::measured;
  /// The trace that compute times are taken from (RecordedCompute); `compute` is none then. May be empty.
  std::filesystem::path recorded_compute;
  Placement placement;  ///< MPI only: PVM's tasks are placed when they are spawned
  std::uint64_t seed = 1;
  /// What simulated time 0 is for the program's clocks with a date, in seconds since 1970, if the user has
  /// chosen it.
  std::optional<std::int64_t> epoch_s;
  std::string program_text;           ///< the command line for people and traces
  std::filesystem::path write_trace;  ///< where the run in the model's time is recorded; may be empty
  RunInspector inspect;               ///< may be empty
  /// MPI: is called with the share of ranks' start-up that is done, 0 to 1; may be empty.
  std::function<void(double)> starting = {};
  /// Is called with what becomes of `write_trace` if the run ends with an error, which is thrown then; may be
  /// empty.
  std::function<void(const std::string& sentence)> trace_kept = {};
  bool counters = false;                           ///< whether to fill LiveRunResult::counters
  bool links = false;                              ///< whether to fill LiveRunResult::links
  bool links_over_time = false;                    ///< whether to fill LiveRunResult::history
  std::vector<OperationObserver*> observers = {};  ///< see the run, in addition to its statistics
  CausalityObserver* causes = nullptr;             ///< gets what makes waiting ranks continue; may be null
  RankTraffic* traffic = nullptr;                  ///< counts who sends what to whom; may be null
};

struct LiveRunResult {
  RunStatistics statistics;
  int exit_code = 0;                         ///< the program's
  double seconds = 0;                        ///< real time, from start to end
  std::vector<std::string> notices;          ///< sentences for the user
  std::vector<CounterTable> counters = {};   ///< of network and transport, if asked for
  NetworkLinks links = {};                   ///< if asked for, and the network has some
  LinkHistory history = {};                  ///< the same
  std::vector<std::string> shortfalls = {};  ///< as PvmProgram::shortfalls()
  bool openmpi_collectives = false;          ///< collectives had Open MPI's algorithms, not MPICH's
  CollectiveTuning collectives = {};         ///< of the machine, settled
  std::vector<double> machine_scales = {};   ///< where machines measured: what multiplied each one's times
  /// A rank of MPI's has died after MPI_Finalize: what was simulated is complete, and the exit code is its.
  std::optional<RankFailed> died_afterwards = {};
};

/// Runs a live MPI or PVM program on a modelled platform.
/// @throws Deadlock; RankFailed (pvmshim/launch/process/rank_failure.h); ProgramFailed; OtherPath;
/// Interrupted (pvmshim/launch/process/interrupt.h); Error for what is wrong before the program starts
LiveRunResult run_live(const Platform& platform, const LiveRunOptions& options);

}  // namespace morgana
