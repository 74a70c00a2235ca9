#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "cli/common/command.h"
#include "cli/common/progress_bar.h"
#include "cli/common/recording.h"
#include "cli/machine/network_measurement.h"
#include "emulator/core/standard_error.h"
#include "emulator/report/readable.h"
#include "emulator/report/table.h"
#include "pvmshim/launch/process/program_check.h"
#include "runs/live_run.h"
#include "runs/validation.h"

namespace morgana::cli {
namespace {

constexpr const char* validate_example = "morgana validate -n 2 -- ./program";

struct ValidateArguments {
  ProgramOptions programs = {2, {}, "0", "auto"};
  std::vector<std::string> tables;
  std::uint32_t runs = 5;
  bool although_busy = false, quiet = false;
};

ValidationRun run_of(const RunStatistics& statistics) {
  const auto ranks = static_cast<double>(statistics.ranks().size());
  const RunStatistics::PerRank all = statistics.total();
  return {statistics.simulated_time().seconds(), all.compute().seconds() / ranks,
          all.communication.seconds() / ranks};
}

/// So many runs, the fastest first.
std::vector<ValidationRun> runs_of(std::uint32_t count, const std::function<ValidationRun()>& run) {
  std::vector<ValidationRun> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(run());
  std::ranges::sort(all, {}, &ValidationRun::total);
  return all;
}

std::string range_of(const std::vector<ValidationRun>& runs) {
  return fmt::format("{} to {}", readable_seconds(runs.front().total), readable_seconds(runs.back().total));
}

/// Says on a terminal by a bar, and elsewhere by a line now and then, what is under way.
class Progress {
 public:
  explicit Progress(bool quiet) : bar_(quiet), lines_(!quiet && !bar_.enabled()) {}
  void begin(const std::string& what, double share) {
    constexpr double between_lines = 5;
    bar_.begin(what, share);
    if (!lines_ || (said_ && since_line_.seconds() < between_lines)) return;
    print_error(fmt::format("morgana: {} ({:.0f} %)\n", what, 100 * share));
    since_line_ = StopWatch();
    said_ = true;
  }

 private:
  ProgressBar bar_;
  bool lines_, said_ = false;
  StopWatch since_line_;
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

ValidationRun measured(const LaunchOptions& launch, bool pvm) {
  const std::optional<double> crowding = seconds_of_crowding();
  const StopWatch watch;
  const Recording recording = record(launch, "", pvm ? "pvm" : "mpi");
  const double seconds = watch.seconds();
  refuse_failure(recording.exit_code, pvm ? "over the real PVM" : "over the real MPI");
  static bool told = false;
  if (!launch.quiet && !std::exchange(told, true)) print_notices(recording.notices);
  ValidationRun run = run_of(recording.statistics);
  if (const std::optional<double> now = seconds_of_crowding(); crowding && now && seconds > 0)
    run.crowded = std::min(1.0, (*now - *crowding) / seconds);
  return run;
}

ValidationRun predicted(const LaunchOptions& launch, bool pvm, const Platform& platform) {
  const LiveRunResult result = run_live(platform, live_options(launch, pvm));
  if (result.died_afterwards) throw RankFailed(*result.died_afterwards);
  refuse_failure(result.exit_code, "in emulation");
  return run_of(result.statistics);
}

int validate(const ValidateArguments& options, const CommandLine& line) {
  LaunchOptions launch = options.programs.launch(line, validate_example);
  launch.quiet = options.quiet;
  const bool pvm = speaks_pvm("auto", launch.command);
  check_programs(launch, pvm);  // before the network is measured
  if (options.although_busy && !options.tables.empty())
    throw Error("--although-busy is for measuring the network, and --table gives its times: leave it out");
  MeasuredTimes times;
  for (const std::string& file : options.tables) add_measured_times(times, file, "--table");
  std::optional<Progress> progress(std::in_place, options.quiet);
  if (options.tables.empty()) {
    progress->begin("measuring messages between two ranks of this machine", 0);
    times = measure_network(options.although_busy);
  }
  const NetworkFit fit = fit_network(times);
  const Platform platform = Platform::parse(platform_text(fit, times, "This machine"), "fitted.toml");
  const std::vector<Residual> left = residuals(platform, times);
  if (!options.tables.empty()) refuse_contradiction(left, times);
  const std::string how_near = nearness(left);
  std::uint32_t done = 0;
  const auto runs = [&](const char* how, const std::function<ValidationRun()>& run) {
    const SilentPrograms silent;
    return runs_of(options.runs, [&] {
      progress->begin(fmt::format("{}, run {} of {}", how, done % options.runs + 1, options.runs),
                      done / (2.0 * options.runs));
      ++done;
      return run();
    });
  };
  Validation validation;
  validation.measured =
      runs(pvm ? "over the real PVM" : "over the real MPI", [&] { return measured(launch, pvm); });
  validation.predicted = runs("emulated", [&] { return predicted(launch, pvm, platform); });
  progress.reset();
  fmt::print("--- validate | {} | {} {} | {}\n", programs_text(launch), launch.ranks, pvm ? "hosts" : "ranks",
             fmt::join(times.origins, ", "));
  fmt::print("fit        {}\n", how_near);
  fmt::print("runs       {} each, the fastest counts: measured {}, predicted {}\n", options.runs,
             range_of(validation.measured), range_of(validation.predicted));
  TextTable table({"", "measured", "predicted", "error"});
  const auto add = [&](const char* name, double ValidationRun::*figure) {
    const double really = validation.measured.front().*figure, said = validation.predicted.front().*figure;
    table.add({name, readable_seconds(really), readable_seconds(said),
               really > 0 ? readable_difference(said / really - 1) : "-"});
  };
  add("time", &ValidationRun::total);
  add("compute", &ValidationRun::compute);
  add("communication", &ValidationRun::communication);
  fmt::print("{}", table.text());
  validation.fit = options.tables.empty() ? "morgana fit --measure"
                                          : fmt::format("morgana fit {}", fmt::join(options.tables, " "));
  fmt::print("verdict    {}\n", verdict(validation));
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
  command.add("--although-busy", &options->although_busy, although_busy_help);
  command.add("--runs", &options->runs, "Runs of the program, measured and predicted each")
      ->type_name("N")
      ->check(whole_number(1, 1000))
      ->show_default();
  command.add("-q,--quiet", &options->quiet, "No notes, no progress bar");
  command.takes_program = true;
  command.why_alone =
      "it compares times that this machine measures, over its MPI and emulated, one run after the other; "
      "call it on the machine that you mean (`ssh MACHINE`, `srun -w MACHINE`), and give messages between "
      "machines by --table";
  command.footer = R"(
This machine's MPI is measured and a platform fitted to it; then the program runs over the real MPI, and emulated
on that platform. Both are timed from MPI_Init to MPI_Finalize. Computing is measured in both. With more ranks than
processors, or next to other programs, real ranks wait for processors, which no model of a network predicts: the error
then shows that wait, not the quality of the model. A PVM program runs over the real PVM on this machine, and
emulated on -n hosts; give --table the times of a ping-pong over PVM, as MPI costs less. The program's standard output
is dropped.
There is no --on: both times are this machine's own. Run it on the machine to be validated (ssh MACHINE, srun -w
MACHINE); give a network between machines by --table.
If no call ends for 30 s over the real MPI or PVM a line says so: it may compute, or wait forever; Ctrl-C ends it.

The last line is the verdict. Passed: the predicted time is within 10 % of the measured one. Deviates: it is not; the
line says whether computing or communication differs. Undecided: there is one run; or the second fastest measured run is
more than 10 % longer than the fastest, and by more than the prediction is off; or programs waited for a processor during
more than a quarter of each measured run (/proc/pressure/cpu), unless the prediction is within 10 % nevertheless.

Example:
  morgana validate -n 2 --runs 9 -- ./program)";
  command.action = [options, &line] { return validate(*options, line); };
}

}  // namespace morgana::cli
