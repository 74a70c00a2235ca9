#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/options.h"
#include "cli/common/placement_options.h"
#include "emulator/platform/platform.h"
#include "emulator/platform/platform_hint.h"
#include "emulator/report/limits/critical_path.h"
#include "emulator/report/run_report.h"

namespace morgana::cli {

/// -p, --platform.
Option* add_platform(Command& command, std::string& platform);
Option* add_platform(Command& command, std::optional<std::string>& platform);
/// --set.
void add_overrides(Command& command, std::vector<std::string>& overrides);

/// The platform where none is named: a cluster of today whose links and switches are shared.
constexpr const char* usual_platform = "hdr-fat-tree";
/// Says which platform is used where the user names none.
std::string usual_platform_notice(const Platform& loaded);
/// What the user's own files and overrides change or ignore without an error; also with --quiet, as the
/// result is not what was asked for. A worker of another process prints nothing.
void print_platform_notices(const Platform& platform);

/// Platforms with what overrides change or leave on them.
using HintsByPlatform = std::vector<std::pair<std::string, std::vector<PlatformHint>>>;
/// Below the results, each sentence once, with the platforms where it is not of all of them. Of several
/// sentences about one key on one platform (points of a sweep) the longest one. Nothing with --quiet.
void print_hints(const HintsByPlatform& hints, bool quiet);
void print_hints(const Platform& platform, bool quiet);

/// RunDescription::map: none on nodes of GPUs, where other places than a node after the other are slower.
std::string map_for_hints(const Platform& platform, const std::string& map);

/// That no message used the network, as all ranks share a host though there could be more; empty otherwise.
/// @param more_hosts  how there may be more, as a clause: hint_for_more_hosts()
std::string one_host_notice(const RunStatistics& statistics, const Platform& platform,
                            const std::string& more_hosts);

/// Options that several subcommands share, with the same names and meaning everywhere.
struct PlatformOptions {
  std::optional<std::string> named;  ///< nothing: usual_platform
  std::vector<std::string> overrides;
  PlacementOptions map;
  std::uint64_t seed = 1;

  void add_platform(Command& command);
  /// --set, --map, --ranks-per-host and --seed.
  void add_details(Command& command);
  std::string platform() const { return named.value_or(usual_platform); }
  /// What reports say of it: name, overrides, placement and seed.
  void describe(RunDescription& description) const {
    description.overrides = overrides;
    description.map = map.text();
    description.seed = seed;
  }
  Platform load() const { return Platform::load(platform(), overrides); }
  /// Says which platform it is if none was named, and prints its notices, the first time it is called: once
  /// the run goes on, so that a request that can't be met is answered with its one sentence. @param quiet
  /// only what makes the result another than was asked for
  void introduce(const Platform& loaded, bool quiet) const;

 private:
  mutable bool introduced_ = false;
};

/// Of a critical path that is not asked for: stretches and waits that are kept, some 200 MB.
inline constexpr std::size_t usual_path_limit = 4'000'000;

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
  /// Whether anything shows the critical path; the summary does, in a line.
  bool show_path() const { return critical_path || !page.empty() || !quiet; }
  /// How much of the run may be kept for that: without limit where it is asked for.
  std::size_t path_limit() const;
  /// Whether anything shows counts of network and transport; summary and JSON name signs of trouble.
  bool show_counters() const { return counters || !json.empty() || !quiet || !page.empty(); }
  /// Whether anything shows what the network's links have carried.
  bool show_links() const { return counters || !json.empty() || !quiet || !page.empty(); }
  /// Summary on standard output unless --quiet; files as asked for.
  /// @param counted  by network and transport: all with --counters, else what is a sign of trouble
  /// @param links  of the network, all in the JSON, with --counters the busiest as a table
  /// @param path  the critical one: in the summary a line, with --critical-path more, and in the JSON; null:
  /// not known
  void report(const RunStatistics& statistics, const RunDescription& description, WallTime wall,
              std::span<const CounterTable> counted = {}, const NetworkLinks& links = {},
              const CriticalPath* path = nullptr) const;
};

}  // namespace morgana::cli
