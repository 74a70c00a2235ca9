#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/collectives/tuning.h"
#include "emulator/core/background_use.h"
#include "emulator/core/link_history.h"
#include "emulator/platform/platform.h"
#include "emulator/report/execution_report.h"
#include "emulator/report/execution_timeline.h"
#include "emulator/report/limits/bottleneck.h"
#include "emulator/report/limits/critical_path.h"
#include "emulator/report/pictures/plot.h"
#include "emulator/report/run_statistics.h"
#include "replay/compute_variation.h"
#include "replay/jobs/jobs.h"
#include "replay/replay_input.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {

class RunAccount;
class CausalityObserver;
class RankTraffic;
/// Called when a run is over, to read the machine's counters.
using RunInspector = std::function<void(const RunStatistics&, const RunAccount&, Machine&)>;

/// How the program was recorded whose replay a run is, or that it is.
enum class Recorded : std::uint8_t {
  before,             ///< the trace was there already
  by_processor_time,  ///< in an emulated run: its ranks compute for the CPU time that they use
  in_real_time,       ///< over the real MPI or PVM: waiting for a processor counts as computing
};

/// The link of a network that is busy for the greatest share of a run.
struct BusiestLink {
  std::string link;        ///< text_of(LinkLoad)
  double utilisation = 0;  ///< 0 to 1
};

/// What became of one program in one environment.
struct ComparedRun {
  std::string platform;
  SimTime total;                   ///< the last rank's end
  SimTime compute, communication;  ///< of a rank, in the mean: outside of calls, and in them
  double communication_share = 0;  ///< of all ranks' time together, 0 to 1
  double compute_scale = 1;        ///< by which compute times were multiplied
  double ratio = 1;                ///< of the total to that of the comparison's first run
  std::uint64_t messages = 0;      ///< point to point, all ranks
  double mean_latency = 0;         ///< in seconds; 0 if there were no messages, or they were not observed
  double median_latency = 0;
  double p99_latency = 0;
  std::size_t ranks = 0;
  std::optional<HostUse> hosts = std::nullopt;  ///< where they were, if it ran on a model
  std::optional<BusiestLink> busiest_link{};    ///< where the network has links and their loads are known
  Recorded recorded = Recorded::before;
  /// Where its time goes, where that is known: not of a real run, nor of several CPUs a rank.
  std::optional<PathTimes> path = std::nullopt;
  std::string limit{};                                     ///< limit_text(); may be empty
  std::optional<BackgroundUse> background = std::nullopt;  ///< what hosts sent beside it, if they did
  std::optional<ExecutionUse> execution = std::nullopt;    ///< of an execution trace
  bool openmpi_collectives = false;                        ///< as ReplayResult::openmpi_collectives
  /// A job beside the program waits for what never comes (ReplayResult::stands_still).
  bool stands_still = false;
};

/// The same program in several environments, side by side.
struct Comparison {
  std::string subject;  ///< the program's command line, or the trace
  std::uint64_t seed = 1;
  std::vector<ComparedRun> runs;
  // What holds on all modelled platforms:
  std::vector<std::string> overrides = {};   ///< of keys, "network.bandwidth=x2"
  std::string map = "block";                 ///< how ranks are placed, as read_placement() takes it
  std::vector<std::string> shortfalls = {};  ///< of the recorded program: tasks that were not started
  std::vector<std::string> beside = {};      ///< jobs that replay beside it, as --beside has them

  /// Adds a run and sets its ratio to the first.
  void add(ComparedRun run);
};

/// What a run's statistics say of it; the rest is to be filled in.
ComparedRun compared_run(const std::string& platform, const RunStatistics& statistics,
                         double compute_scale = 1);

/// The options of a replay, without its trace and platform.
struct ReplayOptions {
  Placement placement;
  std::uint64_t seed = 1;
  std::function<void(double)> progress;  ///< called now and then with the share done, 0 to 1; may be empty
  std::filesystem::path write_trace;     ///< where the run in the model's time is recorded; may be empty
  /// Is called with what becomes of `write_trace` if the replay ends with a deadlock, which is thrown then;
  /// may be empty.
  std::function<void(const std::string& sentence)> trace_kept = {};
  RunInspector inspect;                       ///< may be empty
  bool counters = false;                      ///< whether to fill ReplayResult::counters
  bool links = false;                         ///< whether to fill ReplayResult::links
  RankTraffic* traffic = nullptr;             ///< counts who sends what to whom; may be null
  bool links_over_time = false;               ///< whether to fill ReplayResult::history
  ExecutionTimeline* execution = nullptr;     ///< gets what ranks of an execution trace do; may be null
  std::vector<OperationObserver*> observers;  ///< see the run, in addition to its statistics
  CausalityObserver* causes = nullptr;        ///< gets what makes waiting ranks continue; may be null
  /// What read_trace() has read: replays of one trace may share it. If empty, the replay reads the trace.
  std::shared_ptr<const ReplayInput> translated;
  /// How computing differs from what the trace says; nothing: not at all.
  std::optional<ComputeVariation> variation = {};
  /// What runs beside it, on hosts of its own and the same network. All results but `jobs` are of the trace
  /// alone.
  std::vector<TraceBeside> beside = {};
};

/// Finishes the trace of a run that `why` ("a deadlock") has ended before its end.
/// @return a sentence for the user: that it holds what had ended by then, or why there is none
std::string keep_broken_off(TraceWriter& writer, const std::filesystem::path& trace, const std::string& why);

struct ReplayResult {
  RunStatistics statistics;
  std::vector<std::string> notices;         ///< sentences for the user
  std::vector<CounterTable> counters = {};  ///< of network and transport, if asked for
  NetworkLinks links = {};                  ///< if asked for, and the network has some
  LinkHistory history = {};                 ///< the same
  /// Whether what ReplayOptions::causes got makes a critical path: not where ranks have several CPUs.
  bool has_path = true;
  /// Ranks of the schedule exchanged messages with switches that add up, which are MPI_Wait in what observers
  /// see.
  bool waits_for_switches = false;
  bool openmpi_collectives = false;            ///< calls of MPI had Open MPI's algorithms, not MPICH's
  CollectiveTuning collectives = {};           ///< of the machine, settled
  std::optional<ExecutionUse> execution = {};  ///< of an execution trace: where its ranks' time goes
  /// With ReplayOptions::variation, by rank: what its computations have taken, added up.
  std::vector<SimTime> computed = {};
  std::vector<JobResult> jobs = {};  ///< with ReplayOptions::beside: the trace itself, then those
  /// Where such a job has not ended when the trace itself has, and never would: platform, jobs, and the text
  /// of the deadlock. All other results are complete.
  std::string stands_still = {};
};

/// What a trace of a run on a modelled platform says of it; `program` is what ran.
/// @param services  the ranks before this one only serve the others
TraceProperties modelled_properties(const Platform& platform, const Machine& machine,
                                    const std::string& program, std::size_t ranks_at_start,
                                    std::size_t services = 0);

/// Where only some of a run's programs or jobs (`what`) were built for Open MPI: a sentence for the user that
/// all have MPICH's collectives. Empty: the platform says whose. @param machine  not yet settled
std::string two_libraries_notice(const Machine& machine, const char* what);

/// Replays a trace, or runs a schedule, on a modelled platform.
/// @throws Error for a trace or platform that can't be replayed; a native platform is none; Deadlock where
/// the trace itself does not end. Ranks beyond its own are in no cycle that it names.
ReplayResult replay_on(const Platform& platform, const std::filesystem::path& trace,
                       const ReplayOptions& options);

/// What was asked for on all modelled platforms: lines "set", "placement" and "beside"; may be empty.
std::vector<BottleneckLine> setting_lines(const Comparison& comparison);
/// Where ranks have shared hosts: a line for each way of sharing, with the platforms. May be empty.
std::string host_lines(const Comparison& comparison);

/// How what is compared was recorded: a line for each way, with the platforms. Empty for a trace that was
/// there already.
std::string recording_lines(const Comparison& comparison);
/// Why each platform takes its time: shares of the critical path, or the overlap of an execution trace's
/// computing and communication; and which tier of links limits. Empty if nothing is known of any.
std::string reasons_table(const Comparison& comparison);
/// What it means for the totals if platforms place the ranks on different numbers of hosts. Empty: nothing.
std::string caution_about_hosts(const Comparison& comparison);
/// What background traffic there was: a line for each platform that has some. May be empty.
std::string background_lines(const Comparison& comparison);
/// On which platforms collectives had Open MPI's algorithms: a line, or empty for MPICH's everywhere.
std::string collective_lines(const Comparison& comparison);
/// One line a platform: total, communication, share, ratio to the first.
std::string comparison_table(const Comparison& comparison);
/// Times in whole picoseconds.
std::string comparison_csv(const Comparison& comparison);
/// Times in whole picoseconds.
std::string comparison_json(const Comparison& comparison);
/// A bar a platform, compute below communication, the ratio to the first above.
StackedBars comparison_bars(const Comparison& comparison);

}  // namespace morgana
