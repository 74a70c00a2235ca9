#include "emulator/report/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/report/call_report.h"
#include "emulator/report/counters.h"
#include "emulator/report/host_report.h"
#include "emulator/report/json_text.h"
#include "emulator/report/limits/critical_path_report.h"
#include "emulator/report/link_report.h"
#include "emulator/report/readable.h"
#include "emulator/report/settings_text.h"
#include "emulator/report/table.h"

namespace morgana {
namespace {

using PerRank = RunStatistics::PerRank;

std::vector<std::string> row(std::string name, const PerRank& rank) {
  return {std::move(name),
          readable(rank.time()),
          readable(rank.compute()),
          readable(rank.communication),
          readable_share(rank.communication_share()),
          fmt::format("{}", rank.messages_sent),
          readable(rank.bytes_sent),
          fmt::format("{}", rank.messages_received),
          readable(rank.bytes_received),
          fmt::format("{}", rank.collectives)};
}

/// One column of all ranks, reduced to three: least, mean, greatest.
template <typename Value, typename Show>
void add_extremes(std::vector<std::vector<std::string>>& rows, std::span<const PerRank> ranks, Value value,
                  Show show) {
  double least = value(ranks.front()), greatest = least, sum = 0;
  for (const PerRank& rank : ranks) {
    const double v = value(rank);
    least = std::min(least, v);
    greatest = std::max(greatest, v);
    sum += v;
  }
  rows[0].push_back(show(least));
  rows[1].push_back(show(sum / static_cast<double>(ranks.size())));
  rows[2].push_back(show(greatest));
}

std::string size_of(double bytes) {
  return readable(Bytes(static_cast<std::int64_t>(bytes)));
}
std::string count_of(double count) {
  return fmt::format("{:.0f}", count);
}

std::vector<std::vector<std::string>> extremes(std::span<const PerRank> ranks) {
  std::vector<std::vector<std::string>> rows{{"least"}, {"mean"}, {"greatest"}};
  const auto add = [&](auto value, auto show) { add_extremes(rows, ranks, value, show); };
  add([](const PerRank& r) { return r.time().seconds(); }, readable_seconds);
  add([](const PerRank& r) { return r.compute().seconds(); }, readable_seconds);
  add([](const PerRank& r) { return r.communication.seconds(); }, readable_seconds);
  add([](const PerRank& r) { return r.communication_share(); }, readable_share);
  add([](const PerRank& r) { return static_cast<double>(r.messages_sent); }, count_of);
  add([](const PerRank& r) { return static_cast<double>(r.bytes_sent.count()); }, size_of);
  add([](const PerRank& r) { return static_cast<double>(r.messages_received); }, count_of);
  add([](const PerRank& r) { return static_cast<double>(r.bytes_received.count()); }, size_of);
  add([](const PerRank& r) { return static_cast<double>(r.collectives); }, count_of);
  return rows;
}

nlohmann::ordered_json as_json(const PerRank& rank) {
  return {{"begin_ps", rank.begin.ps()},
          {"end_ps", rank.end.ps()},
          {"compute_ps", rank.compute().ps()},
          {"communication_ps", rank.communication.ps()},
          {"interrupted_ps", rank.interrupted.ps()},
          {"communication_share", rank.communication_share()},
          {"messages_sent", rank.messages_sent},
          {"bytes_sent", rank.bytes_sent.count()},
          {"messages_received", rank.messages_received},
          {"bytes_received", rank.bytes_received.count()},
          {"collectives", rank.collectives}};
}

std::int64_t ps_of(double seconds) {
  return SimTime::from_seconds(seconds).ps();
}

double slowdown(const RunStatistics& statistics, WallTime wall) {
  const double simulated = statistics.simulated_time().seconds();
  return simulated > 0 ? wall.seconds / simulated : 0;
}

}  // namespace

std::string placement_text(const std::string& map) {
  if (map == RunDescription().map) return "";
  const std::size_t colon = map.rfind(':');
  if (colon == std::string::npos) return map;
  // "random:SEED:N" and else "RULE:N"; "random:SEED" has its seed alone, and a file may be called anything.
  const std::string rule = map.substr(0, map.find(':')), number = map.substr(colon + 1);
  if (rule == "random")
    return rule.size() == colon ? fmt::format("random, seed {}", number)
                                : fmt::format("random, seed {}, {} to a host",
                                              map.substr(rule.size() + 1, colon - rule.size() - 1), number);
  if (rule.size() != colon || (rule != "block" && rule != "cyclic" && rule != "spread")) return map;
  return fmt::format("{}, {} to a host", rule, number);
}

std::vector<BottleneckLine> setting_lines(const RunStatistics& statistics,
                                          const RunDescription& description) {
  std::vector<BottleneckLine> lines;
  const auto add = [&](std::string label, std::string text) {
    if (!text.empty()) lines.push_back({std::move(label), std::move(text)});
  };
  add("set", settings_text(description.overrides));
  add("placement", placement_text(description.map));
  if (description.seed != RunDescription().seed) add("seed", fmt::format("{}", description.seed));
  if (statistics.hosts() && statistics.ranks().size() > 1)
    add("hosts", text_of(*statistics.hosts(), statistics.ranks().size()));
  for (std::size_t i = 0; i < description.jobs.size(); ++i)
    add(fmt::format("job {}", i + 1), job_text(description.jobs[i]));
  if (statistics.background()) add("background", text_of(*statistics.background()));
  add("compute time", description.compute);
  if (description.execution) add("overlap", execution_text(*description.execution));
  add("collectives", description.collectives.empty() && description.openmpi_collectives
                         ? "by Open MPI 4.1's algorithms"
                         : description.collectives);
  return lines;
}

std::string run_summary(const RunStatistics& statistics, const RunDescription& description,
                        std::optional<WallTime> wall, std::size_t rank_limit,
                        std::span<const BottleneckLine> bottleneck) {
  const std::span<const PerRank> ranks = statistics.ranks();
  std::string text = fmt::format("--- {} | {} {} | {}\n", description.subject, ranks.size(),
                                 ranks.size() == 1 ? "rank" : "ranks", description.platform);
  text += fmt::format("{}  {}\n", description.native ? "measured time " : "simulated time",
                      readable(statistics.simulated_time()));

  text += bottleneck_text(setting_lines(statistics, description));
  text += bottleneck_text(bottleneck);
  if (description.execution) text += collectives_text(*description.execution);

  // What streams of an execution trace compute passes beside each other: "overlap" has its division of time.
  // Its collectives are messages here, and have a table of their own.
  // PVM has no collectives: what its groups do is messages, which its daemon (no rank) has a part in.
  const bool no_collectives = statistics.first_rank() > 0 && statistics.total().collectives == 0;
  const auto shown = [&](std::vector<std::string> cells) {
    constexpr std::ptrdiff_t compute = 2, behind_share = 5;
    if (description.execution || no_collectives) cells.pop_back();
    if (!description.execution) return cells;
    cells.erase(cells.begin() + compute, cells.begin() + behind_share);
    return cells;
  };
  TextTable table(shown({"rank", "time", "compute", "communication", "share", "sent", "bytes", "received",
                         "bytes", "collectives"}));
  if (ranks.size() <= rank_limit) {
    for (std::size_t i = 0; i < ranks.size(); ++i)
      table.add(shown(row(fmt::format("{}", statistics.first_rank() + i), ranks[i])));
  } else {
    for (auto& line : extremes(ranks)) table.add(shown(std::move(line)));
  }
  if (ranks.size() > 1) {
    std::vector<std::string> all = row("all", statistics.total());
    for (const std::size_t time : {1U, 2U, 3U})
      all[time].clear();  // a sum of times that pass side by side says nothing
    table.add(shown(std::move(all)));
  }
  text += table.text("  ");
  text += calls_text(statistics.calls(), statistics.total().communication);

  if (const SimTime interrupted = statistics.total().interrupted; interrupted > SimTime())
    text += fmt::format(
        "interrupted  {} of ranks' time outside of their waiting, by kernels and other ranks' turns\n",
        readable(interrupted));
  const Distribution& latency = statistics.latency();
  if (latency.summary().count() > 0) {
    text += fmt::format("latency  mean {}, median {}, 99th percentile {} ({} messages{})\n",
                        readable_seconds(latency.summary().mean()), readable_seconds(latency.median()),
                        readable_seconds(latency.quantile(0.99)), latency.summary().count(),
                        description.execution ? ", those of collectives included" : " point to point");
  }
  if (wall) {
    text += fmt::format("wall time  {}", readable_seconds(wall->seconds));
    if (!description.native && statistics.simulated_time() > SimTime()) {
      text += fmt::format(", slowdown {}", readable_number(slowdown(statistics, *wall), 3));
    }
    text += '\n';
  }
  return text;
}

std::string run_json(const RunStatistics& statistics, const RunDescription& description,
                     std::optional<WallTime> wall, std::span<const CounterTable> counters,
                     const NetworkLinks& links, const CriticalPath* path,
                     std::span<const TroubleCount> troubles, std::span<const BottleneckLine> bottleneck) {
  const PerRank total = statistics.total();
  const Distribution& latency = statistics.latency();
  nlohmann::ordered_json report{{"simulated_time_ps", statistics.simulated_time().ps()},
                                {"platform", description.platform},
                                {"subject", description.subject},
                                {"measured", description.native},
                                {"seed", description.seed},
                                {"compute_scale", description.compute_scale},
                                {"ranks", statistics.ranks().size()}};
  if (!description.machine_scales.empty()) report["machine_compute_scales"] = description.machine_scales;
  if (!description.overrides.empty()) report["overrides"] = description.overrides;
  if (description.map != RunDescription().map) report["map"] = description.map;
  if (statistics.hosts()) report["hosts"] = host_use_json(*statistics.hosts());
  if (statistics.background()) report["background"] = background_use_json(*statistics.background());
  if (description.openmpi_collectives) report["collective_library"] = "openmpi";
  if (!description.jobs.empty()) report["jobs"] = jobs_json(description.jobs);
  if (!description.slow_ranks.empty()) report["slow_ranks"] = description.slow_ranks;
  if (!description.compute_noise.empty()) report["compute_noise"] = description.compute_noise;
  if (description.execution) report["execution"] = execution_json(*description.execution);
  report["total"] = as_json(total);
  report["latency"] = {{"messages", latency.summary().count()},
                       {"mean_ps", ps_of(latency.summary().mean())},
                       {"median_ps", ps_of(latency.median())},
                       {"p99_ps", ps_of(latency.quantile(0.99))},
                       {"max_ps", ps_of(latency.summary().maximum())}};
  report["calls"] = calls_json(statistics.calls(), !description.native);
  report["per_rank"] = nlohmann::ordered_json::array();
  std::size_t number = statistics.first_rank();
  for (const PerRank& rank : statistics.ranks()) {
    report["per_rank"].push_back(as_json(rank));
    report["per_rank"].back()["calls"] =
        calls_json(statistics.calls(Rank(static_cast<std::int32_t>(number++))), !description.native);
  }
  if (description.straggler) report["straggler"] = straggler_json(*description.straggler);
  for (const BottleneckLine& line : bottleneck)
    report["bottleneck"].push_back({{"label", line.label}, {"text", line.text}});
  if (path != nullptr) report["critical_path"] = critical_path_json(*path);
  for (const TroubleCount& one : troubles)
    if (one.count != 0)
      report["trouble"].push_back({{"of", one.title}, {"name", one.name}, {"count", one.count}});
  if (!counters.empty()) report["counters"] = counters_json(counters);
  if (!links.loads.empty()) report["links"] = links_json(links);
  if (wall) report["wall"] = {{"seconds", wall->seconds}, {"slowdown", slowdown(statistics, *wall)}};
  // A command line may hold bytes that are no UTF-8: they are replaced, not refused.
  return json_text(report);
}

std::string run_csv(const RunStatistics& statistics) {
  const CallColumns calls = call_columns(statistics);
  std::vector<std::string> heading{"rank",           "begin_ps",         "end_ps",
                                   "compute_ps",     "communication_ps", "interrupted_ps",
                                   "messages_sent",  "bytes_sent",       "messages_received",
                                   "bytes_received", "collectives"};
  heading.insert(heading.end(), calls.heading.begin(), calls.heading.end());
  TextTable table(heading);
  std::size_t number = statistics.first_rank();
  for (const PerRank& rank : statistics.ranks()) {
    const auto cell = [](auto value) { return fmt::format("{}", value); };
    const std::vector<std::string>& of_calls = calls.lines[number - statistics.first_rank()];
    std::vector<std::string> row{cell(number++),
                                 cell(rank.begin.ps()),
                                 cell(rank.end.ps()),
                                 cell(rank.compute().ps()),
                                 cell(rank.communication.ps()),
                                 cell(rank.interrupted.ps()),
                                 cell(rank.messages_sent),
                                 cell(rank.bytes_sent.count()),
                                 cell(rank.messages_received),
                                 cell(rank.bytes_received.count()),
                                 cell(rank.collectives)};
    row.insert(row.end(), of_calls.begin(), of_calls.end());
    table.add(std::move(row));
  }
  return table.csv();
}

}  // namespace morgana
