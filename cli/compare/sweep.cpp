#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>

#include "cli/common/command.h"
#include "cli/common/compute_option.h"
#include "cli/common/compute_scale.h"
#include "cli/common/exit_codes.h"
#include "cli/common/options.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "cli/compare/sweep_page.h"
#include "cli/compare/sweep_sharing.h"
#include "emulator/platform/placement_checks.h"
#include "emulator/platform/platform_network.h"
#include "emulator/report/output_file.h"
#include "emulator/report/pictures/gnuplot.h"
#include "pvmshim/launch/process/program_check.h"
#include "report/page_template.h"
#include "runs/sweep/scaling.h"
#include "runs/sweep/sweep_report.h"

namespace morgana::cli {
namespace {

struct SweepArguments {
  std::string trace;
  std::size_t ranks = 1;
  std::optional<std::string> platform;  ///< nothing: usual_platform
  std::vector<std::string> overrides, over, let;
  std::string scaling;
  PlacementOptions map;
  std::string seeds = "1";
  ComputeOption compute;
  std::string api = "auto";
  std::size_t side_by_side = 0;
  std::string csv, json, plot, page;
  std::string figure;  // empty: none is asked for
  SharingOptions sharing;
  bool quiet = false;
};

/// Beside the first of the results that is a file: FILE.stderr. Empty if none is.
std::string folder_of_errors(const SweepArguments& options) {
  for (const std::string& result : {options.csv, options.json, options.page, options.plot}) {
    std::error_code missing;
    const auto type = std::filesystem::status(result, missing).type();
    const bool file =
        type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::regular;
    if (!result.empty() && result != "-" && file) return result + ".stderr";
  }
  return "";
}

SweepRequest request_of(const SweepArguments& options, const CommandLine& line) {
  if (!options.trace.empty() && !line.program.empty())
    throw Error("sweep takes a trace or a program after \"--\", not both: leave one out");
  if (options.trace.empty() && line.program.empty())
    throw Error("nothing to sweep: name a trace, or a program after \"--\"; see `morgana sweep --help`");
  if (!options.trace.empty() && options.ranks != SweepArguments().ranks)
    throw Error(fmt::format("-n {} is for a program after \"--\": a trace has its own ranks; leave it out",
                            options.ranks));
  SweepRequest request;
  request.trace = options.trace;
  request.command = line.program;
  request.pvm = options.trace.empty() && speaks_pvm(options.api, line.program);
  if (request.pvm) refuse_to_place_tasks(options.map.placement());
  request.compute = options.compute.mode();
  request.recorded_compute = options.compute.recorded_trace();
  request.ranks = options.ranks;
  request.platform = options.platform.value_or(usual_platform);
  request.overrides = options.overrides;
  request.map = options.map.text();
  for (const std::string& axis : options.over) request.axes.push_back(parse_axis(axis));
  for (const std::string& binding : options.let) request.bindings.push_back(parse_binding(binding));
  if (!options.scaling.empty()) request.scaling = options.scaling == "weak" ? Scaling::weak : Scaling::strong;
  request.seeds = parse_seeds(options.seeds);
  if (options.trace.empty()) request.errors = folder_of_errors(options);
  if (!options.compute.is_none() || !options.trace.empty())
    request.settle = [trace = options.trace](const Platform& platform) {
      return scaled_for(platform, trace).platform;
    };
  return request;
}

/// Rows go to a file as they come, and are taken up from it; elsewhere (standard output, a pipe) at the end.
bool keeps_rows(const std::string& csv) {
  std::error_code ignored;
  return !csv.empty() && csv != "-" &&
         (!std::filesystem::exists(csv, ignored) || std::filesystem::is_regular_file(csv, ignored));
}

/// Results of a trace or program that has changed since are no results of it.
void check_age(const std::filesystem::path& workload, const std::string& csv) {
  std::error_code missing;
  const auto changed = std::filesystem::last_write_time(workload, missing);
  if (missing || !std::filesystem::exists(csv)) return;
  if (changed > std::filesystem::last_write_time(csv))
    throw Error(fmt::format("{} is newer than the results in {}: remove that file, or name another",
                            workload.string(), csv));
}

/// Replays take a processor each; live programs take several, and measure their computing on them.
std::size_t side_by_side(const SweepArguments& options) {
  if (options.side_by_side > 0) return options.side_by_side;
  return options.trace.empty() ? 1 : processors_here();
}

/// `morgana sweep` as it was called, for the processes that make parts of it.
std::vector<std::string> command_of_parts(const SweepArguments& options, const CommandLine& line) {
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe").string(),
                                 "sweep",
                                 "--quiet",
                                 "--jobs=1",
                                 "--csv=" + options.csv,
                                 "--platform=" + options.platform.value_or(usual_platform),
                                 "--map=" + options.map.map,
                                 "--compute=" + options.compute.text,
                                 "--api=" + options.api,
                                 "--seeds=" + options.seeds};
  if (options.map.ranks_per_host > 0)
    words.push_back("--ranks-per-host=" + std::to_string(options.map.ranks_per_host));
  for (const std::string& one : options.overrides) words.push_back("--set=" + one);
  for (const std::string& one : options.over) words.push_back("--over=" + one);
  for (const std::string& one : options.let) words.push_back("--let=" + one);
  if (!options.trace.empty()) {
    words.push_back(options.trace);
  } else {
    words.push_back("--ranks=" + std::to_string(options.ranks));
    words.emplace_back("--");
    const std::vector<std::string> program = behind_dashes(line.program);
    words.insert(words.end(), program.begin(), program.end());
  }
  return words;
}

void check_outputs(const SweepArguments& options) {
  if (!options.plot.empty()) gnuplot::check(options.plot);
  if (!options.page.empty()) check_can_make_pages();
}

bool sweeps_platforms(const Sweep& sweep) {
  return std::ranges::any_of(sweep.request().axes, [](const Axis& axis) { return axis.key == "platform"; });
}

/// What it means for the table if platforms are swept. Empty: nothing.
std::string different_processors(const Sweep& sweep) {
  const bool computing = !sweep.request().trace.empty() || sweep.request().compute == ComputeMode::measured;
  if (!computing || !sweeps_platforms(sweep)) return "";
  std::vector<Platform> all;
  for (const SweepPoint& point : sweep.points()) all.push_back(point.platform);
  return caution_about_scales(all);
}

/// What the table does not show of computing: that it was not measured, or on a crowded machine.
/// @param others  other programs that ran at the start
std::vector<std::string> cautions_about_computing(const Sweep& sweep, const SweepArguments& options,
                                                  std::size_t others) {
  std::vector<std::string> all;
  if (std::string none = no_speed_up(sweep); !none.empty()) all.push_back(std::move(none));
  const SweepRequest& request = sweep.request();
  if (!request.trace.empty() || request.compute != ComputeMode::measured || !options.sharing.on.empty())
    return all;
  std::size_t most = 0;
  for (const SweepPoint& point : sweep.points()) most = std::max(most, point.ranks);
  if (std::string crowd = crowding_of_measured(most * side_by_side(options), others, processors_here());
      !crowd.empty())
    all.push_back(std::move(crowd));
  return all;
}

/// What a program is given that reads a plain number.
std::vector<std::string> units_in_arguments(const Sweep& sweep) {
  std::vector<std::string> all;
  for (const Axis& axis : sweep.request().axes) {
    double number = 0;
    std::string unit;
    if (!is_argument(sweep.request(), axis.key) || !leading_number(axis.values.back(), number, unit) ||
        unit.empty())
      continue;
    all.push_back(fmt::format(
        "the program is given {{{}}} as it stands, \"{}\" with its unit: if it reads a number, give plain "
        "ones (--over \"{}=1024..65536:x2\")",
        axis.key, axis.values.back(), axis.key));
  }
  return all;
}

/// What the points' platforms have to say, once each.
void print_notices_of_points(const Sweep& sweep) {
  std::vector<std::string> all;
  for (const SweepPoint& point : sweep.points())
    for (const std::string& notice : point.platform.notices())
      if (std::ranges::find(all, notice) == all.end()) all.push_back(notice);
  print_notices(all);
}

void print_where_errors_are(const Sweep& sweep, bool quiet) {
  if (quiet) return;
  if (const std::size_t runs = sweep.runs_with_errors(); runs > 0)
    print_notices({fmt::format("what {} run{} wrote to standard error is in {}, a file for each", runs,
                               runs == 1 ? "" : "s", sweep.request().errors.string())});
}

int sweep(const SweepArguments& options, const CommandLine& line) {
  options.sharing.check(keeps_rows(options.csv) ? options.csv : "",
                        !options.json.empty() || !options.plot.empty() || !options.page.empty());
  std::optional<SweepPart> part;
  if (!options.sharing.part.empty()) {
    part = read_part(options.sharing.part);
    leave_job();
  }
  if (!part)
    claim_results({{"--json", options.json},
                   {"--csv", options.csv},
                   {"--plot", options.plot, false},
                   {"--report", options.page}});
  const Sweep sweep(request_of(options, line));
  if (!part) {  // another process has said it
    for (const std::string& name : sweep.unfilled_names())
      print_notices(
          {fmt::format("the program is given {{{0}}} as it stands: no --over says what {0} is", name)});
    print_notices(units_in_arguments(sweep));
    if (!options.platform && !options.quiet && !sweeps_platforms(sweep))
      print_notices({usual_platform_notice(sweep.points().front().platform)});
    print_notices_of_points(sweep);
  }
  check_outputs(options);
  const std::string plotted = options.figure.empty() ? time_figure : options.figure;
  if (!options.plot.empty() || (!options.page.empty() && !options.figure.empty()))
    check_curves(sweep, plotted);
  if (options.trace.empty()) find_program(line.program.front());
  std::optional<ResultFile> file;
  if (keeps_rows(options.csv)) {
    check_age(
        options.trace.empty() ? find_program(line.program.front()) : std::filesystem::path(options.trace),
        options.csv);
    if (const std::string recorded = options.compute.recorded_trace(); !recorded.empty())
      check_age(recorded, options.csv);
    if (part) {
      make_part(*part, Runner(side_by_side(options)), options.csv, sweep, options.quiet);
      return 0;
    }
    file.emplace(options.csv, sweep.heading(), sweep.inputs());
    take_up_parts(*file, options.csv, sweep);
  }
  std::size_t finished_before = 0;
  for (const CsvRow& inputs : sweep.all_inputs())
    if (file && file->find(inputs) != nullptr) ++finished_before;
  if (finished_before > 0 && !options.quiet) {
    print_notices(
        {fmt::format("{} of {} runs are in {} already", finished_before, sweep.runs(), options.csv)});
  }
  if (!options.sharing.on.empty())
    share_out(options.sharing, command_of_parts(options, line), options.side_by_side, *file, options.csv,
              sweep, options.quiet);
  const std::size_t others = options.trace.empty() ? other_programs_running() : 0;
  std::vector<CsvRow> rows;
  {
    ProgressBar bar(options.quiet);
    rows = sweep.run(
        Runner(side_by_side(options)),
        [&](const CsvRow& inputs) { return file ? file->find(inputs) : nullptr; },
        [&](const CsvRow& row) {
          if (file) file->append(row);
        },
        [&](const std::string& what, double share) { bar.show(what, share); });
  }
  if (file) file->arrange(sweep.all_inputs());
  const std::vector<PointSummary> points = summarize(sweep, rows);
  if (!options.quiet) {
    fmt::print("{}", sweep_table(sweep, points));
    std::fflush(stdout);
  }
  if (const std::string caution = different_processors(sweep); !caution.empty()) print_notices({caution});
  std::vector<std::string> cautions = cautions_about_computing(sweep, options, others);
  if (!options.quiet) print_notices(cautions);
  HintsByPlatform hints;
  for (const SweepPoint& point : sweep.points())
    hints.emplace_back(point.platform.name(), PlatformNetwork::hints(point.platform));
  print_hints(hints, options.quiet);
  if (!options.csv.empty() && !file) {
    std::string text = csv_line(sweep.heading());
    for (const CsvRow& row : rows) text += csv_line(row);
    write_output(options.csv, text);
  }
  if (!options.json.empty()) write_output(options.json, sweep_json(sweep, points));
  if (!options.plot.empty()) draw(sweep_curves(sweep, points, plotted), options.plot);
  if (!options.page.empty()) {
    if (std::string caution = different_processors(sweep); !caution.empty())
      cautions.insert(cautions.begin(), std::move(caution));
    write_page(options.page, sweep_page(sweep, points, options.figure, cautions), options.quiet);
  }
  print_where_errors_are(sweep, options.quiet);
  const bool all_finished =
      std::ranges::all_of(points, [](const PointSummary& point) { return point.unfinished == 0; });
  return all_finished ? 0 : exit_program_failed;
}

}  // namespace

void add_sweep(Commands& commands, const CommandLine& line) {
  auto options = std::make_shared<SweepArguments>();
  Command& command =
      commands.add("sweep", "Run a trace or a program over several values of a platform's keys");
  command
      .add("trace", &options->trace,
           "An OTF2 trace or a GOAL schedule; without one, the program after \"--\" runs live")
      ->type_name("TRACE");
  command
      .add("--over", &options->over,
           "Key and its values: a key of the platform, platform, ranks, or NAME of a {NAME} in the program's "
           "arguments ({platform} and {ranks} are replaced there, too). Values are A,B,C, FROM..TO:STEP or "
           "FROM..TO:xFACTOR, or lists in brackets, [3,1],[1,1]; may be repeated")
      ->type_name("KEY=VALUES")
      ->may_be_repeated();
  command
      .add("--let", &options->let,
           "A name whose values follow from those of --over, as in \"n=256*ranks\": numbers, + - * / and "
           "parentheses over names of --over and earlier --let. NAME may be all that --over takes; may be "
           "repeated")
      ->type_name("NAME=EXPRESSION")
      ->may_be_repeated();
  command.add("--seeds", &options->seeds, "Seeds of each point, one run for each: N for 1..N, or A..B")
      ->type_name("N|A..B")
      ->show_default();
  add_ranks(command, options->ranks);
  add_platform(command, options->platform)->show_default(usual_platform);
  add_overrides(command, options->overrides);
  options->map.add(command);
  options->compute.add(command);
  add_api(command, options->api);
  command
      .add("-j,--jobs", &options->side_by_side,
           "Runs at the same time; default: one per processor for a trace, one for a live program")
      ->type_name("N")
      ->check(whole_number(1, 1024));
  options->sharing.add(command);
  command
      .add("--csv", &options->csv,
           "Write one row per run, as it ends (times in picoseconds); a file that has rows already is "
           "continued. - is standard output")
      ->type_name("FILE");
  command.add("--json", &options->json, "Write means and 90 % intervals as JSON; - is standard output")
      ->type_name("FILE");
  command
      .add("--plot", &options->plot,
           "Draw --figure over the first --over, with a curve for each of the others")
      ->type_name("FILE.svg|png");
  command
      .add("--report", &options->page,
           "Draw the sweep as a web page: each figure over the first --over (--figure comes first), with a "
           "curve for each of the others")
      ->type_name("FILE.html")
      ->check(name_of_page());
  command
      .add("--figure", &options->figure,
           "Figure that --plot draws and --report shows first: a column of the CSV, or speedup or efficiency "
           "over the first --over (with an ideal line if that is ranks or an argument of the program); "
           "default: total_ps, and on pages over ranks speedup")
      ->type_name("NAME");
  command
      .add("--scaling", &options->scaling,
           "What speedup means: strong (the work stays the same) or weak (it grows with the ranks); "
           "default: weak "
           "if a --let follows from the ranks, else strong")
      ->type_name("strong|weak")
      ->check(one_of({"strong", "weak"}));
  command.add("-q,--quiet", &options->quiet,
              "No table, no progress bar; only notes that the result differs from what was asked for");
  command.footer = R"(
Every combination of values runs once with every seed. The same command with the same --csv continues an
interrupted sweep. A run in which every rank waits has the outcome
deadlock; one in which a protocol sent something again transport.tries times without success is unstable: the load
is more than it carries. The exit code is 1 if a run did not finish: the table says which and why.

On a cluster every machine must see the command, the trace or program and the CSV under the same names. Parts keep
their rows in FILE.part-K-of-N until the sweep's own command takes them up.

Speedup compares with the point of the fewest ranks and else the same values: T(fewest)/T in strong scaling, and in
weak scaling, where n/n(fewest) times the work is done in T, that many times as much. Efficiency is speedup divided by
n/n(fewest).

What a live program's runs write to standard error is kept, a file a run, in the folder FILE.stderr beside --csv FILE
(without it beside --json, --report or --plot; without these it is dropped).

In a list a unit at the end holds for all values before it that have none: network.rate=100,200,400 Mb/s.

Examples:
  morgana sweep cg.otf2 --platform fast-ethernet --over "network.rate=10..100 Mb/s:x10" --csv cg.csv
  morgana sweep pde2.otf2 --platform atm-oc3 --over "network.background.load=0..70 %:10" \
      --over network.switches=1,2,4 --seeds 10 --csv pde2.csv --report pde2.html
  morgana sweep --over ranks=2,4,8 --over platform=ethernet-10,atm-oc3 -- ./program
  morgana sweep -n 4 --over "size=64..1024:x2" -- ./program {size}
  morgana sweep --over ranks=4..64:x2 --let "n=256*ranks" --plot weak.svg --figure efficiency -- ./program {n}
  morgana sweep -n 4 --compute recorded:run.otf2 --over "network.rate=10..100 Mb/s:x10" -- ./program
  morgana sweep cg.otf2 --over "network.latency=1..100 us:1" --csv cg.csv --on slurm --with=--partition=short -j 20)";
  command.action = [options, &line] { return sweep(*options, line); };
}

}  // namespace morgana::cli
