#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "cli/common/command.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/machine/network_measurement.h"
#include "emulator/report/readable.h"
#include "emulator/report/table.h"
#include "pvmshim/launch/process/program_check.h"
#include "runs/live_run.h"

namespace morgana::cli {
namespace {

constexpr const char* validate_example = "morgana validate -n 2 -- ./program";

struct ValidateArguments {
  ProgramOptions programs = {2, {}, "0", "auto"};
  std::vector<std::string> tables;
  std::uint32_t runs = 5;
  bool quiet = false;
};

/// Seconds of one run: of the slowest rank, and of computing and communication in the mean of the ranks.
struct Times {
  double total = 0, compute = 0, communication = 0;
};

Times times_of(const RunStatistics& statistics) {
  const auto ranks = static_cast<double>(statistics.ranks().size());
  const RunStatistics::PerRank all = statistics.total();
  return {statistics.simulated_time().seconds(), all.compute().seconds() / ranks,
          all.communication.seconds() / ranks};
}

/// Of several runs the fastest counts: whatever disturbs one only makes it longer.
class Runs {
 public:
  Runs(std::uint32_t count, const std::function<Times()>& run) {
    for (std::uint32_t i = 0; i < count; ++i) all_.push_back(run());
    std::sort(all_.begin(), all_.end(), [](const Times& a, const Times& b) { return a.total < b.total; });
  }
  const Times& best() const { return all_.front(); }
  /// By which the second fastest run is longer than the fastest, relative: more runs make it less. Nothing of
  /// one run.
  std::optional<double> scatter() const {
    if (all_.size() < 2 || !(all_.front().total > 0)) return std::nullopt;
    return all_[1].total / all_.front().total - 1;
  }
  std::string range() const {
    return fmt::format("{} to {}", readable_seconds(all_.front().total), readable_seconds(all_.back().total));
  }

 private:
  std::vector<Times> all_;
};

/// While it lives, what programs print on standard output is dropped; what they print on standard error is
/// not.
class SilentPrograms {
 public:
  SilentPrograms() {
    std::fflush(stdout);
    saved_ = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    const int nothing = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (saved_ >= 0 && nothing >= 0) ::dup2(nothing, STDOUT_FILENO);
    if (nothing >= 0) ::close(nothing);
  }
  ~SilentPrograms() {
    if (saved_ < 0) return;
    ::dup2(saved_, STDOUT_FILENO);
    ::close(saved_);
  }
  SilentPrograms(const SilentPrograms&) = delete;
  SilentPrograms& operator=(const SilentPrograms&) = delete;

 private:
  int saved_ = -1;
};

void refuse_failure(int code, const char* how) {
  if (code != 0)
    throw Error(fmt::format("the program ended with exit code {} {}: only runs that end well can be compared",
                            code, how));
}

Times measured(const LaunchOptions& launch, bool pvm) {
  const Recording recording = record(launch, "", pvm ? "pvm" : "mpi");
  refuse_failure(recording.exit_code, pvm ? "over the real PVM" : "over the real MPI");
  static bool told = false;
  if (!launch.quiet && !std::exchange(told, true)) print_notices(recording.notices);
  return times_of(recording.statistics);
}

Times predicted(const LaunchOptions& launch, bool pvm, const Platform& platform) {
  const LiveRunResult result = run_live(platform, live_options(launch, pvm));
  if (result.died_afterwards) throw RankFailed(*result.died_afterwards);
  refuse_failure(result.exit_code, "in emulation");
  return times_of(result.statistics);
}

/// Relative, of a prediction that counts as near; measured runs of quiet machines differ by as much.
constexpr double near_enough = 0.1;

/// "16.1 % shorter than"
std::string distance_text(double relative) {
  return fmt::format("{:.1f} % {} than", 100 * std::abs(relative), relative < 0 ? "shorter" : "longer");
}

/// What the comparison means, in a line. @param fit  the command that shows the fit's residuals
std::string verdict(const Runs& real, const Runs& emulated, const std::string& fit) {
  const Times &measured = real.best(), &said = emulated.best();
  if (!(measured.total > 0)) return "none: the program took no time";
  const double error = said.total / measured.total - 1;
  const std::string how_far = fmt::format("the predicted time is {} the measured one", distance_text(error));
  const std::optional<double> scatter = real.scatter();
  if (!scatter) return fmt::format("undecided: {}, and one run says nothing of how far runs differ", how_far);
  if (*scatter > std::max(near_enough, std::abs(error)))
    return fmt::format(
        "undecided: {}, and the second fastest run is {} the fastest: repeat on a quiet machine, or with "
        "more "
        "--runs",
        how_far, distance_text(*scatter));
  const double computing = (said.compute - measured.compute) / measured.total,
               communication = (said.communication - measured.communication) / measured.total;
  if (std::abs(error) <= near_enough) {
    const bool cancel = std::abs(communication) > near_enough && std::abs(computing) > near_enough;
    return fmt::format("passed: {} (within {:.0f} %){}", how_far, 100 * near_enough,
                       cancel ? "; but errors of computing and of communication cancel each other" : "");
  }
  if (std::abs(computing) >= std::abs(communication))
    return fmt::format(
        "deviates: {}, {} of it by computing: ranks that share processors, caches and memory, which no model "
        "of a "
        "network predicts",
        how_far, readable_share(std::min(1.0, std::abs(computing / error))));
  return fmt::format(
      "deviates: {}, {} of it by communication: the fit misses what this program sends; look at its "
      "residuals "
      "({}), and take ratios from predictions, not times",
      how_far, readable_share(std::min(1.0, std::abs(communication / error))), fit);
}

int validate(const ValidateArguments& options, const CommandLine& line) {
  LaunchOptions launch = options.programs.launch(line, validate_example);
  launch.quiet = options.quiet;
  const bool pvm = speaks_pvm("auto", launch.command);
  check_programs(launch, pvm);  // before the network is measured
  MeasuredTimes times;
  for (const std::string& file : options.tables) add_measured_times(times, file, "--table");
  std::optional<ProgressBar> bar(std::in_place, options.quiet);
  if (options.tables.empty()) {
    bar->show("measuring messages", 0);
    times = measure_network();
  }
  const NetworkFit fit = fit_network(times);
  const Platform platform = Platform::parse(platform_text(fit, times, "This machine"), "fitted.toml");
  const std::vector<Residual> left = residuals(platform, times);
  if (!options.tables.empty()) refuse_contradiction(left, times);
  const std::string how_near = nearness(left);
  double done = 0;
  const auto runs = [&](const char* how, const std::function<Times()>& run) {
    const SilentPrograms silent;
    return Runs(options.runs, [&] {
      bar->show(how, done / (2 * options.runs));
      ++done;
      return run();
    });
  };
  const Runs real =
      runs(pvm ? "over the real PVM" : "over the real MPI", [&] { return measured(launch, pvm); });
  const Runs emulated = runs("emulated", [&] { return predicted(launch, pvm, platform); });
  bar.reset();
  fmt::print("--- validate | {} | {} {} | {}\n", programs_text(launch), launch.ranks, pvm ? "hosts" : "ranks",
             fmt::join(times.origins, ", "));
  fmt::print("fit        {}\n", how_near);
  fmt::print("runs       {} each, the fastest counts: measured {}, predicted {}\n", options.runs,
             real.range(), emulated.range());
  Table table({"", "measured", "predicted", "error"});
  const auto add = [&](const char* name, double Times::*figure) {
    const double really = real.best().*figure, said = emulated.best().*figure;
    table.add({name, readable_seconds(really), readable_seconds(said),
               really > 0 ? readable_difference(said / really - 1) : "-"});
  };
  add("time", &Times::total);
  add("compute", &Times::compute);
  add("communication", &Times::communication);
  fmt::print("{}", table.text());
  const std::string shown_by = options.tables.empty()
                                   ? "morgana fit --measure"
                                   : fmt::format("morgana fit {}", fmt::join(options.tables, " "));
  fmt::print("verdict    {}\n", verdict(real, emulated, shown_by));
  if (pvm && options.tables.empty() && !options.quiet)
    print_notices(
        {"the platform is fitted to this machine's MPI, and the program ran over PVM, whose daemon and "
         "library cost more: a ping-pong over PVM, given by --table, says how much"});
  return 0;
}

}  // namespace

void add_validate(Commands& commands, const CommandLine& line) {
  auto options = std::make_shared<ValidateArguments>();
  Command& command =
      commands.add("validate", "Compare a program's predicted and measured time on this machine");
  options->programs.add(command);
  command
      .add("--table", &options->tables,
           "Fit to this table, as `morgana fit` does; without one this machine's MPI is measured")
      ->type_name("FILE")
      ->may_be_repeated();
  command.add("--runs", &options->runs, "How often the program runs, measured and predicted")
      ->type_name("N")
      ->check(whole_number(1, 1000))
      ->show_default();
  command.add("-q,--quiet", &options->quiet, "No notices, no progress bar");
  command.takes_program = true;
  command.footer = R"(
This machine's MPI is measured and a platform fitted to it; then the program runs over the real MPI, and emulated
on that platform. Both are timed from MPI_Init to MPI_Finalize. Computing is measured in both; of more ranks than
processors, or beside other programs, the real ones wait for each other's, which no model of a network predicts:
then the error says that, not how good the model is. A PVM program runs over the real PVM on this machine, and
emulated on -n hosts; give --table what a ping-pong over PVM measured, as MPI costs less. What the program prints on standard output is dropped.
If no call ends for 30 s over the real MPI or PVM a line says so: it may compute, or wait for ever; Ctrl-C ends it.

The last line is the verdict: passed where the predicted time is within 10 % of the measured one; else what the
difference is of, computing or communication. Undecided: of one run, and where the second fastest measured run is more than
10 % longer than the fastest, and by more than the prediction is off.

Example:
  morgana validate -n 2 --runs 9 -- ./program)";
  command.action = [options, &line] { return validate(*options, line); };
}

}  // namespace morgana::cli
