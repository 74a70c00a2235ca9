#include <fmt/format.h>

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/result_files.h"
#include "cli/machine/nccl_fit_report.h"
#include "cli/machine/network_measurement.h"
#include "emulator/core/bounded_file.h"
#include "emulator/report/output_file.h"
#include "emulator/report/table.h"
#include "runs/fit/nccl_fit.h"
#include "runs/fit/nccl_log.h"

namespace morgana::cli {
namespace {

struct FitArguments {
  std::vector<std::string> files;
  std::optional<std::string> platform;
  bool measure = false, although_busy = false;
  std::string output, csv, description;
  bool quiet = false;
};

constexpr const char* extended_platform = "dgx-a100";
constexpr std::size_t largest_log = std::size_t{64} << 20;

/// The file's text if it is a log of nccl-tests; other tables are read elsewhere, with what is wrong with
/// them.
std::optional<std::string> nccl_log_in(const std::string& file) {
  std::error_code unknown;
  if (std::filesystem::file_size(file, unknown) > largest_log || unknown) return std::nullopt;
  std::string text = read_at_most(file, largest_log);
  if (!is_nccl_log(text)) return std::nullopt;
  return text;
}

/// Keys of NCCL's parameters, as the extension of a platform.
int fit_nccl_log(const FitArguments& options, const std::string& text) {
  if (options.files.size() > 1)
    throw Error(fmt::format("{} is a log of nccl-tests, which is fitted by itself: leave out the other files",
                            options.files.front()));
  claim_results({{"--output", options.output}, {"--csv", options.csv}});
  const NcclLog log = read_nccl_log(text, options.files.front());
  const std::string extended = options.platform.value_or(extended_platform);
  const NcclFit found = fit_nccl(log, Platform::load(extended));
  const std::string platform = platform_text(
      found, log, extended, options.description.empty() ? "Fitted to " + log.origin : options.description);
  const std::vector<NcclResidual> left = residuals(Platform::parse(platform, "fitted.toml"), log);
  refuse_misfit(found, log, extended, left);
  if (!options.quiet) fmt::print("{}", fit_report(found, log, extended, left));
  if (!options.csv.empty()) {
    TextTable table({"bytes", "measured_us", "fitted_us", "carried_out_by"});
    for (const NcclResidual& one : left)
      table.add({fmt::format("{}", one.bytes), fmt::format("{}", one.measured_us),
                 fmt::format("{}", one.fitted_us), one.carried_out_by});
    write_output(options.csv, table.csv());
  }
  if (options.output.empty()) return 0;
  write_output(options.output, platform);
  if (!options.quiet && options.output != "-") fmt::print("written to {}\n", options.output);
  return 0;
}

int fit(const FitArguments& options) {
  if (options.files.empty() != options.measure)
    throw Error(options.measure ? "fit takes tables or --measure, not both: leave one out"
                                : "nothing to fit: name tables of measured times, or give --measure; see "
                                  "`morgana fit --help`");
  for (const std::string& file : options.files)
    if (const std::optional<std::string> text = nccl_log_in(file)) {
      if (&file != &options.files.front())
        throw Error(fmt::format(
            "{} is a log of nccl-tests, which is fitted by itself: leave out the other files", file));
      return fit_nccl_log(options, *text);
    }
  if (options.platform)
    throw Error("--platform names what a log of nccl-tests extends, and none is given: leave it out");
  if (options.although_busy && !options.measure)
    throw Error("--although-busy is for --measure: tables are not measured now; leave it out");
  claim_results({{"--output", options.output}, {"--csv", options.csv}});
  MeasuredTimes times;
  if (options.measure) times = measure_network(options.although_busy);
  for (const std::string& file : options.files) add_measured_times(times, file);
  const NetworkFit found = fit_network(times);
  const std::string description = options.description.empty()
                                      ? fmt::format("Fitted to {}", fmt::join(times.origins, ", "))
                                      : options.description;
  const std::string text = platform_text(found, times, description);
  const std::vector<Residual> left = residuals(Platform::parse(text, "fitted.toml"), times);
  if (!options.measure) refuse_contradiction(left, times);
  if (!options.quiet) fmt::print("{}", fit_report(found, times, left));
  if (!options.csv.empty()) {
    TextTable table({"bytes", "measured_us", "fitted_us", "of"});
    for (const Residual& one : left)
      table.add({fmt::format("{}", one.bytes), fmt::format("{}", one.measured_us),
                 fmt::format("{}", one.fitted_us),
                 one.kind == Residual::Kind::latency ? "latency" : "stream"});
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
  Command& command = commands.add("fit", "Fit a platform to measured times of messages or all-reduces");
  command
      .add("tables", &options->files,
           "Output of NetPIPE, osu_latency, osu_bw, IMB's PingPong and Uniband, or network.measure; several "
           "files are fitted together. Or a log of nccl-tests: the output of all_reduce_perf on one node")
      ->type_name("FILE");
  command.add("--measure", &options->measure, "Measure this machine's MPI instead, between two ranks");
  command.add("--although-busy", &options->although_busy, although_busy_help);
  command
      .add("-p,--platform", &options->platform,
           "For a log of nccl-tests: platform of GPU nodes that the fitted keys extend")
      ->type_name("NAME|FILE")
      ->show_default(extended_platform);
  command.add("-o,--output", &options->output, "Write the platform; - is standard output")
      ->type_name("FILE.toml");
  command.add("--description", &options->description, "Description of the platform")->type_name("TEXT");
  command
      .add("--csv", &options->csv,
           "Write every measured time, half a round trip (latency) or from one message to the next (stream), "
           "with the fitted one; - is standard output")
      ->type_name("FILE");
  command.add("-q,--quiet", &options->quiet, "No report");
  command.footer = R"(
Latencies (half round trips) give what a message and a byte cost, where the eager limit is, how steep short
messages are, and what a rendezvous costs. Bandwidths (osu_bw) are fitted with them, at every size, and divide
latency from overheads and copies; network.measure also has what the calls take. Give both osu_latency and
osu_bw: latencies alone don't show how messages follow each other. What the tables leave open is said, with
what was assumed. Control messages have 64 bytes; what a rendezvous costs beyond them is
messages.rendezvous-overhead.

Of a log of nccl-tests follow the keys of [nccl] for rings in a node (hops, work per byte by LL, LL128 and Simple) and
network.rate, each marked as fitted; the report compares every size, emulated on the fitted platform.

On a cluster, compile benchmarks/network/measure.c there, run it on two hosts, and bring its table here.

Examples:
  morgana fit np.out -o ours.toml
  morgana fit osu_latency.txt osu_bw.txt -o ours.toml --csv residuals.csv
  morgana fit all_reduce_perf.log --platform dgx-a100 -o our-gpus.toml
  morgana fit --measure -o here.toml
  morgana run -n 4 --platform ./ours.toml -- ./program)";
  command.action = [options] { return fit(*options); };
}

}  // namespace morgana::cli
