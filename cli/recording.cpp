#include "cli/recording.h"

#include <fmt/core.h>

#include <optional>

#include "cli/command.h"
#include "cli/progress_bar.h"
#include "cli/temporary_folder.h"
#include "pvmshim/launch/capture_to_trace.h"
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

}  // namespace

void add_ranks(CLI::App& command, std::size_t& ranks) {
  command.add_option("-n,--ranks", ranks, "Number of ranks, 1 to 4096")
      ->type_name("N")
      ->check(CLI::Range(std::size_t{1}, std::size_t{4096}).description(""))
      ->capture_default_str();
}

Recording record(const LaunchOptions& launch, const std::string& trace) {
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

void print_notices(const std::vector<std::string>& notices) {
  for (const std::string& notice : notices) fmt::print(stderr, "morgana: note: {}\n", notice);
}

}  // namespace morgana::cli
