#include <fmt/format.h>

#include <cstdint>
#include <memory>

#include "cli/common/command.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "cli/common/run_page.h"
#include "report/page_template.h"
#include "report/timeline_page.h"
#include "traces/export/timeline.h"

namespace morgana::cli {
namespace {

struct ReportArguments {
  std::string trace, output;
  std::uint64_t events = events_of_page;
  bool quiet = false;
};

int report(const ReportArguments& options) {
  check_can_make_pages();
  claim_results({{"--output", options.output}});
  Timeline timeline;
  {
    ProgressBar bar(options.quiet || options.output == "-");
    timeline = read_timeline(options.trace, [&](double share) { bar.show("reading", share); });
  }
  wait_until_end(timeline);
  if (!options.quiet) print_notices(timeline.notices);
  write_page(options.output, timeline_page(timeline, options.events), options.quiet,
             fmt::format("{} calls of {} ranks, {} messages", timeline.calls.size(),
                         timeline.ranks - timeline.services, timeline.messages.size()));
  return 0;
}

}  // namespace

void add_report(Commands& commands) {
  auto options = std::make_shared<ReportArguments>();
  Command& command = commands.add("report", "Draw a trace's timeline and messages as a web page");
  command.add("trace", &options->trace, "An OTF2 trace: its folder or its .otf2 file")
      ->type_name("TRACE")
      ->must_be_given();
  command.add("-o,--output", &options->output, "Web page to write; - is standard output")
      ->type_name("FILE.html")
      ->check(name_of_page())
      ->must_be_given();
  command
      .add("--events", &options->events,
           "Calls and messages that the page holds, about 50 bytes each; of a longer trace it shows the "
           "longest at each time")
      ->type_name("N")
      ->show_default();
  command.add("-q,--quiet", &options->quiet, "No progress bar, no notes");
  command.footer = R"(
The page is one file without external resources: it can be mailed, stored with results and opened by a double click. It shows
what each rank did when, with messages as arrows; who sent how much to whom; messages by size and by time under way; and
the time in each kind of call. Drag and wheel (or the arrow keys, + and -) move and zoom; a click shows the life of a
message or a call. Times are those of the trace: of a run or replay with --trace, simulated ones.

Examples:
  morgana run -n 4 --platform fast-ethernet --trace run.otf2 -- ./program
  morgana report run.otf2 -o run.html
  morgana replay run.otf2 --platform infiniband-hdr --trace there.otf2
  morgana report there.otf2 -o there.html)";
  command.action = [options] { return report(*options); };
}

}  // namespace morgana::cli
