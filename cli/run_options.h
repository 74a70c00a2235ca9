#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/options.h"
#include "emulator/platform/platform.h"
#include "emulator/report/critical_path.h"
#include "emulator/report/run_report.h"

namespace morgana::cli {

/// -p, --platform.
Option* add_platform(Command& command, std::string& platform);
/// --set.
void add_overrides(Command& command, std::vector<std::string>& overrides);

/// Options that several subcommands share, with the same names and meaning everywhere.
struct PlatformOptions {
  std::string platform = "loggp-example";
  std::vector<std::string> overrides;
  std::string map = "block";
  std::uint64_t seed = 1;

  void add_platform(Command& command);
  /// --set, --map and --seed.
  void add_details(Command& command);
  Platform load() const { return Platform::load(platform, overrides); }
};

/// Where results go.
struct OutputOptions {
  std::string json;
  std::string csv;
  std::string trace;
  std::string page;
  bool timing = false;
  bool quiet = false;
  bool counters = false;
  bool critical_path = false;

  void add(Command& command);
  /// Before a run that may take long. @throws Error if the results can't be written where they should go
  void check() const;
  /// What says what has become of the trace that --trace asks for.
  std::function<void(const std::string&)> said_of_trace() const;
  /// Of a run that did not come to its end: which files have not been written.
  /// @param page_is_there  the page has, of what came before a deadlock
  void tell_unwritten(bool page_is_there) const;
  /// Whether anything shows the critical path.
  bool show_path() const { return critical_path || !page.empty(); }
  /// Whether anything shows what the network's links have carried.
  bool show_links() const { return counters || !json.empty() || !quiet; }
  /// Summary on standard output unless --quiet; files as asked for.
  /// @param counted  by network and transport, shown with --counters
  /// @param links  of the network, all in the JSON, with --counters the busiest as a table
  /// @param path  the critical one, with --critical-path in the summary and the JSON; null: not known
  void report(const RunStatistics& statistics, const RunDescription& description, WallTime wall,
              std::span<const CounterTable> counted = {}, const NetworkLinks& links = {},
              const CriticalPath* path = nullptr) const;
};

}  // namespace morgana::cli
