#include <fmt/core.h>

#include <memory>

#include "cli/common/command.h"
#include "cli/common/result_files.h"
#include "cli/pipelines/fragment_report.h"
#include "emulator/report/output_file.h"
#include "emulator/report/pictures/gnuplot.h"

namespace morgana::cli {
namespace {

int fragment(const FragmentOptions& options) {
  const FragmentTask task = fragment_task(options);
  claim_results({{"--json", options.json},
                 {"--csv", options.csv},
                 {"--plot", options.plot, false},
                 {"--diagram", options.diagram, false}});
  for (const std::string& picture : {options.plot, options.diagram})
    if (!picture.empty()) gnuplot::check(picture);
  const FragmentPlan plan = fragment_plan(task);
  const pipeline::Schedule schedule = carried_out(task, plan.pieces);
  if (!options.diagram.empty()) check_time_space(options.diagram, schedule);
  if (!options.quiet) fmt::print("{}", fragment_text(task, plan, schedule));
  if (!options.csv.empty()) write_output(options.csv, fragment_csv(task, plan));
  if (!options.json.empty()) write_output(options.json, fragment_json(task, plan, schedule));
  if (!options.plot.empty()) draw_latency_curve(options.plot, task, plan, schedule);
  if (!options.diagram.empty()) draw_time_space(options.diagram, task, schedule);
  return 0;
}

}  // namespace

void add_fragment(Commands& commands) {
  auto options = std::make_shared<FragmentOptions>();
  Command& command =
      commands.add("fragment", "Fragment a message to pass store-and-forward stages in the least time");
  command
      .add("--stages", &options->stages,
           "gam (Active Messages on Myrinet), gms (AN2), network+disk, network+disk+network, or a TOML file")
      ->type_name("NAME|FILE")
      ->must_be_given();
  command.add("--bytes", &options->bytes, "The message's size, with its unit: \"4 KiB\"")
      ->type_name("SIZE")
      ->must_be_given();
  command
      .add("--policy", &options->policy,
           "fixed (equal fragments), ramp (rising, or rising and falling, sizes), hierarchical (equal ones, "
           "put "
           "together for the slowest stage), optimal (the exact optimum without that), or the size of all "
           "fragments: "
           "4096 (as GAM does), 128 (as FM does)")
      ->type_name("POLICY|SIZE")
      ->show_default();
  command
      .add("--fragments", &options->fragments,
           "Number of fragments at the slowest stage; default: the policy's best")
      ->type_name("N");
  command
      .add("--json", &options->json,
           "Write all results, with each piece at each stage, as JSON; - is standard output")
      ->type_name("FILE");
  command
      .add("--csv", &options->csv, "Write latency over the number of fragments as CSV; - is standard output")
      ->type_name("FILE");
  command.add("--plot", &options->plot, "Draw latency over the number of fragments: .svg or .png")
      ->type_name("FILE");
  command.add("--diagram", &options->diagram, "Draw which fragment is in which stage when: .svg or .png")
      ->type_name("FILE");
  command.add("-q,--quiet", &options->quiet, "No text");
  command.footer = R"(
A fragment occupies a stage for an overhead and a cost for each byte, and enters it once it has left the stage
before and the fragment before it has left this one. A file of stages has a table for each:
  [[stage]]
  name = "sender copy"
  overhead = "7.2 us"
  cost = "7.2 us/KB"     # or rate = "1 Gb/s"

Source: Wang, Krishnamurthy, Martin, Anderson, Culler, Towards a Theory of Optimal Communication Pipelines, 1998.

Examples:
  morgana fragment --stages gam --bytes "4 KiB"
  morgana fragment --stages network+disk --bytes "64 KiB" --policy ramp --diagram ramp.svg
  morgana fragment --stages my.toml --bytes "8 KiB" --policy optimal --plot latency.svg --json -)";
  command.action = [options] { return fragment(*options); };
}

}  // namespace morgana::cli
