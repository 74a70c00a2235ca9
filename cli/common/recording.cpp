#include "cli/common/recording.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <utility>

#include "cli/common/options.h"
#include "cli/common/progress_bar.h"
#include "cli/common/temporary_folder.h"
#include "emulator/core/standard_error.h"
#include "pvmshim/launch/mpi/capture_to_trace.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/pvm/pvm_capture.h"
#include "pvmshim/launch/pvm/pvm_capture_to_trace.h"
#include "runs/live_run.h"
#include "runs/runner.h"
#include "traces/otf2/trace_writer.h"

namespace morgana::cli {
namespace {

TraceProperties properties_of(const LaunchOptions& launch) {
  TraceProperties properties;
  properties.program = programs_text(launch);
  properties.platform = "native";
  properties.host_of.assign(launch.ranks, "localhost");
  properties.tags_name_endpoints = std::ranges::any_of(
      programs_of(launch), [](const RankProgram& program) { return sends_active_messages(program.command); });
  properties.built_for_openmpi = built_for_openmpi(launch).all;
  return properties;
}

/// "4 ranks share 2 processors with 3 other running programs".
std::string crowd_text(std::size_t ranks, std::size_t others, std::size_t processors) {
  std::string text = fmt::format("{} rank{} share{} {} processor{}", ranks, ranks == 1 ? "" : "s",
                                 ranks == 1 ? "s" : "", processors, processors == 1 ? "" : "s");
  if (others > 0 && ranks <= processors)
    text += fmt::format(" with {} other running program{}", others, others == 1 ? "" : "s");
  return text;
}

/// What it does to recorded times if ranks have to wait for processors. Empty if they hardly have to.
/// @param others  that run besides
std::vector<std::string> crowding(std::size_t ranks, std::size_t others) {
  const std::size_t processors = processors_here();
  if (ranks + others <= processors) return {};
  return {
      fmt::format("{}: waiting for one is recorded as computing, or in calls as communication; `morgana run "
                  "--platform ideal --trace DIR` records "
                  "CPU time instead",
                  crowd_text(ranks, others, processors))};
}

void finish(TraceWriter& writer, Recording& recording) {
  if (std::string replaced = writer.finish(); !replaced.empty())
    recording.notices.push_back(std::move(replaced));
}

Recording record_mpi(const LaunchOptions& launch, const std::string& trace) {
  Recording recording{RunStatistics(launch.ranks), 0, 0, {}};
  std::vector<OperationObserver*> observers{&recording.statistics};
  std::optional<TraceWriter> writer;  // first, so that a folder which can't become a trace costs no run
  if (!trace.empty()) observers.push_back(&writer.emplace(trace, properties_of(launch)));
  const TemporaryFolder logs;
  recording.notices = crowding(launch.ranks, other_programs_running());
  const StopWatch watch;
  recording.exit_code = run_capturing(launch, logs.path());
  recording.seconds = watch.seconds();
  for (std::string& notice : read_capture(logs.path(), launch.ranks, observers))
    recording.notices.push_back(std::move(notice));
  if (writer) finish(*writer, recording);
  return recording;
}

Recording record_pvm(const LaunchOptions& launch, const std::string& trace) {
  constexpr std::size_t services = PvmCapture::services, early = PvmCapture::ranks_at_start;
  Recording recording{RunStatistics(early, services), 0, 0, {}};
  std::vector<OperationObserver*> observers{&recording.statistics};
  std::optional<TraceWriter> writer;
  if (!trace.empty()) {
    TraceProperties properties;
    properties.program = programs_text(launch);
    properties.platform = "native";
    properties.host_of.assign(early, modelled_host_name(0));
    properties.services = services;
    observers.push_back(&writer.emplace(trace, properties));
  }
  const TemporaryFolder logs;
  const StopWatch watch;
  recording.exit_code = run_capturing_pvm(launch.command, logs.path(), launch.quiet);
  recording.seconds = watch.seconds();
  PvmCapture capture(logs.path());
  recording.notices = capture.read(observers);
  recording.shortfalls = capture.shortfalls();
  recording.notices.insert(recording.notices.end(), recording.shortfalls.begin(), recording.shortfalls.end());
  // One more than processors is no crowd: the first task mostly waits for those that it has started.
  if (const std::size_t tasks = recording.statistics.ranks().size(); tasks > processors_here() + 1)
    for (std::string& notice : crowding(tasks, 0)) recording.notices.push_back(std::move(notice));
  if (writer) finish(*writer, recording);
  return recording;
}

}  // namespace

Recording record(const LaunchOptions& launch, const std::string& trace, const std::string& api) {
  if (!speaks_pvm(api, launch.command)) return record_mpi(launch, trace);
  refuse_for_pvm(launch);
  return record_pvm(launch, trace);
}

Recording record_by_processor_time(const LaunchOptions& launch, const std::string& trace) {
  LiveRunOptions live = live_options(launch, speaks_pvm("auto", launch.command));
  live.write_trace = trace;
  LiveRunResult result = run_live(Platform::load("ideal"), live);
  if (result.died_afterwards) throw RankFailed(*result.died_afterwards);
  return {std::move(result.statistics), result.exit_code, result.seconds, std::move(result.notices),
          std::move(result.shortfalls)};
}

LiveRunOptions live_options(const LaunchOptions& launch, bool pvm) {
  if (pvm) refuse_for_pvm(launch);
  LiveRunOptions live;
  live.command = launch.command;
  live.programs = launch.programs;
  live.input = launch.input;
  live.mpi = launch.mpi;
  live.program_text = programs_text(launch);
  live.pvm = pvm;
  live.ranks = launch.ranks;
  return live;
}

void add_api(Command& command, std::string& api) {
  command.add("--api", &api, "Library that the program calls; auto: the one that it is linked to")
      ->type_name("auto|mpi|pvm")
      ->check(one_of({"auto", "mpi", "pvm"}))
      ->show_default();
}

bool speaks_pvm(const std::string& api, const std::vector<std::string>& command) {
  if (api != "auto") return api == "pvm";
  return api_of(command) == ProgramApi::pvm;
}

std::size_t other_programs_running() {
  std::ifstream file("/proc/loadavg");
  std::string minute, five, quarter, running_of_all;
  if (!(file >> minute >> five >> quarter >> running_of_all)) return 0;
  const auto running = static_cast<std::size_t>(std::strtoul(running_of_all.c_str(), nullptr, 10));
  return running > 1 ? running - 1 : 0;
}

std::string crowding_of_measured(std::size_t ranks, std::size_t others, std::size_t processors) {
  if (ranks + others <= processors) return "";
  return fmt::format(
      "{}: computing is measured as CPU time, which grows where programs take turns and share caches; "
      "compare several runs, or take --compute recorded:TRACE or none, which are reproducible",
      crowd_text(ranks, others, processors));
}

std::string busy_text(std::size_t others, std::size_t processors) {
  constexpr std::size_t ranks = 2;
  // On one processor the two ranks take turns in any case.
  if (others == 0 || others + std::min(ranks, processors) <= processors) return "";
  return fmt::format("{} other program{} on {} processor{}", others, others == 1 ? " computes" : "s compute",
                     processors, processors == 1 ? "" : "s");
}

void print_notices(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) print_error(fmt::format("morgana: note: {}\n", notice));
}

}  // namespace morgana::cli
