#include "replay/comparison.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "emulator/report/host_report.h"
#include "emulator/report/json_text.h"
#include "emulator/report/latency_note.h"
#include "emulator/report/limits/critical_path_report.h"
#include "emulator/report/link_report.h"
#include "emulator/report/readable.h"
#include "emulator/report/run_report.h"
#include "emulator/report/settings_text.h"
#include "emulator/report/table.h"
#include "replay/translation/trace_translation.h"

namespace morgana {
namespace {

/// For programs that read results.
const char* word_of(Recorded recorded) {
  switch (recorded) {
    case Recorded::by_processor_time:
      return "processor-time";
    case Recorded::in_real_time:
      return "real";
    case Recorded::before:
      break;
  }
  return "trace";
}

const char* sentence_of(Recorded recorded) {
  return recorded == Recorded::by_processor_time
             ? "by the CPU time that its ranks use, in an emulated run"
             : "over the real MPI or PVM, where waiting for a processor counts as computing";
}

/// A line for each text, with the names that share it.
using NamesByText = std::vector<std::pair<std::string, std::string>>;
void add_name(NamesByText& lines, const std::string& text, const std::string& name) {
  const auto known = std::ranges::find(lines, text, &NamesByText::value_type::first);
  if (known == lines.end())
    lines.emplace_back(text, name);
  else
    known->second += ", " + name;
}

std::string lines_of(const NamesByText& lines, const char* what) {
  std::string text;
  for (const auto& [how, platforms] : lines) text += fmt::format("{} {}  {}\n", what, platforms, how);
  return text;
}

std::string ratio_text(double ratio) {
  return readable_ratio(ratio);
}

/// Of execution traces; else empty.
std::string executions_table(const Comparison& comparison) {
  TextTable table({"overlap", "computing", "exposed communication", "hidden behind computing", "idle"});
  for (const ComparedRun& run : comparison.runs) {
    if (!run.execution) continue;
    const ExecutionUse& use = *run.execution;
    table.add({run.platform, readable(use.computing + use.hidden), readable(use.exposed),
               readable(use.hidden), readable(use.idle)});
  }
  return table.rows().size() > 1 ? table.text() : "";
}

}  // namespace

ComparedRun compared_run(const std::string& platform, const RunStatistics& statistics, double compute_scale) {
  const RunStatistics::PerRank all = statistics.total();
  ComparedRun run;
  run.platform = platform;
  run.compute_scale = compute_scale;
  run.total = statistics.simulated_time();
  run.compute = statistics.mean_compute();
  run.communication = statistics.mean_communication();
  run.communication_share = all.communication_share();
  run.messages = all.messages_sent;
  run.mean_latency = statistics.latency().summary().mean();
  run.median_latency = statistics.latency().median();
  run.p99_latency = statistics.latency().quantile(0.99);
  run.ranks = statistics.ranks().size();
  run.hosts = statistics.hosts();
  run.background = statistics.background();
  return run;
}

void Comparison::add(ComparedRun run) {
  if (!runs.empty() && runs.front().total > SimTime()) {
    run.ratio = run.total.seconds() / runs.front().total.seconds();
  }
  runs.push_back(std::move(run));
}

TraceProperties modelled_properties(const Platform& platform, const Machine& machine,
                                    const std::string& program, std::size_t ranks_at_start,
                                    std::size_t services) {
  TraceProperties properties;
  properties.program = program;
  properties.platform = platform.name();
  properties.compute_scale = platform.compute_scale();
  for (std::size_t i = 0; i < ranks_at_start; ++i)
    properties.host_of.push_back(modelled_host_name(index(machine.host_of.at(i))));
  properties.services = services;
  properties.tags_name_endpoints = machine.endpoints.named == EndpointSettings::Named::tags ||
                                   machine.endpoints.named == EndpointSettings::Named::marked;
  return properties;
}

std::string two_libraries_notice(const Machine& machine, const char* what) {
  const CollectiveLibrary library = machine.collectives.library;
  if (library == CollectiveLibrary::mpich || library == CollectiveLibrary::openmpi) return "";
  return fmt::format(
      "not all {} were built for Open MPI, so the collectives of all have MPICH's algorithms; --set "
      "collectives.library=openmpi gives all of them Open MPI's",
      what);
}

std::string keep_broken_off(TraceWriter& writer, const std::filesystem::path& trace, const std::string& why) {
  std::string replaced;
  try {
    replaced = writer.finish(why);
  } catch (const Error& error) {
    return fmt::format("the trace {} can't be kept: {}", trace.string(), error.what());
  }
  return fmt::format("the trace {} holds what had ended before {}{}", trace.string(), why,
                     replaced.empty() ? "" : "; " + replaced);
}

std::string comparison_table(const Comparison& comparison) {
  const bool latencies =
      std::ranges::any_of(comparison.runs, [](const ComparedRun& run) { return run.mean_latency > 0; });
  std::vector<std::string> heading{"platform", "total", "compute", "communication", "share", "ratio"};
  if (latencies) heading.emplace_back("mean latency");
  TextTable table(std::move(heading));
  for (const ComparedRun& run : comparison.runs) {
    std::vector<std::string> row{run.platform,
                                 readable(run.total),
                                 readable(run.compute),
                                 readable(run.communication),
                                 readable_share(run.communication_share),
                                 ratio_text(run.ratio)};
    if (latencies) row.push_back(run.mean_latency > 0 ? readable_seconds(run.mean_latency) : "-");
    table.add(std::move(row));
  }
  std::string text = table.text();
  if (latencies)
    text += latency_note(std::ranges::any_of(
        comparison.runs, [](const ComparedRun& run) { return run.execution.has_value(); }));
  return text;
}

std::string reasons_table(const Comparison& comparison) {
  std::vector<PathKind> kinds;
  for (std::size_t kind = 0; kind < path_kinds; ++kind)
    if (std::ranges::any_of(comparison.runs, [&](const ComparedRun& run) {
          return run.path && run.path->at(kind) > SimTime();
        }))
      kinds.push_back(static_cast<PathKind>(kind));
  std::string text;
  if (!kinds.empty()) {
    std::vector<std::string> heading{"critical path"};
    for (const PathKind kind : kinds) heading.emplace_back(shown_name(kind));
    TextTable table(std::move(heading));
    for (const ComparedRun& run : comparison.runs) {
      std::vector<std::string> row{run.platform};
      for (const PathKind kind : kinds)
        row.push_back(run.path && run.path->total() > SimTime()
                          ? readable_share(run.path->time(kind).seconds() / run.path->total().seconds())
                          : "-");
      table.add(std::move(row));
    }
    text = table.text();
  }
  text += executions_table(comparison);
  for (const ComparedRun& run : comparison.runs)
    if (!run.limit.empty()) text += fmt::format("limit on {}  {}\n", run.platform, run.limit);
  return text;
}

std::vector<BottleneckLine> setting_lines(const Comparison& comparison) {
  std::vector<BottleneckLine> lines;
  const auto add = [&lines](const char* label, std::string text) {
    if (!text.empty()) lines.push_back({label, std::move(text)});
  };
  add("tasks", fmt::format("{}", fmt::join(comparison.shortfalls, "; ")));
  add("set", settings_text(comparison.overrides));
  add("placement", placement_text(comparison.map));
  add("beside", fmt::format("{}", fmt::join(comparison.beside, ", ")));
  return lines;
}

std::string host_lines(const Comparison& comparison) {
  NamesByText shared;
  for (const ComparedRun& run : comparison.runs)
    if (run.hosts && run.hosts->hosts != run.ranks)
      add_name(shared, text_of(*run.hosts, run.ranks), run.platform);
  return lines_of(shared, "hosts on");
}

std::string caution_about_hosts(const Comparison& comparison) {
  NamesByText numbers;
  for (const ComparedRun& run : comparison.runs)
    if (run.hosts) add_name(numbers, fmt::format("{}", run.hosts->hosts), run.platform);
  if (numbers.size() < 2) return "";
  std::string text;
  for (const auto& [number, platforms] : numbers)
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", number, platforms);
  return fmt::format(
      "platforms differ in how many hosts the ranks have, not only in their networks: {}; --ranks-per-host N "
      "gives them as many everywhere",
      text);
}

std::string background_lines(const Comparison& comparison) {
  std::string text;
  for (const ComparedRun& run : comparison.runs)
    if (run.background) text += fmt::format("background on {}  {}\n", run.platform, text_of(*run.background));
  return text;
}

std::string collective_lines(const Comparison& comparison) {
  NamesByText libraries;
  for (const ComparedRun& run : comparison.runs)
    if (run.openmpi_collectives) add_name(libraries, "by Open MPI 4.1's algorithms", run.platform);
  return lines_of(libraries, "collectives on");
}

std::string recording_lines(const Comparison& comparison) {
  NamesByText ways;
  for (const ComparedRun& run : comparison.runs)
    if (run.recorded != Recorded::before) add_name(ways, sentence_of(run.recorded), run.platform);
  return lines_of(ways, "recorded for");
}

std::string comparison_csv(const Comparison& comparison) {
  TextTable table({"platform",
                   "total_ps",
                   "compute_ps",
                   "communication_ps",
                   "communication_share",
                   "ratio",
                   "messages",
                   "mean_latency_ps",
                   "median_latency_ps",
                   "p99_latency_ps",
                   "hosts",
                   "share_within_hosts",
                   "recorded",
                   "computing_path_ps",
                   "host_path_ps",
                   "protocol_path_ps",
                   "wire_path_ps",
                   "retransmission_path_ps",
                   "waiting_path_ps",
                   "limit"});
  const auto ps = [](double seconds) { return fmt::format("{}", SimTime::from_seconds(seconds).ps()); };
  for (const ComparedRun& run : comparison.runs) {
    std::vector<std::string> row{run.platform,
                                 fmt::format("{}", run.total.ps()),
                                 fmt::format("{}", run.compute.ps()),
                                 fmt::format("{}", run.communication.ps()),
                                 fmt::format("{}", run.communication_share),
                                 fmt::format("{}", run.ratio),
                                 fmt::format("{}", run.messages),
                                 ps(run.mean_latency),
                                 ps(run.median_latency),
                                 ps(run.p99_latency),
                                 run.hosts ? fmt::format("{}", run.hosts->hosts) : "",
                                 run.hosts ? fmt::format("{}", run.hosts->share_within()) : "",
                                 word_of(run.recorded)};
    for (std::size_t kind = 0; kind < path_kinds; ++kind)
      row.push_back(run.path ? fmt::format("{}", run.path->at(kind).ps()) : "");
    row.push_back(run.limit);
    table.add(std::move(row));
  }
  return table.csv();
}

/// What each kind takes of the path, as in a run's JSON.
nlohmann::ordered_json path_shares_json(const PathTimes& path) {
  nlohmann::ordered_json json{{"total_ps", path.total().ps()}};
  for (std::size_t kind = 0; kind < path_kinds; ++kind)
    json[fmt::format("{}_ps", name_of(static_cast<PathKind>(kind)))] = path.at(kind).ps();
  return json;
}

std::string comparison_json(const Comparison& comparison) {
  nlohmann::ordered_json report{{"subject", comparison.subject}, {"seed", comparison.seed}};
  if (!comparison.overrides.empty()) report["overrides"] = comparison.overrides;
  if (comparison.map != Comparison().map) report["map"] = comparison.map;
  if (!comparison.beside.empty()) report["beside"] = comparison.beside;
  report["platforms"] = nlohmann::ordered_json::array();
  for (const ComparedRun& run : comparison.runs) {
    report["platforms"].push_back({{"platform", run.platform},
                                   {"simulated_time_ps", run.total.ps()},
                                   {"compute_ps", run.compute.ps()},
                                   {"communication_ps", run.communication.ps()},
                                   {"communication_share", run.communication_share},
                                   {"compute_scale", run.compute_scale},
                                   {"recorded", word_of(run.recorded)},
                                   {"ratio", run.ratio},
                                   {"messages", run.messages},
                                   {"mean_latency_ps", SimTime::from_seconds(run.mean_latency).ps()},
                                   {"median_latency_ps", SimTime::from_seconds(run.median_latency).ps()},
                                   {"p99_latency_ps", SimTime::from_seconds(run.p99_latency).ps()},
                                   {"stands_still", run.stands_still}});
    if (run.hosts) report["platforms"].back()["hosts"] = host_use_json(*run.hosts);
    if (run.openmpi_collectives) report["platforms"].back()["collective_library"] = "openmpi";
    if (run.background) report["platforms"].back()["background"] = background_use_json(*run.background);
    if (run.path) report["platforms"].back()["critical_path"] = path_shares_json(*run.path);
    if (run.execution) report["platforms"].back()["execution"] = execution_json(*run.execution);
    if (!run.limit.empty()) report["platforms"].back()["limit"] = run.limit;
    if (run.busiest_link)
      report["platforms"].back()["busiest_link"] = {{"link", run.busiest_link->link},
                                                    {"utilisation", run.busiest_link->utilisation}};
  }
  return json_text(report);
}

StackedBars comparison_bars(const Comparison& comparison) {
  StackedBars bars;
  bars.title = comparison.subject;
  for (const ComparedRun& run : comparison.runs)
    bars.add_run(run.platform, run.total.seconds(), run.compute.seconds(), run.communication.seconds(),
                 "x " + ratio_text(run.ratio));
  return bars;
}

}  // namespace morgana
