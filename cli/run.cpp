#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/collective_algorithms.h"
#include "cli/common/collective_hint.h"
#include "cli/common/command.h"
#include "cli/common/compute_option.h"
#include "cli/common/compute_scale.h"
#include "cli/common/machine_options.h"
#include "cli/common/options.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/run_options.h"
#include "cli/common/run_page.h"
#include "emulator/messaging/rank_traffic.h"
#include "emulator/report/limits/bottleneck.h"
#include "pvmshim/launch/mpi/live_program.h"
#include "pvmshim/launch/process/clock_check.h"
#include "runs/live_run.h"
#include "runs/path_alone.h"
#include "runs/runner.h"

namespace morgana::cli {
namespace {

constexpr const char* run_example = "morgana run -n 4 -- ./program";

struct RunArguments {
  ProgramOptions programs;
  ComputeOption compute;
  std::string api = "auto";
  std::string date;
  PlatformOptions platform;
  OutputOptions output;
  MachineOptions machines;
};

/// @param date  "today" or "2026-11-23"; empty: not given. @return 0:00 UTC of that day, in seconds since
/// 1970
std::int64_t begin_of(const std::string& date) {
  using namespace std::chrono;
  if (date == "today")
    return duration_cast<seconds>(floor<days>(system_clock::now()).time_since_epoch()).count();
  int y = 0, m = 0, d = 0, length = 0;
  const bool read = std::sscanf(date.c_str(), "%4d-%2d-%2d%n", &y, &m, &d, &length) == 3;
  const year_month_day day{year{y}, month{static_cast<unsigned>(m)},
                           std::chrono::day{static_cast<unsigned>(d)}};
  if (!read || static_cast<std::size_t>(length) != date.size() || !day.ok() || y < 1970)
    throw Error(fmt::format(
        "--date: \"{}\" is not a date; write today, or one from 1970 on, such as 2026-01-31", date));
  return duration_cast<seconds>(sys_days(day).time_since_epoch()).count();
}

ScaledPlatform load(const RunArguments& options) {
  const Platform platform = options.platform.load();
  if (options.compute.is_none() && !platform.native()) return {platform, "none (--compute none)"};
  ScaledPlatform scaled = scaled_for_this_machine(platform);
  if (const std::string trace = options.compute.recorded_trace(); !trace.empty() && !platform.native())
    scaled.why = fmt::format("as recorded in {}, {}", trace, scaled.why);
  return scaled;
}

RunDescription description(const RunArguments& options, const ScaledPlatform& on,
                           const std::string& subject) {
  RunDescription description{subject, on.platform.name(),          options.platform.seed,
                             false,   on.platform.compute_scale(), on.why};
  options.platform.describe(description);
  description.hint_map = map_for_hints(on.platform, options.platform.map.text());
  return description;
}

/// Whether one of the programs may.
bool reads_clock(const LiveRunOptions& live) {
  return live.programs.empty() ? may_read_mpi_clock(live.command)
                               : std::ranges::any_of(live.programs, [](const RankProgram& one) {
                                   return may_read_mpi_clock(one.command);
                                 });
}

int run_modelled(const RunArguments& options, const ScaledPlatform& on, const LaunchOptions& launch) {
  LiveRunOptions live = live_options(launch, speaks_pvm(options.api, launch.command));
  live.machines = options.machines.machines();
  live.compute = options.compute.mode();
  live.recorded_compute = options.compute.recorded_trace();
  if (live.machines && !live.machines->speeds.empty() && live.compute != ComputeMode::measured)
    throw Error(
        "--machine-speed multiplies compute times that are measured, and --compute has none measured: "
        "leave one of the two out");
  live.placement = options.platform.map.placement();
  live.seed = options.platform.seed;
  if (!options.date.empty()) live.epoch_s = begin_of(options.date);
  RunPage page(options.output);
  page.begin_with(setting_lines(RunStatistics(0), description(options, on, live.program_text)));
  live.write_trace = page.trace();
  live.trace_kept = options.output.said_of_trace();
  live.counters = options.output.show_counters();
  live.links = options.output.show_links();
  live.links_over_time = page.is_wanted();
  RankTraffic traffic;
  if (page.is_wanted()) live.traffic = &traffic;
  CriticalPathRecorder causes(options.output.path_limit());
  if (options.output.show_path()) {
    live.observers.push_back(&causes);
    live.causes = &causes;
  }
  CollectiveGroups groups;
  CollectiveAlgorithms algorithms;
  if (!options.output.quiet) live.observers.push_back(&groups);
  if (!options.output.quiet || page.is_wanted()) live.observers.push_back(&algorithms);
  const bool measures = live.compute == ComputeMode::measured;
  const std::size_t others = measures ? other_programs_running() : 0;
  std::optional<ProgressBar> bar(std::in_place, options.output.quiet);
  live.starting = [&](double share) {
    options.platform.introduce(on.platform, options.output.quiet);
    if (bar) bar->show("starting ranks", share);
    if (share >= 1) bar.reset();  // from here on the terminal is the program's
  };
  const LiveRunResult result = page.of([&] { return run_live(on.platform, live); });
  bar.reset();
  options.platform.introduce(on.platform, options.output.quiet);
  std::optional<CriticalPath> path;
  if (options.output.show_path() && causes.has_path()) path = causes.path(result.statistics.first_rank());
  if (path && result.statistics.first_rank() == 0)
    find_alone(*path, on.platform, result.statistics.ranks().size(), live.placement, live.seed);
  print_notices(result.notices);
  const std::string crowd = crowding_of_measured(result.statistics.ranks().size(), others, processors_here());
  if (measures && !crowd.empty() && !options.output.quiet) print_notices({crowd});
  if (!live.recorded_compute.empty() && !live.pvm && reads_clock(live))
    print_notices(
        {"--compute recorded: a clock that the program reads (MPI_Wtime) does not show yet what it has "
         "computed since its last call, so that times it prints may be too short; those of the summary "
         "are right"});
  if (const std::string notice = one_host_notice(result.statistics, on.platform,
                                                 live.pvm ? "; -n N gives the virtual machine N hosts"
                                                          : hint_for_more_hosts(options.platform.map.text()));
      !notice.empty())
    print_notices({notice});
  RunDescription described = description(options, on, live.program_text);
  described.openmpi_collectives = result.openmpi_collectives;
  described.collectives = algorithms.text(result.statistics, result.collectives);
  if (std::ranges::any_of(result.machine_scales, [](double scale) { return scale != 1; })) {
    described.machine_scales = result.machine_scales;
    described.compute += "; what machines measured";
    for (std::size_t machine = 0; machine < result.machine_scales.size(); ++machine)
      described.compute +=
          fmt::format("{} x {:.4g}", machine == 0 ? "" : ",", result.machine_scales[machine]);
  }
  if (options.compute.is_none() && result.statistics.total().compute() > SimTime())
    described.compute += "; what stands under compute are readings of the clock";
  options.output.report(result.statistics, described, {result.seconds}, result.counters, result.links,
                        path ? &*path : nullptr);
  if (const std::string hint =
          collective_hint(result.statistics, groups,
                          {on.platform, options.platform.platform(), options.platform.map.text(),
                           options.platform.overrides, result.openmpi_collectives});
      !hint.empty() && !options.output.quiet)
    print_notices({hint});
  print_hints(on.platform, options.output.quiet);
  std::vector<BottleneckLine> lines = setting_lines(result.statistics, described);
  std::ranges::move(bottleneck_lines(result.statistics, path ? &*path : nullptr, result.counters,
                                     result.links, nullptr, described.hint_map),
                    std::back_inserter(lines));
  page.write(path ? &*path : nullptr, result.history, lines, {}, {}, nullptr, &traffic);
  if (result.died_afterwards) throw RankFailed(*result.died_afterwards);
  return result.exit_code;
}

/// The options whose wish a run over the real MPI can't meet, as the user has given them.
std::vector<std::string> without_effect_natively(const RunArguments& options) {
  std::vector<std::string> words;
  if (options.compute.text != ComputeOption().text) words.push_back("--compute " + options.compute.text);
  if (options.platform.map.map != PlacementOptions().map)
    words.push_back("--map " + options.platform.map.map);
  if (options.platform.map.ranks_per_host > 0)
    words.push_back(fmt::format("--ranks-per-host {}", options.platform.map.ranks_per_host));
  if (!options.date.empty()) words.push_back("--date " + options.date);
  if (options.output.critical_path) words.push_back("--critical-path");
  if (!options.machines.on.empty()) words.push_back("--on " + options.machines.on);
  return words;
}

int run_natively(const RunArguments& options, const LaunchOptions& launch) {
  if (const auto words = without_effect_natively(options); !words.empty())
    print_notices({fmt::format("the real MPI is measured as it is here: without effect is {}",
                               fmt::join(words, ", "))});
  const RunPage page(options.output);
  const Recording recording = record(launch, page.trace(), options.api);
  print_notices(recording.notices);
  options.output.report(recording.statistics,
                        {programs_text(launch), options.platform.platform(), options.platform.seed, true},
                        {recording.seconds});
  page.write();
  return recording.exit_code;
}

int run(const RunArguments& options, const CommandLine& line) {
  LaunchOptions launch = options.programs.launch(line, run_example);
  launch.quiet = options.output.quiet;
  options.output.check();
  if (!options.date.empty()) begin_of(options.date);  // a wrong one is refused on every platform
  const ScaledPlatform on = load(options);
  if (on.platform.native()) return run_natively(options, launch);
  return run_modelled(options, on, launch);
}

}  // namespace

void add_run(Commands& commands, const CommandLine& line) {
  auto options = std::make_shared<RunArguments>();
  Command& command = commands.add("run", "Run an MPI or PVM program on a modelled platform");
  options->programs.add(command);
  options->platform.add_platform(command);
  options->platform.add_details(command);
  options->compute.add(command);
  add_api(command, options->api);
  command
      .add("--date", &options->date,
           "Date (0:00 UTC) at which the program's clocks start: today, or YYYY-MM-DD; default: 2000-01-01, "
           "or the current date if the program has read it before MPI_Init")
      ->type_name("DAY");
  options->output.add(command);
  options->machines.add(command);
  command.takes_program = true;
  command.footer = R"(
An MPI program starts unmodified under MPICH's mpiexec. The summary follows the program's output on standard output.
The exit code is the program's. For a rank that fails it is the code that the rank exits with or gives to MPI_Abort, the
class of the MPI error that it does not catch, or 128 + the signal that kills it.
Several programs are separated by a lone ":", each with its own -n and --env (-x); their ranks are numbered in
this order. Write "\:" for a ":" that is an argument of the program. Inside an allocation of Slurm, PBS or LSF all ranks
run on this machine, too.
A PVM program starts without a daemon, and spawns its tasks on the platform's hosts (on -n hosts where the platform
leaves their number open). What spawned tasks print goes to standard error, unless the program catches it.

Compute times are multiplied by hosts.compute-scale. If that is auto and the platform has the speed of its processors
(hosts.ep-time), the factor is EP's time there divided by EP's time here, once `morgana calibrate` has measured this
machine; else it is 1. The summary shows the factor and its reason.
With recorded:TRACE each rank computes between its calls as long as in an earlier run of the same program, on any
platform; the run ends with an error if its calls differ from that run's.

Examples:
  morgana run -n 32 --platform hdr-fat-tree --ranks-per-host 4 --report run.html -- ./program
  morgana run -n 4 --set network.bandwidth=x2 --trace run.otf2 -- ./program
  morgana run -n 4 --platform dragonfly-1056 --compute recorded:run.otf2 -- ./program
  morgana run -n 1 -- ./server : -n 3 --env ROLE=client ./client 100
  morgana run -n 3 --platform ethernet-10 -- ./pvm-master
  morgana run -n 4 --platform native -- ./program)";
  command.action = [options, &line] { return run(*options, line); };
}

}  // namespace morgana::cli
