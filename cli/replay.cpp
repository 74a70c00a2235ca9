#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/beside_options.h"
#include "cli/common/collective_algorithms.h"
#include "cli/common/collective_hint.h"
#include "cli/common/command.h"
#include "cli/common/compute_scale.h"
#include "cli/common/exit_codes.h"
#include "cli/common/imported_trace.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/run_options.h"
#include "cli/common/run_page.h"
#include "cli/common/variation_options.h"
#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/core/error.h"
#include "emulator/core/standard_error.h"
#include "emulator/messaging/rank_traffic.h"
#include "emulator/report/limits/bottleneck.h"
#include "pvmshim/launch/process/interrupt.h"
#include "replay/comparison.h"
#include "replay/jobs/jobs_alone.h"
#include "replay/straggler.h"
#include "runs/path_alone.h"

namespace morgana::cli {
namespace {

struct ReplayArguments {
  std::string trace;
  PlatformOptions platform;
  VariationOptions variation;
  BesideOptions beside;
  bool beside_alone = false;
  bool stragglers = false;
  OutputOptions output;
  /// Whether the run is replayed again for it: where it is asked for, or computing varies and it shows.
  bool looks_for_straggler() const { return stragglers || (variation.given() && !output.quiet); }
};

/// How compute times were made, for people.
std::string way_of_computing(const ScaledPlatform& scaled, const std::optional<ComputeVariation>& variation) {
  const std::string varied = variation ? variation->text() : "";
  return scaled.why + (scaled.why.empty() || varied.empty() ? "" : "; ") + varied;
}

/// What such a trace can be used for.
std::string waits_for_switches_notice(const std::string& trace) {
  return fmt::format(
      "{}: messages to and from switches that add up are not in the trace, only the waits for "
      "these: a replay takes as long on this platform, and on others these waits last as long",
      trace);
}

int replay(const ReplayArguments& options) {
  const ScaledPlatform scaled = scaled_for(options.platform.load(), options.trace);
  const Platform& platform = scaled.platform;
  options.output.check();
  ProgressBar bar(options.output.quiet);
  ReplayOptions how;
  how.placement = options.platform.map.placement();
  how.seed = options.platform.seed;
  how.variation = options.variation.variation();
  how.beside = options.beside.jobs();
  if (options.beside_alone && how.beside.empty())
    throw Error("--beside-alone compares with jobs of --beside: give one of these, too");
  if (options.stragglers && !how.variation) how.variation.emplace();
  RunDescription description{options.trace, platform.name()};
  options.platform.describe(description);
  RunPage page(options.output);
  page.begin_with(setting_lines(RunStatistics(0), description));
  how.write_trace = page.trace();
  how.trace_kept = options.output.said_of_trace();
  how.counters = options.output.show_counters();
  how.links = options.output.show_links();
  how.links_over_time = page.is_wanted();
  ExecutionTimeline execution;
  if (page.is_wanted()) how.execution = &execution;
  RankTraffic traffic;
  if (page.is_wanted()) how.traffic = &traffic;
  CriticalPathRecorder causes(options.output.path_limit());
  if (options.output.show_path()) {
    how.observers.push_back(&causes);
    how.causes = &causes;
  }
  CollectiveGroups groups;
  CollectiveAlgorithms algorithms;
  if (!options.output.quiet) how.observers.push_back(&groups);
  if (!options.output.quiet || page.is_wanted()) how.observers.push_back(&algorithms);
  const char* doing = "replaying";
  how.progress = [&](double share) {
    throw_if_interrupted();
    options.platform.introduce(platform, options.output.quiet);
    bar.show(doing, share);
  };
  const StopWatch watch;
  std::vector<std::string> imported;
  how.translated = read_imported(options.trace, imported, how.progress);
  if (!how.translated && options.looks_for_straggler())
    how.translated = read_trace(options.trace, how.progress);
  ReplayResult result = page.of([&] { return replay_on(platform, options.trace, how); });
  if (options.beside_alone) {
    doing = "replaying each job alone";
    find_times_alone(platform, options.trace, how, result);
  }
  const WallTime wall{watch.seconds()};
  how.traffic = nullptr;
  how.execution = nullptr;  // further replays are none of the page's
  std::string way = way_of_computing(scaled, how.variation);
  description.compute_scale = platform.compute_scale();
  description.compute = std::move(way);
  description.execution = result.execution;
  description.openmpi_collectives = result.openmpi_collectives;
  description.collectives = algorithms.text(result.statistics, result.collectives);
  description.hint_map = map_for_hints(platform, options.platform.map.text());
  description.slow_ranks = options.variation.slow;
  description.compute_noise = options.variation.noise;
  description.jobs = result.jobs;
  std::string no_straggler;
  if (options.looks_for_straggler()) {
    doing = "looking for a straggler";
    try {
      description.straggler = find_straggler(platform, options.trace, how, result);
    } catch (const Error& error) {  // the run itself has ended well: nothing of it may be lost
      no_straggler = std::string("no straggler is known, as a replay with other computing does not end: ") +
                     error.what();
    }
  }
  options.platform.introduce(platform, options.output.quiet);
  std::optional<CriticalPath> path;
  if (options.output.show_path() && result.has_path && causes.has_path())
    path = causes.path(result.statistics.first_rank());
  if (path && result.statistics.first_rank() == 0)
    find_alone(*path, platform, result.statistics.ranks().size(), how.placement, how.seed);
  print_notices(imported);
  print_notices(result.notices);
  if (!no_straggler.empty()) print_notices({no_straggler});
  if (result.waits_for_switches && !options.output.trace.empty())
    print_notices({waits_for_switches_notice(options.output.trace)});
  if (const std::string notice =
          one_host_notice(result.statistics, platform, hint_for_more_hosts(options.platform.map.text()));
      result.statistics.first_rank() == 0 && !notice.empty())
    print_notices({notice});
  options.output.report(result.statistics, description, wall, result.counters, result.links,
                        path ? &*path : nullptr);
  if (const std::string hint =
          collective_hint(result.statistics, groups,
                          {platform, options.platform.platform(), options.platform.map.text(),
                           options.platform.overrides, result.openmpi_collectives});
      !hint.empty() && !options.output.quiet)
    print_notices({hint});
  print_hints(platform, options.output.quiet);
  std::vector<BottleneckLine> lines = setting_lines(result.statistics, description);
  std::ranges::move(
      bottleneck_lines(result.statistics, path ? &*path : nullptr, result.counters, result.links,
                       description.straggler ? &*description.straggler : nullptr, description.hint_map,
                       result.jobs, result.execution ? &*result.execution : nullptr),
      std::back_inserter(lines));
  if (result.execution)
    for (std::string& line : collective_lines(*result.execution))
      lines.push_back({"collective", std::move(line)});
  if (result.waits_for_switches)
    lines.push_back({"not drawn",
                     "messages to and from switches that add up: a rank that waits for these alone is in "
                     "MPI_Wait"});
  if (!result.jobs.empty())
    lines.push_back(
        {"pictures below",
         fmt::format("ranks, calls and messages are job 1's; links, losses and marks over time those "
                     "of all {} jobs until it ends",
                     result.jobs.size())});
  if (!result.stands_still.empty())
    std::ranges::move(deadlock_lines(Deadlock(result.stands_still)), std::back_inserter(lines));
  page.write(path ? &*path : nullptr, result.history, lines, {}, {}, result.execution ? &execution : nullptr,
             &traffic);
  if (result.stands_still.empty()) return 0;
  print_error(fmt::format("morgana: {}\n", result.stands_still));
  return exit_deadlock;
}

}  // namespace

void add_replay(Commands& commands) {
  auto options = std::make_shared<ReplayArguments>();
  Command& command =
      commands.add("replay", "Replay a recorded trace, or run a schedule, on a modelled platform");
  command
      .add("recording", &options->trace,
           "An OTF2 trace: its folder or its .otf2 file; a GOAL schedule of LogGOPSim or ATLAHS (text or "
           "binary); execution traces of Chakra, one file per rank: NAME for NAME.0.et, NAME.1.et, ..., also "
           "NAME.%d.et, one of the files, or their folder; or a trace of DUMPI (.meta), Dimemas (.dim) or "
           "Paraver (.prv), which is imported first")
      ->type_name("TRACE")
      ->must_be_given();
  options->platform.add_platform(command);
  options->platform.add_details(command);
  options->variation.add(command);
  options->beside.add(command);
  command.add("--beside-alone", &options->beside_alone,
              "Replay each job also alone on the same hosts, and show by how much the others slow it; jobs "
              "that run several times are left out");
  command.add("--stragglers", &options->stragglers,
              "Show which rank delays the run, and the time saved if it computed as long as the median rank "
              "(up to 4 further replays). On with --slow-rank and --compute-noise, unless --quiet is given");
  options->output.add(command);
  command.footer = R"(
The same trace, platform, options and seed give the same results, byte for byte. A schedule runs as a graph: nodes wait
for what they require and for their CPU; the order of lines in the file does not matter.

Execution traces (PyTorch, ASTRA-sim) may be compressed by gzip (.et.gz). NAME.json next to them names process groups,
{"0": [0, 1]}. The platform's collectives.library carries out collectives; hosts.peak-tflops and hosts.memory-rate give
the times of nodes without a duration. See docs/ai-clusters.md.

Examples:
  morgana replay cg.otf2 --platform dragonfly-1056
  morgana replay cg.otf2 --set network.latency=x0.5 --json result.json
  morgana replay cg.otf2 --platform roce-100g --beside ft.otf2 --beside "lu.otf2@5 ms"
  morgana replay cg.otf2 --platform roce-100g --set background.load=0.3
  morgana replay allreduce.goal --platform loggopsim
  morgana replay a.goal --platform roce-100g --beside b.goal --beside "a.goal@5 ms" --beside-alone
  morgana replay step/llama --platform dgx-h100
  morgana replay step/llama --platform dgx-h100 --slow-rank 3:x1.2 --compute-noise lognormal:0.05 --seed 7)";
  command.action = [options] { return replay(*options); };
}

}  // namespace morgana::cli
