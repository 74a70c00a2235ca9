#include "runs/live_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/placement_checks.h"
#include "pvmshim/agent/distributed_program.h"
#include "pvmshim/agent/distributed_tasks.h"
#include "pvmshim/launch/mpi/live_program.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "pvmshim/launch/pvm/local_tasks.h"
#include "pvmshim/launch/pvm/pvm_program.h"
#include "replay/comparison.h"
#include "replay/network_watch.h"
#include "replay/recorded_compute.h"
#include "runs/named_endpoints.h"
#include "traces/otf2/trace_writer.h"

namespace morgana {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Who watches the run: its statistics, and the trace if one is wanted.
class Observers {
 public:
  Observers(RunStatistics& statistics, const LiveRunOptions& options, const TraceProperties& properties)
      : all_{&statistics} {
    all_.insert(all_.end(), options.observers.begin(), options.observers.end());
    if (!options.write_trace.empty()) all_.push_back(&writer_.emplace(options.write_trace, properties));
  }
  void add(OperationObserver& observer) { all_.push_back(&observer); }
  std::span<OperationObserver* const> all() const { return all_; }
  void finish(const NetworkWatch& watch, std::vector<std::string>& notices) {
    if (!writer_ || trace_is_kept_) return;
    writer_->add(watch.metrics());
    if (std::string replaced = writer_->finish(); !replaced.empty()) notices.push_back(std::move(replaced));
  }
  /// The run has come to a deadlock: what its ranks had done by then is kept, if somebody wants to know.
  void keep_until_deadlock(const LiveRunOptions& options) {
    if (!writer_ || !options.trace_kept) return;
    options.trace_kept(keep_broken_off(*writer_, options.write_trace, "a deadlock"));
    trace_is_kept_ = true;
  }
  /// The run has ended with an error: half of what happened is no trace.
  void drop(const LiveRunOptions& options) const {
    if (writer_ && options.trace_kept)
      options.trace_kept(
          fmt::format("there is no trace {}: the run did not come to its end", options.write_trace.string()));
  }

 private:
  std::optional<TraceWriter> writer_;
  bool trace_is_kept_ = false;  ///< as far as the deadlock
  std::vector<OperationObserver*> all_;
};

/// The program, or one that computes as long as a recorded one.
class ComputingProgram {
 public:
  ComputingProgram(const LiveRunOptions& options, const Platform& platform, OperationSource& program)
      : source_(&program) {
    if (!options.recorded_compute.empty())
      source_ = &recorded_.emplace(program, options.recorded_compute, platform.compute_scale());
  }
  OperationSource& source() { return *source_; }

 private:
  std::optional<RecordedCompute> recorded_;
  OperationSource* source_;
};

/// Whether Python runs it: by its name, or as its first line says.
bool is_python(const std::string& program) {
  const auto names_it = [](const std::string& text) {
    return text.substr(text.rfind('/') + 1).starts_with("python");
  };
  if (names_it(program)) return true;
  std::string first;
  std::getline(std::ifstream(find_program(program), std::ios::binary), first);
  return first.starts_with("#!") && first.find("python") != std::string::npos;
}

/// mpi4py finalises MPI when Python ends, after an exception, too: over a real MPI such a rank hangs there.
std::string caution_about_exceptions(const std::string& deadlock, const std::string& program) {
  if (deadlock.find(": has ended") == std::string::npos || !is_python(program)) return "";
  return "\n  A Python program calls MPI_Finalize after an exception, too: if the rank that has ended met "
         "one, it "
         "has printed it above, and mpiexec would wait forever. mpi4py's -m mpi4py ends all ranks instead";
}

/// Whether a rank has said more than the call that it waits in: its program has gone on, and may have
/// printed.
bool has_run_ahead(OperationSource& program, const Deadlock& deadlock) {
  Operation further;
  for (std::size_t i = 0; i < program.ranks(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    if (std::ranges::find(deadlock.ended(), rank) != deadlock.ended().end()) continue;
    try {
      if (program.next(rank, further)) return true;
    } catch (const RankFailed&) {  // the deadlock came first
      return false;
    }
  }
  return false;
}

std::string caution_about_output(OperationSource& program, const Deadlock& deadlock) {
  if (!has_run_ahead(program, deadlock)) return "";
  return "\n  note: ranks run ahead of simulated time: what a rank has printed after the call that it waits "
         "in "
         "had not happened yet when the run came to its end";
}

/// Until the program's end. What goes wrong from here on is the program's doing, not the request's.
void emulate(Engine& engine, NetworkWatch& watch, Observers& observers, const LiveRunOptions& options) {
  try {
    engine.run([&watch](SimTime end) { watch.close(end); });
  } catch (const Deadlock& deadlock) {
    const std::string& program = options.command.front();
    observers.keep_until_deadlock(options);
    throw Deadlock(deadlock.what() + caution_about_exceptions(deadlock.what(), program), deadlock.unstable(),
                   deadlock.cycle(), deadlock.ended());
  } catch (const Interrupted& interrupted) {
    observers.drop(options);
    throw Interrupted(interrupted.signal(), ". " + engine.activity_report());
  } catch (const RankFailed& failure) {
    observers.drop(options);
    // What was not delivered may be why.
    const std::string report = engine.loss_report();
    if (report.empty()) throw;
    throw RankFailed(fmt::format("{}\n{}", failure.what(), report), failure.exit_code());
  } catch (const OtherPath&) {
    throw;
  } catch (const Error& error) {
    observers.drop(options);
    throw ProgramFailed(error.what());
  }
}

/// How computing with threads was counted, as far as anybody may wonder.
std::string threads_notice(std::uint32_t threads, const Platform& platform, const LiveRunOptions& options) {
  if (threads <= 1 || options.compute != ComputeMode::measured) return "";
  const std::uint32_t cores = platform.cores_per_rank();
  const std::string counted =
      cores == 1
          ? "one after the other, in the sum of their CPU times"
          : fmt::format("beside each other, {}: between two calls as long as the one that is busy longest",
                        cores == 0 ? std::string("all of them") : fmt::format("{} at a time", cores));
  return fmt::format(
      "a rank had up to {} threads at once, which count as computing {} (hosts.cores-per-rank = {})", threads,
      counted, cores == 0 ? std::string("unlimited") : std::to_string(cores));
}

void look_back(const Engine& engine, Machine& machine, const NetworkAccount& account,
               const LiveRunOptions& options, LiveRunResult& result) {
  result.statistics.ran_on(engine.host_use());
  result.statistics.ran_beside(background_use(machine));
  if (options.inspect) options.inspect(result.statistics, engine, machine);
  if (std::string report = engine.loss_report(); !report.empty()) result.notices.push_back(std::move(report));
  // PVM drops what waits for a task that exits, and its programs rely on that: there it is no mistake.
  if (std::string report = engine.unreceived_report(); !options.pvm && !report.empty())
    result.notices.push_back(std::move(report));
  result.counters = account.counters();
  result.links = account.links();
  result.history = account.history();
}

std::unique_ptr<MpiProgram> start_program(const LaunchOptions& launch,
                                          const std::optional<Machines>& machines,
                                          std::vector<double>& machine_scales) {
  if (machines) {
    auto program = std::make_unique<DistributedProgram>(launch, *machines);
    machine_scales = program->compute_scales();
    return program;
  }
  return std::make_unique<LiveProgram>(launch);
}

LiveRunResult run_mpi(const Platform& platform, const LiveRunOptions& options) {
  LaunchOptions launch;
  launch.command = options.command;
  launch.programs = options.programs;
  launch.input = options.input;
  launch.mpi = options.mpi;
  launch.ranks = options.ranks;
  launch.compute = options.compute;
  launch.compute_scale = platform.compute_scale();
  launch.cores_per_rank = platform.cores_per_rank();
  launch.epoch_s = options.epoch_s;
  launch.starting = options.starting;
  // The machine comes first: a platform that is too small is refused before anything starts.
  Machine machine = platform.build(launch.ranks, options.placement, options.seed);
  machine.pairs = options.traffic;
  const bool names_endpoints = std::ranges::any_of(
      programs_of(launch), [](const RankProgram& program) { return sends_active_messages(program.command); });
  machine.name_endpoints(names_endpoints);
  const BuiltForOpenMpi for_openmpi = built_for_openmpi(launch);
  const std::string two_libraries =
      for_openmpi.any && !for_openmpi.all ? two_libraries_notice(machine, "programs") : "";
  machine.collectives.settle(for_openmpi.all);
  launch.least_distance = least_distance(machine);
  if (machine.network) launch.least_distance_between_hosts = machine.network->least_latency();
  launch.processors_are_shared = machine.quantum > SimTime();
  launch.messages_are_certain = ordered_reliable_delivery(machine);
  launch.messages_may_return = expects_returns(machine);
  launch.receives_take_no_time = receives_take_no_time(machine);
  launch.page_faults_suspend_threads = machine.endpoints.page_fault == EndpointSettings::Suspends::thread;
  for (const HostId host : machine.host_of) launch.host_of.push_back(static_cast<std::uint32_t>(host));
  LiveRunResult result{RunStatistics(launch.ranks), 0, 0, {}};
  result.openmpi_collectives = machine.collectives.library == CollectiveLibrary::openmpi;
  result.collectives = machine.collectives;
  if (std::string surplus = surplus_notice(launch.ranks, options.placement); !surplus.empty())
    result.notices.push_back(std::move(surplus));
  if (!two_libraries.empty()) result.notices.push_back(two_libraries);
  TraceProperties properties = modelled_properties(platform, machine, options.program_text, launch.ranks);
  properties.tags_name_endpoints |= names_endpoints;
  properties.built_for_openmpi = for_openmpi.all;
  Observers observers(result.statistics, options, properties);
  std::optional<NamedEndpoints> named_endpoints;
  if (NamedEndpoints::are_open(machine)) observers.add(named_endpoints.emplace(machine));
  const auto start = Clock::now();
  const std::unique_ptr<MpiProgram> started = start_program(launch, options.machines, result.machine_scales);
  MpiProgram& program = *started;
  ComputingProgram computing(options, platform, program);
  Engine engine(machine, computing.source(), observers.all(), options.causes);
  NetworkWatch watch(machine, options.counters, options.links, options.links_over_time,
                     !options.write_trace.empty());
  try {
    emulate(engine, watch, observers, options);
  } catch (const Deadlock& deadlock) {
    throw Deadlock(deadlock.what() + caution_about_output(program, deadlock), deadlock.unstable(),
                   deadlock.cycle(), deadlock.ended());
  }
  try {
    result.exit_code = program.finish();
  } catch (const RankFailed& failure) {
    result.exit_code = failure.exit_code();
    result.died_afterwards = failure;
  }
  result.seconds = seconds_since(start);
  watch.close(result.statistics.simulated_time());  // unless the engine has
  observers.finish(watch, result.notices);
  if (std::string note = threads_notice(program.most_threads(), platform, options); !note.empty())
    result.notices.push_back(std::move(note));
  look_back(engine, machine, watch.account(), options, result);
  return result;
}

/// The end of a deadlock's report: why those tasks have ended that others may wait for.
std::string failures_text(const std::vector<std::string>& failed_tasks) {
  std::string text;
  for (const std::string& failure : failed_tasks) text += "\n  " + failure;
  return text;
}

std::unique_ptr<RunningTasks> start_tasks(const PvmLaunchOptions& launch,
                                          const std::optional<Machines>& machines,
                                          std::vector<double>& machine_scales) {
  check_pvm_program(launch);
  if (!machines) return std::make_unique<LocalTasks>(channel_settings(launch), launch.payload_room);
  auto tasks = std::make_unique<DistributedTasks>(launch, *machines);
  machine_scales = tasks->compute_scales();
  return tasks;
}

LiveRunResult run_pvm(const Platform& platform, const LiveRunOptions& options) {
  refuse_to_place_tasks(options.placement);
  PvmLaunchOptions launch;
  launch.command = options.command;
  launch.compute = options.compute;
  launch.compute_scale = platform.compute_scale();
  launch.cores_per_rank = platform.cores_per_rank();
  launch.epoch_s = options.epoch_s;
  const std::size_t hosts = platform.hosts() == 0 ? options.ranks : platform.hosts();
  for (std::size_t i = 0; i < hosts; ++i) launch.hosts.push_back({modelled_host_name(i)});
  Placement placement;
  placement.kind = Placement::Kind::later;
  placement.open_hosts = hosts;
  Machine machine = platform.build(launch.task_limit + 1, placement, options.seed);
  machine.pairs = options.traffic;
  launch.least_distance = least_distance(machine);
  // The machine knows of no tasks yet on the other hosts.
  if (hosts > 1) launch.least_distance = std::min(launch.least_distance, machine.network->least_latency());
  launch.processors_are_shared = machine.quantum > SimTime();
  constexpr std::size_t daemons = 1, ranks_at_start = 2;
  LiveRunResult result{RunStatistics(ranks_at_start, daemons), 0, 0, {}};
  Observers observers(result.statistics, options,
                      modelled_properties(platform, machine, options.program_text, ranks_at_start, daemons));
  const auto start = Clock::now();
  PvmProgram program(launch, start_tasks(launch, options.machines, result.machine_scales));
  ComputingProgram computing(options, platform, program);
  Engine engine(machine, computing.source(), observers.all(), options.causes);
  NetworkWatch watch(machine, options.counters, options.links, options.links_over_time,
                     !options.write_trace.empty());
  try {
    emulate(engine, watch, observers, options);
  } catch (const Deadlock& deadlock) {
    // Tasks that still wait when the first one has ended would wait for ever on a real machine too,
    // unnoticed.
    if (!program.first_task_ended())
      throw Deadlock(deadlock.what() + failures_text(program.failed_tasks()), deadlock.unstable(),
                     deadlock.cycle());
    result.notices.push_back(fmt::format(
        "the first task has ended, and the others can't go on: they are ended ({})", deadlock.what()));
  }
  result.exit_code = program.finish();
  result.seconds = seconds_since(start);
  watch.close(result.statistics.simulated_time());  // unless the engine has
  observers.finish(watch, result.notices);
  if (std::string note = threads_notice(program.most_threads(), platform, options); !note.empty())
    result.notices.push_back(std::move(note));
  for (const std::string& notice : program.notices()) result.notices.push_back(notice);
  result.shortfalls = program.shortfalls();
  look_back(engine, machine, watch.account(), options, result);
  return result;
}

}  // namespace

LiveRunResult run_live(const Platform& platform, const LiveRunOptions& options) {
  return options.pvm ? run_pvm(platform, options) : run_mpi(platform, options);
}

}  // namespace morgana
