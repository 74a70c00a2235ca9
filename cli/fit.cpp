#include <fmt/format.h>

#include "cli/command.h"
#include "cli/network_measurement.h"
#include "cli/result_files.h"
#include "emulator/report/output_file.h"
#include "emulator/report/table.h"

namespace morgana::cli {
namespace {

struct FitArguments {
  std::vector<std::string> files;
  bool measure = false;
  std::string output, csv, description;
  bool quiet = false;
};

int fit(const FitArguments& options) {
  if (options.files.empty() != options.measure)
    throw Error(options.measure ? "fit takes tables or --measure, not both: leave one out"
                                : "nothing to fit: name tables of measured times, or give --measure; see "
                                  "`morgana fit --help`");
  claim_results({{"--output", options.output}, {"--csv", options.csv}});
  MeasuredTimes times;
  if (options.measure) times = measure_network();
  for (const std::string& file : options.files) add_measured_times(times, file);
  const NetworkFit found = fit_network(times);
  const std::string description = options.description.empty()
                                      ? fmt::format("Fitted to {}", fmt::join(times.origins, ", "))
                                      : options.description;
  const std::string text = platform_text(found, times, description);
  const std::vector<Residual> left = residuals(Platform::parse(text, "fitted.toml"), times);
  if (!options.quiet) fmt::print("{}", fit_report(found, times, left));
  if (!options.csv.empty()) {
    Table table({"bytes", "measured_us", "fitted_us"});
    for (const Residual& one : left)
      table.add({fmt::format("{}", one.bytes), fmt::format("{}", one.measured_us),
                 fmt::format("{}", one.fitted_us)});
    write_output(options.csv, table.csv());
  }
  if (!options.output.empty()) {
    write_output(options.output, text);
    if (!options.quiet && options.output != "-") fmt::print("written to {}\n", options.output);
  }
  return 0;
}

}  // namespace

void add_fit(Commands& commands) {
  auto options = std::make_shared<FitArguments>();
  Command& command = commands.add("fit", "Make a platform from measured times of messages");
  command
      .add("tables", &options->files,
           "NetPIPE's output, tables of osu_latency and osu_bw, or the output of network.measure; several "
           "add up")
      ->type_name("FILE");
  command.add("--measure", &options->measure, "Measure this machine's MPI instead, between two ranks");
  command.add("-o,--output", &options->output, "Write the platform; - is standard output")
      ->type_name("FILE.toml");
  command.add("--description", &options->description, "The platform's sentence about itself")
      ->type_name("TEXT");
  command
      .add("--csv", &options->csv, "Write every measured latency with the fitted one; - is standard output")
      ->type_name("FILE");
  command.add("-q,--quiet", &options->quiet, "No report");
  command.footer = R"(
Latencies (half round trips) give what a message and a byte cost, where the eager limit is, and how steep short
messages are; from what a rendezvous costs more follow latency and copies. Times of messages that follow each
other (osu_bw) give the gap between them; network.measure also has what the calls take, and so the overheads.
What the tables leave open is said, with what was assumed.

On a cluster, compile benchmarks/network/measure.c there, run it on two hosts, and bring its table here.

Examples:
  morgana fit np.out -o ours.toml
  morgana fit osu_latency.txt osu_bw.txt -o ours.toml --csv residuals.csv
  morgana fit --measure -o here.toml
  morgana run -n 4 --platform ./ours.toml -- ./program)";
  command.action = [options] { return fit(*options); };
}

}  // namespace morgana::cli
