#include "cli/recording.h"

#include <fmt/core.h>

#include <optional>

#include "cli/command.h"
#include "cli/progress_bar.h"
#include "cli/temporary_folder.h"
#include "cli/validators.h"
#include "pvmshim/launch/capture_to_trace.h"
#include "pvmshim/launch/program_check.h"
#include "pvmshim/launch/pvm_capture.h"
#include "pvmshim/launch/pvm_capture_to_trace.h"
#include "traces/trace_writer.h"

namespace morgana::cli {
namespace {

TraceProperties properties_of(const LaunchOptions& launch) {
  TraceProperties properties;
  properties.program = command_text(launch.command);
  properties.platform = "native";
  properties.host_of.assign(launch.ranks, "localhost");
  return properties;
}

Recording record_mpi(const LaunchOptions& launch, const std::string& trace) {
  Recording recording{RunStatistics(launch.ranks), 0, 0, {}};
  std::vector<OperationObserver*> observers{&recording.statistics};
  std::optional<TraceWriter> writer;  // first, so that a folder which can't become a trace costs no run
  if (!trace.empty()) observers.push_back(&writer.emplace(trace, properties_of(launch)));
  const TemporaryFolder logs;
  const StopWatch watch;
  recording.exit_code = run_capturing(launch, logs.path());
  recording.seconds = watch.seconds();
  recording.notices = read_capture(logs.path(), launch.ranks, observers);
  if (writer) writer->finish();
  return recording;
}

Recording record_pvm(const std::vector<std::string>& command, const std::string& trace) {
  constexpr std::size_t services = PvmCapture::services, early = PvmCapture::ranks_at_start;
  Recording recording{RunStatistics(early, services), 0, 0, {}};
  std::vector<OperationObserver*> observers{&recording.statistics};
  std::optional<TraceWriter> writer;
  if (!trace.empty()) {
    TraceProperties properties;
    properties.program = command_text(command);
    properties.platform = "native";
    properties.host_of.assign(early, modelled_host_name(0));
    properties.services = services;
    observers.push_back(&writer.emplace(trace, properties));
  }
  const TemporaryFolder logs;
  const StopWatch watch;
  recording.exit_code = run_capturing_pvm(command, logs.path());
  recording.seconds = watch.seconds();
  recording.notices = PvmCapture(logs.path()).read(observers);
  if (writer) writer->finish();
  return recording;
}

}  // namespace

void add_ranks(CLI::App& command, std::size_t& ranks) {
  command.add_option("-n,--ranks", ranks, "Number of ranks, 1 to 4096")
      ->type_name("N")
      ->check(whole_number(1, 4096))
      ->capture_default_str();
}

Recording record(const LaunchOptions& launch, const std::string& trace, const std::string& api) {
  return speaks_pvm(api, launch.command) ? record_pvm(launch.command, trace) : record_mpi(launch, trace);
}

void add_api(CLI::App& command, std::string& api) {
  command.add_option("--api", api, "What the program speaks; auto: what it is linked to")
      ->type_name("auto|mpi|pvm")
      ->check(one_of({"auto", "mpi", "pvm"}))
      ->capture_default_str();
}

bool speaks_pvm(const std::string& api, const std::vector<std::string>& command) {
  if (api != "auto") return api == "pvm";
  return api_of(find_program(command.at(0))) == ProgramApi::pvm;
}

void print_notices(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) fmt::print(stderr, "morgana: note: {}\n", notice);
}

}  // namespace morgana::cli
