#include <fmt/format.h>

#include <cmath>

#include "cli/traffic_report.h"
#include "emulator/report/bottleneck.h"

namespace morgana::cli {
namespace {

/// Mean and greatest of the cables between switches.
RunningStatistics cables(const NetworkTraffic& traffic) {
  RunningStatistics statistics;
  for (const LinkLoad& link : traffic.links.loads)
    if (!link.from.is_host() && !link.to.is_host()) statistics.add(link.utilisation);
  return statistics;
}

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

/// "-" for what was not measured, or can't be told.
std::string known(bool measured, const std::string& format, double value) {
  return measured && std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::vector<std::string> cells(const LoadedPoint& point) {
  constexpr double percent = 100;
  const TrafficResult& result = point.traffic.result;
  const RunningStatistics used = cables(point.traffic);
  const bool measured = result.measured(), arrived = result.delivered > 0, joined = used.count() > 0;
  std::vector<std::string> row{number(point.load),
                               known(measured, "{:.4g}", point.traffic.accepted.mean),
                               known(measured, "{:.2g}", point.traffic.accepted.radius),
                               known(arrived, "{:.0f}", result.latency.mean),
                               known(arrived, "{:.0f}", result.latency.radius),
                               known(arrived, "{:.0f}", result.latencies.median()),
                               known(arrived, "{:.0f}", result.latencies.quantile(0.95)),
                               known(arrived, "{:.0f}", result.latencies.quantile(0.99)),
                               known(measured && joined, "{:.1f}", percent * used.mean()),
                               known(measured && joined, "{:.1f}", percent * used.maximum())};
  if (point.myrinet) row.push_back(fmt::format("{}", point.myrinet->most_in_transit_packets));
  row.push_back(fmt::format("{}", result.lost));
  return row;
}

std::string note_on(const TrafficSettings& settings, const LoadedPoint& point) {
  const NetworkTraffic& traffic = point.traffic;
  if (point.deadlock())
    return fmt::format("At {:g} it is a deadlock: these routes allow one, and nothing moves any more.",
                       point.load);
  if (traffic.result.stalled)
    return fmt::format("At {:g} the network carries next to nothing: given up.", point.load);
  // A network can't pass on more than it is given; short batches begin and end with what is under way.
  constexpr double by_chance = 1.02;
  if (traffic.accepted.least() > by_chance * point.load)
    return fmt::format(
        "At {:g} more seems to be accepted than is generated: {} messages are too few for {} batches; ask "
        "for "
        "more --messages.",
        point.load, settings.messages, settings.batches);
  return "";
}

/// Signs of trouble, warm-up included, and the links that were busy most of the time, or because of these.
std::string bottleneck_at(const LoadedPoint& point) {
  constexpr std::size_t most_links = 3;
  constexpr double telling_utilisation = 0.5;
  const std::string trouble = trouble_text(point.traffic.troubles);
  const std::string busiest =
      busiest_links_text(point.traffic.links, most_links, trouble.empty() ? telling_utilisation : 0);
  if (trouble.empty() && busiest.empty()) return "";
  std::string note = fmt::format("At {:g}:", point.load);
  if (!trouble.empty()) note += fmt::format(" {}{}", trouble, busiest.empty() ? "" : ";");
  if (!busiest.empty()) note += " busiest links " + busiest;
  return note;
}

/// How packets wait for each other, once for all loads.
std::string circle_of(const LoadedNetwork& network, const TrafficOutcome& outcome) {
  for (const LoadedPoint& point : outcome.points)
    if (point.deadlock())
      return "Packets can wait for each other so, for example:\n" +
             describe(network.graph, point.myrinet->deadlock);
  return "";
}

}  // namespace

Table traffic_table(const TrafficOutcome& outcome) {
  std::vector<std::string> columns{"load",   "accepted", "+-",   "latency",  "+-",
                                   "median", "95 %",     "99 %", "cables %", "busiest %"};
  if (outcome.points.front().myrinet) columns.push_back("in transit");
  columns.push_back("lost");
  Table table(columns);
  for (const LoadedPoint& point : outcome.points) table.add(cells(point));
  return table;
}

std::vector<std::string> traffic_conditions(const TrafficOptions& options, const LoadedNetwork& network) {
  const TrafficSettings settings = options.settings();
  return {
      fmt::format("{} hosts at {} switches ({}{}), {} routes; {}, {} B, {} generation, seed {}",
                  network.graph.hosts(), network.graph.switches(),
                  network.platform.empty() ? "" : "platform ", network.name, network.routes_word,
                  options.pattern, options.length, options.process, options.seed),
      fmt::format("Loads and accepted traffic in payload {}, latencies in ns from generation; {} messages "
                  "after {} of warm-up, 90 % intervals from {} batches.",
                  network.load_unit(), settings.messages, settings.warm_up, settings.batches)};
}

std::vector<std::string> traffic_notes(const TrafficOptions& options, const TrafficOutcome& outcome) {
  std::vector<std::string> notes;
  for (const LoadedPoint& point : outcome.points) {
    if (std::string note = note_on(options.settings(), point); !note.empty())
      notes.push_back(std::move(note));
    if (std::string note = bottleneck_at(point); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

std::string saturation_text(const TrafficOutcome& outcome) {
  if (!outcome.saturation) return "";
  return fmt::format("saturation: peak {} accepted (at a load of {}), latency doubled at a load of {}",
                     number(outcome.saturation->peak), number(outcome.saturation->peak_load),
                     number(outcome.saturation->knee));
}

std::string traffic_text(const TrafficOptions& options, const LoadedNetwork& network,
                         const TrafficOutcome& outcome) {
  std::string text;
  for (const std::string& condition : traffic_conditions(options, network)) text += condition + '\n';
  text += '\n' + traffic_table(outcome).text();
  for (const std::string& note : traffic_notes(options, outcome)) text += note + '\n';
  text += circle_of(network, outcome);
  if (outcome.saturation) text += '\n' + saturation_text(outcome) + '\n';
  return text;
}

}  // namespace morgana::cli
