#include <fmt/format.h>

#include <memory>

#include "cli/common/command.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "emulator/core/standard_error.h"
#include "emulator/report/output_file.h"
#include "traces/export/timeline.h"

namespace morgana::cli {
namespace {

struct ExportArguments {
  std::string trace, format = "chrome", output;
  bool quiet = false;
};

int export_trace(const ExportArguments& options) {
  claim_results({{"--output", options.output}});
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
  Command& command = commands.add("export", "Write a trace's timeline for other tools that draw it");
  command.add("trace", &options->trace, "An OTF2 trace: its folder or its .otf2 file")
      ->type_name("TRACE")
      ->must_be_given();
  command
      .add("--to", &options->format,
           "chrome: JSON that Perfetto (ui.perfetto.dev) and chrome://tracing open; perfetto: Perfetto's own "
           "form, with what the network did; paje: for ViTE; csv: a line for each call, message and rank's "
           "end")
      ->type_name("chrome|perfetto|paje|csv")
      ->check(one_of({"chrome", "perfetto", "paje", "csv"}))
      ->show_default();
  command.add("-o,--output", &options->output, "The file to be written; - is standard output")
      ->type_name("FILE")
      ->must_be_given();
  command.add("-q,--quiet", &options->quiet, "No progress bar, no notices");
  command.footer = R"(
Each rank is a line of calls; what lies between them, and up to its end, is computing. Arrows are messages from one
rank to another, point to point, from where they are sent to where their receive is complete; collectives are calls
only. Times are those of the trace: of a run or replay with --trace, simulated ones. Vampir opens the traces themselves.

Examples:
  morgana run -n 4 --platform fast-ethernet --trace run.otf2 -- ./program
  morgana export run.otf2 -o run.json
  morgana export run.otf2 --to csv -o - | grep ^message)";
  command.action = [options] { return export_trace(*options); };
}

}  // namespace morgana::cli
