#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/imported_trace.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "emulator/core/error.h"
#include "emulator/core/standard_error.h"
#include "emulator/platform/platform.h"
#include "emulator/report/output_file.h"
#include "replay/replay_input.h"
#include "replay/trace_schedule.h"
#include "replay/translation/trace_translation.h"
#include "traces/export/goal.h"
#include "traces/export/timeline.h"

namespace morgana::cli {
namespace {

struct ExportArguments {
  std::string trace, format = "chrome", output;
  std::string platform;  ///< of a schedule; empty: ideal_platform
  std::vector<std::string> overrides;
  bool quiet = false;
  bool writes_schedule() const { return format == "goal" || format == "goal-binary"; }
};

constexpr const char* ideal_platform = "ideal";

TraceSchedule read_schedule(const ExportArguments& options) {
  ProgressBar bar(options.quiet || options.output == "-");
  const auto show = [&](double share) { bar.show("reading", share); };
  std::vector<std::string> notices;
  std::shared_ptr<const ReplayInput> input = read_imported(options.trace, notices, show);
  if (!input) input = read_trace(options.trace, show);
  if (input->execution)
    throw Error(
        fmt::format("{}: what an execution trace's collectives do follows from the platform's GPUs; "
                    "only OTF2 traces and schedules are written as GOAL",
                    options.trace));
  if (input->schedule) return {input->schedule, std::move(notices)};
  const Platform platform = Platform::load(
      options.platform.empty() ? std::string(ideal_platform) : options.platform, options.overrides);
  if (platform.native())
    throw Error(
        fmt::format("--platform: {} is not a model; give one whose library carries out the collectives",
                    platform.name()));
  Machine machine = platform.build(input->trace->ranks(), Placement(), 1);
  machine.collectives.settle(input->trace->definitions().properties.built_for_openmpi);
  TraceSchedule schedule = schedule_of(options.trace, input->trace, machine, show);
  schedule.notices.insert(schedule.notices.begin(), notices.begin(), notices.end());
  return schedule;
}

int export_schedule(const ExportArguments& options) {
  const TraceSchedule schedule = read_schedule(options);
  const DependencyGraph& graph = *schedule.graph;
  write_output(options.output, options.format == "goal" ? goal_text(graph) : goal_binary(graph));
  if (options.quiet) return 0;
  print_notices(schedule.notices);
  print_error(fmt::format("{}: {} nodes of {} ranks\n", options.output, graph.nodes(), graph.ranks()));
  return 0;
}

int export_trace(const ExportArguments& options) {
  claim_results({{"--output", options.output}});
  if (options.writes_schedule()) return export_schedule(options);
  if (!options.platform.empty() || !options.overrides.empty())
    throw Error("--platform and --set are for --to goal and goal-binary: a timeline has the trace's times");
  Timeline timeline;
  {
    ProgressBar bar(options.quiet || options.output == "-");
    timeline = read_timeline(options.trace, [&](double share) { bar.show("reading", share); });
  }
  write_output(options.output, options.format == "chrome"     ? chrome_json(timeline)
                               : options.format == "perfetto" ? perfetto_trace(timeline)
                               : options.format == "paje"     ? paje_text(timeline)
                                                              : timeline_csv(timeline));
  if (options.quiet) return 0;
  print_notices(timeline.notices);
  print_error(fmt::format("{}: {} calls of {} ranks, {} messages\n", options.output, timeline.calls.size(),
                          timeline.ranks - timeline.services, timeline.messages.size()));
  return 0;
}

}  // namespace

void add_export(Commands& commands) {
  auto options = std::make_shared<ExportArguments>();
  Command& command = commands.add("export", "Write a trace's timeline, or a schedule of it, for other tools");
  command.add("trace", &options->trace, "An OTF2 trace: its folder or its .otf2 file")
      ->type_name("TRACE")
      ->must_be_given();
  command
      .add("--to", &options->format,
           "chrome: JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open; perfetto: Perfetto's own "
           "form, with what the network did; paje: for ViTE; csv: a line for each call, message and rank's "
           "end; goal, goal-binary: a schedule for LogGOPSim and ATLAHS, as text or as txt2bin writes it")
      ->type_name("chrome|perfetto|paje|csv|goal|goal-binary")
      ->check(one_of({"chrome", "perfetto", "paje", "csv", "goal", "goal-binary"}))
      ->show_default();
  command
      .add("-p,--platform", &options->platform,
           "For a schedule: platform whose library carries out the collectives, and that says what combining "
           "and copying operands costs")
      ->type_name("NAME|FILE")
      ->show_default(ideal_platform);
  command.add("--set", &options->overrides, "Override a key of that platform; may be repeated")
      ->type_name("KEY=VALUE")
      ->may_be_repeated();
  command.add("-o,--output", &options->output, "File to write; - is standard output")
      ->type_name("FILE")
      ->must_be_given();
  command.add("-q,--quiet", &options->quiet, "No progress bar, no notes");
  command.footer = R"(
Each rank is a line of calls; what lies between them, and up to its end, is computing. Arrows are messages from one
rank to another, point to point, from where they are sent to where their receive is complete; collectives are calls
only. Times are those of the trace: of a run or replay with --trace, simulated ones. Vampir opens the traces themselves.

A schedule (goal, goal-binary) has calculations, sends and receives, and what each requires, but no times of calls: its
replay goes as that of the trace. Collectives are the messages of the library's algorithm. One-sided accesses, cancelled
messages and tasks of PVM are refused; a schedule (GOAL) may be given, too, to turn text into the binary form or back.

Examples:
  morgana run -n 4 --platform fast-ethernet --trace run.otf2 -- ./program
  morgana export run.otf2 -o run.json
  morgana export run.otf2 --to csv -o - | grep ^message
  morgana export run.otf2 --to goal -o run.goal)";
  command.action = [options] { return export_trace(*options); };
}

}  // namespace morgana::cli
