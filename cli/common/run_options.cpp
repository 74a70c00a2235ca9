#include "cli/common/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/common/options.h"
#include "cli/common/recording.h"
#include "cli/common/result_files.h"
#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/core/standard_error.h"
#include "emulator/platform/platform_network.h"
#include "emulator/report/counters.h"
#include "emulator/report/limits/bottleneck.h"
#include "emulator/report/limits/critical_path_report.h"
#include "emulator/report/link_report.h"
#include "emulator/report/output_file.h"
#include "runs/shared_runs.h"

namespace morgana::cli {

namespace {

constexpr const char* meaning_of_platform =
    "Name of a platform (`morgana platforms` lists them) or a TOML file";

}  // namespace

Option* add_platform(Command& command, std::string& platform) {
  return command.add("-p,--platform", &platform, meaning_of_platform)->type_name("NAME|FILE");
}

Option* add_platform(Command& command, std::optional<std::string>& platform) {
  return command.add("-p,--platform", &platform, meaning_of_platform)->type_name("NAME|FILE");
}

void print_platform_notices(const Platform& platform) {
  if (!is_worker()) print_notices(platform.notices());
}

void print_hints(const HintsByPlatform& hints, bool quiet) {
  if (quiet || is_worker()) return;
  std::vector<std::pair<std::string, PlatformHint>> chosen;  // by platform and key
  std::set<std::string> platforms;
  for (const auto& [platform, own] : hints) {
    platforms.insert(platform);
    for (const PlatformHint& hint : own) {
      const auto known = std::ranges::find_if(chosen, [&, &name = platform](const auto& one) {
        return one.first == name && one.second.about == hint.about;
      });
      if (known == chosen.end())
        chosen.emplace_back(platform, hint);
      else if (known->second.text.size() < hint.text.size())
        known->second = hint;
    }
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> sentences;  // with platforms
  for (const auto& [platform, hint] : chosen) {
    const auto known = std::ranges::find(sentences, hint.text, [](const auto& one) { return one.first; });
    (known == sentences.end() ? sentences.emplace_back(hint.text, std::vector<std::string>()) : *known)
        .second.push_back(platform);
  }
  std::fflush(stdout);  // the results come first
  for (const auto& [text, names] : sentences)
    print_notices({names.size() == platforms.size()
                       ? text
                       : fmt::format("on {}, {}", fmt::join(names, " and "), text)});
}

void print_hints(const Platform& platform, bool quiet) {
  print_hints({{platform.name(), PlatformNetwork::hints(platform)}}, quiet);
}

std::string one_host_notice(const RunStatistics& statistics, const Platform& platform,
                            const std::string& more_hosts) {
  const std::optional<HostUse>& use = statistics.hosts();
  const std::size_t ranks = statistics.ranks().size();
  if (!use || use->hosts != 1 || ranks < 2 || use->between.messages > 0 || platform.hosts() == 1) return "";
  return fmt::format("no message used the network: all {} ranks are on one host with {} processor{}{}", ranks,
                     use->processors, use->processors == 1 ? "" : "s", more_hosts);
}

std::string map_for_hints(const Platform& platform, const std::string& map) {
  return platform.collective_library() == CollectiveLibrary::nccl ? "" : map;
}

std::string usual_platform_notice(const Platform& loaded) {
  return fmt::format("no --platform is given: this is {}, {}; `morgana platforms` lists others",
                     loaded.name(), loaded.description());
}

void PlatformOptions::introduce(const Platform& loaded, bool quiet) const {
  if (std::exchange(introduced_, true)) return;
  if (!named && !quiet) print_notices({usual_platform_notice(loaded)});
  print_platform_notices(loaded);
}

void add_overrides(Command& command, std::vector<std::string>& overrides) {
  command
      .add("--set", &overrides,
           "Override a key of the platform, with its unit, or multiply it (x2); may be repeated. "
           "network.bandwidth and network.latency work on every platform")
      ->type_name("KEY=VALUE")
      ->may_be_repeated();
}

void PlatformOptions::add_platform(Command& command) {
  cli::add_platform(command, named)->show_default(usual_platform);
}

void PlatformOptions::add_details(Command& command) {
  add_overrides(command, overrides);
  map.add(command);
  command.add("--seed", &seed, "Seed of all random choices")
      ->type_name("NUMBER")
      ->check(seed_number())
      ->show_default();
}

void OutputOptions::add(Command& command) {
  command
      .add("--json", &json,
           "Write the results as JSON (times in picoseconds); - is standard output: the summary and the "
           "program then print on standard error")
      ->type_name("FILE");
  command.add("--csv", &csv, "Write one line per rank (times in picoseconds); - as for --json")
      ->type_name("FILE");
  command
      .add("--trace", &trace,
           "Record the run as an OTF2 trace in simulated time; replaces an older trace of Morgana's")
      ->type_name("DIR");
  command
      .add("--report", &page,
           "Draw the run as a web page: each rank's calls over time, with messages as arrows; see `morgana "
           "report`")
      ->type_name("FILE.html")
      ->check(name_of_page());
  command.add("--timing", &timing,
              "Add wall time and slowdown to the JSON, which then differs from run to run");
  command.add("--counters", &counters,
              "Show counters of the network and the transport, and the busiest links; also in the JSON");
  command.add("--critical-path", &critical_path,
              "Show the longest chain of causes through ranks and messages, where its time goes, and the "
              "most that a faster machine would save; also in the JSON");
  command.add("-q,--quiet", &quiet,
              "No summary, no progress bar; only notes that the result differs from what was asked for");
}

void OutputOptions::check() const {
  claim_results({{"--json", json}, {"--csv", csv}, {"--trace", trace, false}, {"--report", page}});
}

std::size_t OutputOptions::path_limit() const {
  return critical_path || !page.empty() ? std::numeric_limits<std::size_t>::max() : usual_path_limit;
}

std::function<void(const std::string&)> OutputOptions::said_of_trace() const {
  return [asked = !trace.empty()](const std::string& sentence) {
    if (asked) print_error(fmt::format("morgana: {}\n", sentence));
  };
}

void OutputOptions::tell_unwritten(bool page_is_there) const {
  std::vector<std::string> files;
  for (const std::string& file : {json, csv, page_is_there ? "" : page})
    if (!file.empty()) files.push_back(file);
  if (!files.empty())
    print_error(fmt::format("morgana: not written, as the run did not come to its end: {}\n",
                            fmt::join(files, ", ")));
}

void OutputOptions::report(const RunStatistics& statistics, const RunDescription& description, WallTime wall,
                           std::span<const CounterTable> counted, const NetworkLinks& links,
                           const CriticalPath* path) const {
  const std::vector<TroubleCount> troubles = troubles_in(counted);
  const std::vector<BottleneckLine> bottleneck = bottleneck_lines(
      statistics, path, counted, links, description.straggler ? &*description.straggler : nullptr,
      description.hint_map, description.jobs, description.execution ? &*description.execution : nullptr);
  if (!critical_path) path = nullptr;
  if (!counters) counted = {};
  if (!quiet) {
    std::fflush(stdout);
    fmt::print("{}{}{}{}", run_summary(statistics, description, wall, summary_rank_limit, bottleneck),
               path != nullptr ? critical_path_text(*path, statistics.first_rank()) : "",
               counters_text(counted), counters && !lists_links(counted) ? links_text(links) : "");
    if (counters && counted.empty() && links.loads.empty())
      fmt::print("counters: this platform's network and transport count nothing\n");
    std::fflush(stdout);
  }
  if (!json.empty()) {
    write_output(json, run_json(statistics, description, timing ? std::optional(wall) : std::nullopt, counted,
                                links, path, troubles, bottleneck));
  }
  if (!csv.empty()) write_output(csv, run_csv(statistics));
}

}  // namespace morgana::cli
