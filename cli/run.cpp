#include <fmt/core.h>

#include <optional>

#include "cli/command.h"
#include "cli/compute_scale.h"
#include "cli/exit_codes.h"
#include "cli/progress_bar.h"
#include "cli/recording.h"
#include "cli/run_options.h"
#include "cli/validators.h"
#include "emulator/process/engine.h"
#include "pvmshim/launch/interrupt.h"
#include "pvmshim/launch/live_program.h"
#include "pvmshim/launch/pvm_program.h"
#include "pvmshim/launch/rank_failure.h"
#include "replay/comparison.h"
#include "traces/trace_writer.h"

namespace morgana::cli {
namespace {

constexpr const char* example = "morgana run -n 4 -- ./program";

struct Options {
  std::size_t ranks = 1;
  std::string compute = "measured";
  std::string api = "auto";
  PlatformOptions platform;
  OutputOptions output;
};

ComputeMode compute_mode(const Options& options) {
  return options.compute == "none" ? ComputeMode::none : ComputeMode::measured;
}

ScaledPlatform load(const Options& options) {
  const Platform platform = options.platform.load();
  if (options.compute == "none" && !platform.native()) return {platform, "none (--compute none)"};
  return scaled_for_this_machine(platform);
}

RunDescription description(const Options& options, const ScaledPlatform& on, const std::string& subject) {
  return {subject, on.platform.name(), options.platform.seed, false, on.platform.compute_scale(), on.why};
}

/// Working out what nobody wants to see may take long.
std::vector<CounterTable> counters(const Options& options, Machine& machine,
                                   const RunStatistics& statistics) {
  if (!options.output.counters) return {};
  return counted(machine, statistics.simulated_time());
}

/// Until the program's end. What goes wrong from here on is the program's doing, not the request's.
/// @return what was lost on the way, for the user
std::vector<std::string> emulate(Machine& machine, OperationSource& program,
                                 std::span<OperationObserver* const> observers) {
  try {
    Engine engine(machine, program, observers);
    engine.run();
    if (engine.lost_messages() > 0) return {engine.loss_report()};
    return {};
  } catch (const Deadlock&) {
    throw;
  } catch (const RankFailed&) {
    throw;
  } catch (const Error& error) {
    throw ProgramFailed(error.what());
  }
}

int run_modelled(const Options& options, const ScaledPlatform& on, LaunchOptions launch) {
  const Platform& platform = on.platform;
  launch.compute = compute_mode(options);
  launch.compute_scale = platform.compute_scale();
  const std::string subject = command_text(launch.command);
  // The machine comes first: a platform that is too small is refused before anything starts.
  Machine machine = platform.build(launch.ranks, read_placement(options.platform.map), options.platform.seed);
  launch.least_distance = least_distance(machine);
  for (const HostId host : machine.host_of) launch.host_of.push_back(static_cast<std::uint32_t>(host));
  RunStatistics statistics(launch.ranks);
  std::vector<OperationObserver*> observers{&statistics};
  std::optional<TraceWriter> writer;
  if (!options.output.trace.empty()) {
    writer.emplace(options.output.trace, modelled_properties(platform, machine, subject, launch.ranks));
    observers.push_back(&*writer);
  }
  const StopWatch watch;
  LiveProgram program(launch);
  const std::vector<std::string> losses = emulate(machine, program, observers);
  const int exit_code = program.finish();
  const WallTime wall{watch.seconds()};
  if (writer) writer->finish();
  if (!options.output.quiet) print_notices(losses);
  options.output.report(statistics, description(options, on, subject), wall,
                        counters(options, machine, statistics));
  return exit_code;
}

/// Tasks that still wait when the first one has ended would wait for ever on a real machine too, unnoticed.
/// @return as emulate
std::vector<std::string> emulate_tasks(Machine& machine, PvmProgram& program,
                                       std::span<OperationObserver* const> observers) {
  try {
    return emulate(machine, program, observers);
  } catch (const Deadlock& deadlock) {
    if (!program.first_task_ended()) throw;
    print_notices({fmt::format("the first task has ended, and the others can't go on: they are ended ({})",
                               deadlock.what())});
    return {};
  }
}

int run_pvm(const Options& options, const ScaledPlatform& on, const std::vector<std::string>& command) {
  const Platform& platform = on.platform;
  PvmLaunchOptions launch;
  launch.command = command;
  launch.compute = compute_mode(options);
  launch.compute_scale = platform.compute_scale();
  const std::size_t hosts = platform.hosts() == 0 ? options.ranks : platform.hosts();
  for (std::size_t i = 0; i < hosts; ++i) launch.hosts.push_back({modelled_host_name(i)});
  const std::string subject = command_text(command);
  Placement placement;
  placement.kind = Placement::Kind::later;
  placement.open_hosts = hosts;
  Machine machine = platform.build(launch.task_limit + 1, placement, options.platform.seed);
  launch.least_distance = least_distance(machine);
  constexpr std::size_t daemons = 1, ranks_at_start = 2;
  RunStatistics statistics(ranks_at_start, daemons);
  std::vector<OperationObserver*> observers{&statistics};
  std::optional<TraceWriter> writer;
  if (!options.output.trace.empty()) {
    writer.emplace(options.output.trace,
                   modelled_properties(platform, machine, subject, ranks_at_start, daemons));
    observers.push_back(&*writer);
  }
  const StopWatch watch;
  PvmProgram program(launch);
  const std::vector<std::string> losses = emulate_tasks(machine, program, observers);
  const int exit_code = program.finish();
  const WallTime wall{watch.seconds()};
  if (writer) writer->finish();
  if (!options.output.quiet) {
    print_notices(program.notices());
    print_notices(losses);
  }
  options.output.report(statistics, description(options, on, subject), wall,
                        counters(options, machine, statistics));
  return exit_code;
}

int run_natively(const Options& options, const LaunchOptions& launch) {
  const Recording recording = record(launch, options.output.trace, options.api);
  if (!options.output.quiet) print_notices(recording.notices);
  options.output.report(
      recording.statistics,
      {command_text(launch.command), options.platform.platform, options.platform.seed, true},
      {recording.seconds});
  return recording.exit_code;
}

int run(const Options& options, const CommandLine& line) {
  install_signal_handlers();
  LaunchOptions launch;
  launch.command = needed_program(line, example);
  launch.ranks = options.ranks;
  options.output.check();
  const ScaledPlatform on = load(options);
  const Platform& platform = on.platform;
  if (platform.native()) return run_natively(options, launch);
  if (speaks_pvm(options.api, launch.command)) return run_pvm(options, on, launch.command);
  return run_modelled(options, on, launch);
}

}  // namespace

void add_run(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run an MPI or PVM program on a modelled platform");
  add_ranks(*command, options->ranks);
  options->platform.add_platform(*command);
  options->platform.add_details(*command);
  command
      ->add_option(
          "--compute", options->compute,
          "Time that computing takes: measured processor time x the platform's scale, or none (reproducible)")
      ->type_name("measured|none")
      ->check(one_of({"measured", "none"}))
      ->capture_default_str();
  add_api(*command, options->api);
  options->output.add(*command);
  takes_program(*command);
  command->footer(R"(
An MPI program starts unmodified under MPICH's mpiexec; its output is its own. The summary follows it on
standard output. The exit code is the program's; that of a rank that dies is the code it exits with, the one it
gives to MPI_Abort, the class of the MPI error that it does not catch, or 128 + the signal that kills it.
A PVM program starts without any daemon, and spawns its tasks on the platform's hosts (where their number is
open, on as many as -n says). What spawned tasks print goes to standard error, unless the program catches it.

Compute times are multiplied by hosts.compute-scale. Where that is auto and the platform says how fast its
processors are (hosts.ep-time), by the quotient of EP's times there and here, once `morgana calibrate` has
measured this machine; else by 1. The summary says by what and why.

Examples:
  morgana run -n 2 --platform loggp-example --compute none -- NPmpich2 -u 65536 -o np.out
  morgana run -n 4 --platform ethernet-10 --set network.rate="100 Mb/s" --trace run.otf2 -- ./program
  morgana run -n 3 --platform ethernet-10 -- ./pvm-master
  morgana run -n 4 --platform native -- ./program)");
  command->callback([options, &line] { line.action = [options, &line] { return run(*options, line); }; });
}

}  // namespace morgana::cli
