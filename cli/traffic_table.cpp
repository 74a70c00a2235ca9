#include <fmt/format.h>

#include "cli/traffic_report.h"

namespace morgana::cli {
namespace {

/// Mean and greatest of the cables between switches.
RunningStatistics cables(const SwitchGraph& graph, const MyrinetTraffic& traffic) {
  RunningStatistics statistics;
  for (const CableChannel channel : switch_channels(graph)) statistics.add(traffic.utilisation[channel]);
  return statistics;
}

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

std::vector<std::string> cells(const SwitchGraph& graph, const LoadedPoint& point) {
  constexpr double percent = 100;
  const TrafficResult& result = point.traffic.result;
  const RunningStatistics used = cables(graph, point.traffic);
  return {number(point.load),
          number(point.traffic.accepted.mean),
          fmt::format("{:.2g}", point.traffic.accepted.radius),
          fmt::format("{:.0f}", result.latency.mean),
          fmt::format("{:.0f}", result.latency.radius),
          fmt::format("{:.0f}", result.latencies.median()),
          fmt::format("{:.0f}", result.latencies.quantile(0.95)),
          fmt::format("{:.0f}", result.latencies.quantile(0.99)),
          fmt::format("{:.1f}", percent * used.mean()),
          fmt::format("{:.1f}", percent * used.maximum()),
          fmt::format("{}", point.traffic.most_in_transit_packets),
          fmt::format("{}", result.lost)};
}

}  // namespace

Table traffic_table(const SwitchGraph& graph, const TrafficOutcome& outcome) {
  Table table({"load", "accepted", "+-", "latency", "+-", "median", "95 %", "99 %", "cables %", "busiest %",
               "in transit", "lost"});
  for (const LoadedPoint& point : outcome.points) table.add(cells(graph, point));
  return table;
}

std::string traffic_text(const TrafficOptions& options, const LoadedNetwork& network,
                         const TrafficOutcome& outcome) {
  const TrafficSettings settings = options.settings();
  std::string text = fmt::format(
      "{} hosts at {} switches ({}{}), {} routes; {}, {} B, {} generation, seed {}\n", network.graph.hosts(),
      network.graph.switches(), network.platform.empty() ? "" : "platform ", network.name,
      network.routes_word, options.pattern, options.length, options.process, options.seed);
  text += fmt::format(
      "Loads and accepted traffic in payload flits/ns/switch, latencies in ns from generation; {} messages "
      "after {} of warm-up, 90 % intervals from {} batches.\n\n",
      settings.messages, settings.warm_up, settings.batches);
  text += traffic_table(network.graph, outcome).text();
  for (const LoadedPoint& point : outcome.points) {
    if (point.traffic.result.stalled)
      text += fmt::format("At {:g} the network carries next to nothing: given up.\n", point.load);
  }
  if (outcome.saturation) {
    text += fmt::format("\nsaturation: peak {} accepted (at a load of {}), latency doubled at a load of {}\n",
                        number(outcome.saturation->peak), number(outcome.saturation->peak_load),
                        number(outcome.saturation->knee));
  }
  return text;
}

}  // namespace morgana::cli
