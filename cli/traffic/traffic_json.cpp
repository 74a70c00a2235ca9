#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/traffic/traffic_report.h"
#include "emulator/report/json_text.h"
#include "emulator/report/link_report.h"

namespace morgana::cli {
namespace {

/// null for what was not measured, or can't be told.
nlohmann::ordered_json known(bool measured, double value) {
  return measured && std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

nlohmann::ordered_json json_of(const TrafficOutcome& outcome, const LoadedPoint& point) {
  const TrafficResult& result = point.traffic.result;
  nlohmann::ordered_json entry{
      {"load", point.load},
      {"load_share", point.load / outcome.injection_limit},
      {"accepted", known(result.measured(), point.traffic.accepted.mean)},
      {"accepted_share", known(result.measured(), point.traffic.accepted.mean / outcome.injection_limit)},
      {"accepted_radius_90", known(result.measured(), point.traffic.accepted.radius)},
      {"latency_ns", known(result.delivered > 0, result.latency.mean)},
      {"latency_radius_90", known(result.delivered > 0, result.latency.radius)}};
  for (const int percent : {1, 5, 50, 95, 99})
    entry["percentiles_ns"][std::to_string(percent)] =
        known(result.delivered > 0, result.latencies.quantile(percent / 100.0));
  entry["generated"] = result.generated;
  entry["delivered"] = result.delivered;
  entry["lost"] = result.lost;
  entry["warm_up_us"] = result.warm_up.seconds() * 1e6;
  entry["window_us"] = result.window.seconds() * 1e6;
  entry["change"] = result.change;
  entry["settled"] = result.settled;
  entry["overloaded"] = result.overloaded();
  entry["stalled"] = result.stalled;
  entry["deadlock"] = point.deadlock();
  if (!point.traffic.standstill.empty()) entry["standstill"] = point.traffic.standstill;
  if (point.myrinet) {
    entry["in_transit"] = {{"packets", point.myrinet->in_transit},
                           {"overflows", point.myrinet->overflows},
                           {"most_packets", point.myrinet->most_in_transit_packets},
                           {"most_bytes", point.myrinet->most_in_transit_bytes}};
  }
  for (const TroubleCount& one : point.traffic.troubles)
    if (one.count != 0)
      entry["trouble"].push_back({{"of", one.title}, {"name", one.name}, {"count", one.count}});
  entry["links"] = links_json(point.traffic.links);
  return entry;
}

}  // namespace

std::string traffic_json(const TrafficOptions& options, const TrafficNetwork& network,
                         const TrafficOutcome& outcome) {
  const TrafficSettings& settings = outcome.settings;
  const SwitchGraph& graph = network.graph;
  nlohmann::ordered_json report{{"network", network.name}};
  if (!network.platform.empty()) {
    report["platform"] = network.platform;
    report["set"] = options.overrides;
  }
  report["routes"] = network.routes_word;
  if (network.myrinet) report["routing_unit"] = network.myrinet->routing_unit;
  report.update({{"load_unit", network.load_unit()},
                 {"injection_limit", outcome.injection_limit},
                 {"switches", graph.switches()},
                 {"hosts", network.hosts()},
                 {"pattern", options.pattern},
                 {"process", options.process()},
                 {"length", options.length()},
                 {"seed", options.seed},
                 {"messages", settings.messages},
                 {"warm_up", settings.warm_up},
                 {"at_most", settings.at_most},
                 {"batches", settings.batches},
                 {"confidence", 0.9}});
  if (outcome.saturation) {
    report["saturation"] = {{"peak", outcome.saturation->peak},
                            {"peak_load", outcome.saturation->peak_load},
                            {"knee", nlohmann::ordered_json()}};
    if (outcome.saturation->knee) report["saturation"]["knee"] = *outcome.saturation->knee;
  }
  report["loads"] = nlohmann::ordered_json::array();
  for (const LoadedPoint& point : outcome.points) report["loads"].push_back(json_of(outcome, point));
  return json_text(report);
}

}  // namespace morgana::cli
