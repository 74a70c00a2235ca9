#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/link_load.h"
#include "emulator/report/execution_report.h"
#include "emulator/report/job_report.h"
#include "emulator/report/limits/bottleneck.h"
#include "emulator/report/limits/critical_path.h"
#include "emulator/report/limits/straggler.h"
#include "emulator/report/run_statistics.h"

namespace morgana {

/// What a report says of a run in addition to its statistics.
struct RunDescription {
  std::string subject;   ///< the program's command line, or the trace
  std::string platform;  ///< its name
  std::uint64_t seed = 1;
  bool native = false;       ///< measured on this machine, not simulated
  double compute_scale = 1;  ///< simulated compute time over measured processor time, or over the trace's
  std::string compute = {};  ///< how compute times were made, for people: "x 306: ..."; may be empty
  bool openmpi_collectives = false;  ///< those of MPI had Open MPI's algorithms, not MPICH's
  std::string collectives = {};      ///< which algorithms carried them out, for people; may be empty
  std::optional<ExecutionUse> execution = {};  ///< of an execution trace
  std::vector<std::string> slow_ranks = {};    ///< "3:x1.2"; may be empty
  std::string compute_noise = {};              ///< "lognormal:0.05"; may be empty
  std::optional<StragglerReport> straggler = {};
  std::vector<std::string> overrides = {};  ///< of keys of the platform, "network.bandwidth=x2"
  std::string map = "block";                ///< how ranks were placed, as read_placement() takes it
  std::string hint_map = "block";           ///< the same, for hints; empty: there are none
  std::vector<JobResult> jobs =
      {};  ///< where several ran on one network: all, the one that is reported first
  /// Where ranks ran on several machines: by what the compute times of each were multiplied, in addition
  /// compute_scale, to be those of the machine that runs `morgana`; empty: by 1.
  std::vector<double> machine_scales = {};
};

/// How ranks were placed, for people: "block, 4 to a host"; empty for what is usual.
/// @param map  "cyclic", "block:4", or a file's name
std::string placement_text(const std::string& map);

/// What was run, and how: lines of the summary, and of the page. Those that have nothing to say are left out.
///
///     set           keys of the platform that were overridden
///     placement     --map and --ranks-per-host, where given
///     seed          where it is not 1
///     hosts, job 1, job 2, ..., background, compute time
///     collectives   which algorithms carried them out
///     overlap       of an execution trace: its ranks' computing and communication (execution_text)
std::vector<BottleneckLine> setting_lines(const RunStatistics& statistics, const RunDescription& description);

/// What a run took on this machine.
struct WallTime {
  double seconds = 0;  ///< >= 0
};

/// Up to so many ranks stand singly in a summary.
constexpr std::size_t summary_rank_limit = 16;

/// The summary for people: where each rank's time went, messages, latency; with a wall time also how much
/// slower than the simulated time the run was. With more than `rank_limit` ranks the least, mean and greatest
/// of each figure stand for the single ranks.
/// @param bottleneck  what bottleneck_lines() says of the run
std::string run_summary(const RunStatistics& statistics, const RunDescription& description,
                        std::optional<WallTime> wall, std::size_t rank_limit = summary_rank_limit,
                        std::span<const BottleneckLine> bottleneck = {});

/// The same figures as JSON, times in whole picoseconds; `simulated_time_ps` stands at the top level.
/// Only with a wall time does the result depend on anything but the run's inputs and seed.
/// @param counters  of the model's parts; left out where empty
/// @param troubles  of all counters, whether or not these are shown; those of 0 are left out
/// @param links  of the network; left out where it has none
/// @param path  the critical one; may be null
/// @param bottleneck  what bottleneck_lines() says of the run; left out where empty
std::string run_json(const RunStatistics& statistics, const RunDescription& description,
                     std::optional<WallTime> wall, std::span<const CounterTable> counters = {},
                     const NetworkLinks& links = {}, const CriticalPath* path = nullptr,
                     std::span<const TroubleCount> troubles = {},
                     std::span<const BottleneckLine> bottleneck = {});

/// One line a rank, times in whole picoseconds.
std::string run_csv(const RunStatistics& statistics);

}  // namespace morgana
