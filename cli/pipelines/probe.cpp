#include <fmt/core.h>

#include <memory>

#include "cli/common/command.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "cli/pipelines/probe_report.h"
#include "emulator/report/output_file.h"
#include "emulator/report/pictures/gnuplot.h"

namespace morgana::cli {
namespace {

int probe_platform(const ProbeOptions& options) {
  claim_results({{"--json", options.json}, {"--csv", options.csv}, {"--plot", options.plot, false}});
  if (!options.plot.empty()) gnuplot::check(options.plot);
  const ProbeReport report = probe_report(options);
  if (!options.quiet) fmt::print("{}", probe_text(report));
  print_hints({{report.platform, report.hints}}, options.quiet);
  if (!options.csv.empty()) write_output(options.csv, probe_csv(report));
  if (!options.json.empty()) write_output(options.json, probe_json(report));
  if (!options.plot.empty()) draw_probe(options.plot, report);
  return 0;
}

}  // namespace

void add_probe(Commands& commands) {
  auto options = std::make_shared<ProbeOptions>();
  Command& command = commands.add("probe", "Measure a platform's communication pipeline by messages alone");
  add_platform(command, options->platform)->must_be_given();
  add_overrides(command, options->overrides);
  command.add("--least", &options->least, "Smallest message")->type_name("SIZE")->show_default();
  command.add("--most", &options->most, "Largest message")->type_name("SIZE")->show_default();
  command.add("--bytes", &options->bytes, "Message that is fragmented by the findings; default: --most")
      ->type_name("SIZE");
  command.add("--burst", &options->burst, "Messages sent back to back")
      ->type_name("N")
      ->check(whole_number(4, 1000))
      ->show_default();
  command.add("--bound", &options->bound, "Largest deviation of a straight line from the measurements")
      ->type_name("SHARE")
      ->show_default();
  command.add("--seed", &options->seed, "Seed of all random choices")
      ->type_name("N")
      ->check(seed_number())
      ->show_default();
  command.add("--json", &options->json, "Write all results as JSON; - is standard output")->type_name("FILE");
  command.add("--csv", &options->csv, "Write each size's times as CSV; - is standard output")
      ->type_name("FILE");
  command.add("--plot", &options->plot, "Draw latency and interval over size: .svg or .png")
      ->type_name("FILE");
  command.add("-q,--quiet", &options->quiet, "No text");
  command.footer = R"(
Messages of several sizes go from one host to another through the emulated platform: alone, which gives what all
stages take together (sum g, sum G), and back to back, which gives the slowest stage (g_b, G_b). Where one
straight line does not do, sizes are bisected until it is known where it changes. The report also shows
what instruments in the hosts and at the NICs measure; then a message is fragmented by the findings and sent.

Source: Wang, Krishnamurthy, Martin, Anderson, Culler, Towards a Theory of Optimal Communication Pipelines, 1998,
section 5.3.

Examples:
  morgana probe --platform atm-sockets
  morgana probe --platform myrinet-ud --most "16 KiB" --bytes "4 KiB" --plot myrinet.svg
  morgana probe --platform ethernet-10 --set network.rate="1 Gb/s" --json -)";
  command.action = [options] { return probe_platform(*options); };
}

}  // namespace morgana::cli
