#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>

#include "cli/common/beside_options.h"
#include "cli/common/command.h"
#include "cli/common/compute_scale.h"
#include "cli/common/exit_codes.h"
#include "cli/common/imported_trace.h"
#include "cli/common/machine_options.h"
#include "cli/common/options.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "cli/common/temporary_folder.h"
#include "cli/common/variation_options.h"
#include "cli/compare/compare_page.h"
#include "cli/compare/compare_replays.h"
#include "emulator/core/standard_error.h"
#include "emulator/platform/platform_network.h"
#include "emulator/report/output_file.h"
#include "emulator/report/pictures/gnuplot.h"
#include "replay/comparison.h"
#include "runs/runner.h"
#include "runs/shared_runs.h"

namespace morgana::cli {
namespace {

struct CompareArguments {
  std::string trace;
  ProgramOptions programs;
  std::vector<std::string> platforms;
  PlatformOptions details;
  VariationOptions variation;
  BesideOptions beside;
  MachineOptions machines;
  std::size_t side_by_side = 0;
  std::string record = "auto";
  std::string json, csv, plot, page;
  bool quiet = false;
};

/// What is compared: the user's trace, or one recorded now of the program after "--".
struct Subject {
  std::string name;
  std::filesystem::path trace;
  std::unique_ptr<TemporaryFolder> folder;
  std::optional<Recording> recording;   ///< what the trace holds
  std::optional<RunStatistics> native;  ///< of the program's real run, if one was made
  Recorded recorded = Recorded::before;
};

/// @param native  whether a real run's times are asked for
Subject subject_of(const CompareArguments& options, const CommandLine& line, bool native) {
  if (!options.trace.empty() && !line.program.empty()) {
    throw Error("compare takes a trace or a program after \"--\", not both: leave one out");
  }
  if (!options.trace.empty()) return {options.trace, options.trace, nullptr, {}, {}};
  if (line.program.empty()) {
    throw Error("nothing to compare: name a trace, or a program after \"--\"; see `morgana compare --help`");
  }
  LaunchOptions launch = options.programs.launch(line, "morgana compare -n 4 --platforms A,B -- ./program");
  Subject subject{programs_text(launch), {}, std::make_unique<TemporaryFolder>(), {}, {}};
  subject.trace = subject.folder->path() / "trace.otf2";
  launch.quiet = options.quiet;
  // A PVM task's hosts are those of the run: over the real PVM each has one to itself, emulated there are -n.
  const bool in_real_time =
      options.record == "auto" ? speaks_pvm("auto", line.program) : options.record == "real";
  if (in_real_time) {
    subject.recorded = Recorded::in_real_time;
    subject.recording = record(launch, subject.trace);
    subject.native = subject.recording->statistics;
    return subject;
  }
  subject.recorded = Recorded::by_processor_time;
  subject.recording = record_by_processor_time(launch, subject.trace);
  if (!native) return subject;
  Recording real = record(launch, "");
  subject.native = std::move(real.statistics);
  std::ranges::move(real.notices, std::back_inserter(subject.recording->notices));
  return subject;
}

/// How compute times were made, of the platforms that name a processor; once for those that have it in
/// common.
void print_scales(const std::vector<ScaledPlatform>& platforms) {
  std::vector<std::pair<std::string, std::string>> ways;  // and who has them
  for (const ScaledPlatform& on : platforms) {
    if (!on.platform.ep_seconds_per_pair() && on.platform.compute_scale() == 1) continue;
    const auto known =
        std::find_if(ways.begin(), ways.end(), [&](const auto& way) { return way.first == on.why; });
    if (known == ways.end())
      ways.emplace_back(on.why, on.platform.name());
    else
      known->second += ", " + on.platform.name();
  }
  for (const auto& [why, names] : ways) fmt::print("compute time on {}  {}\n", names, why);
}

/// What does not show in the table, but decides what it means.
std::vector<std::string> cautions(const std::vector<ScaledPlatform>& platforms, const Subject& subject,
                                  const Comparison& comparison) {
  std::vector<std::string> all;
  if (subject.recording) all = subject.recording->notices;
  std::vector<Platform> plain;
  for (const ScaledPlatform& on : platforms) plain.push_back(on.platform);
  if (std::string scales = caution_about_scales(plain); !scales.empty()) all.push_back(std::move(scales));
  if (std::string libraries = caution_about_libraries(plain); !libraries.empty())
    all.push_back(std::move(libraries));
  if (std::string hosts = caution_about_hosts(comparison); !hosts.empty()) all.push_back(std::move(hosts));
  return all;
}

/// With --report, as a page's timelines are the replays'.
std::vector<std::string> arguments_of_workers(const CompareArguments& options) {
  std::vector<std::string> words{"compare",
                                 "--quiet",
                                 options.trace,
                                 fmt::format("--platforms={}", fmt::join(options.platforms, ",")),
                                 "--map=" + options.details.map.map,
                                 fmt::format("--seed={}", options.details.seed),
                                 fmt::format("--beside-times={}", options.beside.times)};
  for (const std::string& one : options.details.overrides) words.push_back("--set=" + one);
  if (options.details.map.ranks_per_host > 0)
    words.push_back(fmt::format("--ranks-per-host={}", options.details.map.ranks_per_host));
  for (const std::string& one : options.variation.slow) words.push_back("--slow-rank=" + one);
  if (!options.variation.noise.empty()) words.push_back("--compute-noise=" + options.variation.noise);
  for (const std::string& one : options.beside.traces) words.push_back("--beside=" + one);
  if (options.side_by_side > 0) words.push_back(fmt::format("--jobs={}", options.side_by_side));
  if (!options.page.empty()) words.push_back("--report=" + options.page);
  return words;
}

/// On the modelled ones of the platforms.
std::vector<ComparedReplay> replays_of(const CompareArguments& options,
                                       const std::vector<ScaledPlatform>& platforms, const Subject& subject,
                                       const ComparePage& page) {
  const auto arguments = [&options] { return arguments_of_workers(options); };
  const std::shared_ptr<RunExchange> exchange = options.machines.exchange(arguments);
  ReplaysToCompare replays{subject.trace, {}, {}, page, fmt::format("{}", fmt::join(arguments(), " "))};
  for (const ScaledPlatform& on : platforms)
    if (!on.platform.native()) replays.platforms.push_back(on.platform);
  replays.how.placement = options.details.map.placement();
  replays.how.seed = options.details.seed;
  replays.how.variation = options.variation.variation();
  replays.how.beside = options.beside.jobs();
  std::vector<std::string> notices;
  replays.how.translated = read_imported(subject.trace, notices, {});
  if (!is_worker()) print_notices(notices);
  ProgressBar bar(options.quiet);
  return made(std::move(replays),
              Runner(options.side_by_side > 0 ? options.side_by_side : processors_here(), exchange), bar);
}

int compare(const CompareArguments& options, const CommandLine& line) {
  const bool makes_runs_only = is_worker();
  if (!makes_runs_only)
    claim_results({{"--json", options.json},
                   {"--csv", options.csv},
                   {"--plot", options.plot, false},
                   {"--report", options.page}});
  if (!options.machines.on.empty() && options.trace.empty())
    throw Error(
        "--on distributes the replays of a trace: record the program first (morgana capture -o FILE.otf2 -- "
        "...), and give compare the trace");
  ComparePage page(options.page, options.platforms.size());
  // Everything that can be wrong with the request is found before the first replay.
  std::vector<ScaledPlatform> platforms;
  for (const std::string& name : options.platforms) {
    const Platform plain = Platform::load(name);
    const Platform platform = plain.native() ? plain : Platform::load(name, options.details.overrides);
    platforms.push_back(scaled_for(platform, options.trace));
    print_platform_notices(platforms.back().platform);
    if (plain.native() && !options.trace.empty()) {
      throw Error("native stands for a real run: give compare the program after \"--\" instead of a trace");
    }
  }
  if (!options.plot.empty()) gnuplot::check(options.plot);
  const bool native =
      std::ranges::any_of(platforms, [](const ScaledPlatform& on) { return on.platform.native(); });
  if (native && !options.beside.traces.empty())
    throw Error(
        "native stands for a real run, which has this machine for itself: leave out --beside, or native");
  if (native && options.variation.given())
    throw Error(
        "native stands for a real run, whose computing is as it is: leave out --slow-rank and "
        "--compute-noise, or native");
  const Subject subject = subject_of(options, line, native);

  Comparison comparison{subject.name, options.details.seed, {}};
  comparison.overrides = options.details.overrides;
  comparison.map = options.details.map.text();
  comparison.beside = options.beside.traces;
  if (subject.recording) comparison.shortfalls = subject.recording->shortfalls;
  std::vector<std::string> notices, standing_still;
  std::vector<ComparedReplay> replays = replays_of(options, platforms, subject, page);
  if (makes_runs_only) return 0;  // another process writes what comes of them
  auto replay = replays.begin();
  for (const ScaledPlatform& on : platforms) {
    if (on.platform.native()) {
      ComparedRun run = compared_run(on.platform.name(), *subject.native);
      run.recorded = Recorded::in_real_time;
      comparison.add(std::move(run));
      continue;
    }
    replay->run.recorded = subject.recorded;
    comparison.add(std::move(replay->run));
    page.take(comparison.runs.back(), std::move(replay->page));
    if (!replay->stands_still.empty()) standing_still.push_back(std::move(replay->stands_still));
    for (std::string& notice : replay->notices)  // of the trace: the same each time
      if (std::ranges::find(notices, notice) == notices.end()) notices.push_back(std::move(notice));
    ++replay;
  }
  print_notices(notices);
  if (!options.quiet) {
    const std::string reasons = reasons_table(comparison);
    fmt::print("{}{}{}{}{}", comparison_table(comparison), reasons.empty() ? "" : "\n", reasons,
               bottleneck_text(setting_lines(comparison)),
               host_lines(comparison) + background_lines(comparison) + collective_lines(comparison) +
                   recording_lines(comparison));
    print_scales(platforms);
    if (options.variation.given())
      fmt::print("compute time varied by  {}\n", options.variation.variation()->text());
    std::fflush(stdout);
  }
  print_notices(cautions(platforms, subject, comparison));
  HintsByPlatform hints;
  for (const ScaledPlatform& on : platforms)
    hints.emplace_back(on.platform.name(), PlatformNetwork::hints(on.platform));
  print_hints(hints, options.quiet);
  if (!options.json.empty()) write_output(options.json, comparison_json(comparison));
  if (!options.csv.empty()) write_output(options.csv, comparison_csv(comparison));
  if (!options.plot.empty()) draw(comparison_bars(comparison), options.plot);
  for (std::string& caution : cautions(platforms, subject, comparison)) notices.push_back(std::move(caution));
  notices.insert(notices.end(), standing_still.begin(), standing_still.end());
  page.write(comparison, notices, options.quiet);
  for (const std::string& one : standing_still) print_error(fmt::format("morgana: {}\n", one));
  return standing_still.empty() ? 0 : exit_deadlock;
}

}  // namespace

void add_compare(Commands& commands, const CommandLine& line) {
  auto options = std::make_shared<CompareArguments>();
  Command& command = commands.add("compare", "Compare a program's times on several platforms");
  command
      .add("trace", &options->trace,
           "An OTF2 trace, one of DUMPI, Dimemas or Paraver, or a GOAL schedule; without one, the program "
           "after "
           "\"--\" is recorded")
      ->type_name("TRACE");
  command.add("--platforms", &options->platforms, "Platforms to compare; ratios are to the first")
      ->type_name("A,B,C")
      ->split_at(',')
      ->must_be_given();
  options->programs.add(command);
  command
      .add("--record", &options->record,
           "How a program is recorded: by the CPU time of its ranks (processor-time), or over the real MPI "
           "or PVM, where waiting for a processor counts as computing (real); auto: MPI programs by CPU "
           "time, PVM programs over the real PVM")
      ->type_name("auto|processor-time|real")
      ->check(one_of({"auto", "processor-time", "real"}))
      ->show_default();
  options->details.add_details(command);
  options->variation.add(command);
  options->beside.add(command);
  options->machines.add_machines(command, "Distribute the replays");
  command
      .add("-j,--jobs", &options->side_by_side,
           "Replays at the same time, with --on on each machine; default: one per processor")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  command.add("--csv", &options->csv, "Write the table as CSV (times in picoseconds); - is standard output")
      ->type_name("FILE");
  command
      .add("--json", &options->json, "Write the table as JSON (times in picoseconds); - is standard output")
      ->type_name("FILE");
  command.add("--plot", &options->plot, "Draw a bar for each platform, computing below communication")
      ->type_name("FILE.svg|png");
  command
      .add("--report", &options->page,
           "Draw the comparison as a web page: where the time goes on each platform, and all timelines on "
           "one axis")
      ->type_name("FILE.html")
      ->check(name_of_page());
  command.add("-q,--quiet", &options->quiet,
              "No table, no progress bar; only notes that the result differs from what was asked for");
  command.footer = R"(
An MPI program is recorded once, in an emulated run on the platform ideal, and replayed on each platform. With
--record real it is recorded over the real MPI instead, as PVM programs are; use at most as many ranks as cores then.
With --record processor-time a PVM program has -n hosts for its tasks. `native` in the list is a real run, made in
addition. The table, CSV and JSON say which. Share is the part of all ranks' time that is spent in calls.
Compute times are scaled to the platforms' processors as in `morgana run`.

Examples:
  morgana compare cg.otf2 --platforms hdr-fat-tree,dragonfly-1056,torus-3d --plot cg.svg
  morgana compare cg.otf2 --platforms roce-100g,hdr-fat-tree --report cg.html
  morgana compare -n 4 --platforms native,hdr-fat-tree -- ./program 100)";
  command.action = [options, &line] { return compare(*options, line); };
}

}  // namespace morgana::cli
