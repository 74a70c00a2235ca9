#include "cli/compare/map_report.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "emulator/report/json_text.h"
#include "emulator/report/readable.h"

namespace morgana::cli {
namespace {

std::string counted(std::uint64_t count, const std::string& one, const std::string& more) {
  return fmt::format("{} {}", count, count == 1 ? one : more);
}

std::string who_maps(const MapOptions& options) {
  const bool one = options.mappers.size() == 1;
  return fmt::format("host{} {} map{}", one ? "" : "s", fmt::join(options.mappers, ", "), one ? "s" : "");
}

std::string text_of(const MapOptions& options, const FoundMap& found) {
  const MappingReport& report = found.report;
  const SwitchGraph& graph = report.map.graph;
  std::string text = fmt::format(
      "  host {} found {}, {} and {} between switches: {}\n", report.leader,
      counted(graph.switches(), "switch", "switches"), counted(graph.hosts(), "host", "hosts"),
      counted(graph.cables().size(), "cable", "cables"),
      found.difference ? "not what there is (" + *found.difference + ")" : "all that it can reach");
  text += fmt::format("  discovery     {} for {} probes, {} of them unanswered{}\n",
                      readable(report.found - report.began), report.probes, report.unanswered,
                      report.restarts > 0 ? fmt::format("; begun again {} times", report.restarts) : "");
  text += fmt::format("  distribution  {} for {} routes to {} in {}, {} sent again; {}\n",
                      readable(report.ended - report.found), options.routes,
                      counted(report.hosts_told, "host", "hosts"),
                      counted(report.table_packets, "packet", "packets"), report.resent,
                      found.free_of_deadlock ? "free of deadlock" : "NOT free of deadlock");
  if (!report.silent.empty()) {
    text += fmt::format("  no answer from host {}\n", fmt::join(report.silent, ", host "));
  }
  return text;
}

nlohmann::ordered_json json_of(const MappingReport& report) {
  return {{"leader", report.leader},
          {"switches", report.map.graph.switches()},
          {"hosts", report.map.graph.hosts()},
          {"cables", report.map.graph.cables().size()},
          {"probes", report.probes},
          {"unanswered", report.unanswered},
          {"restarts", report.restarts},
          {"began_ps", report.began.ps()},
          {"found_ps", report.found.ps()},
          {"ended_ps", report.ended.ps()},
          {"table_packets", report.table_packets},
          {"resent", report.resent},
          {"hosts_told", report.hosts_told},
          {"silent", report.silent}};
}

}  // namespace

std::string map_text(const MapOptions& options, const SwitchGraph& graph,
                     const std::vector<MappingRound>& rounds) {
  std::string text = fmt::format(
      "platform {}: {} at {}; {}, seed {}\n", options.platform, counted(graph.hosts(), "host", "hosts"),
      counted(graph.switches(), "switch", "switches"), who_maps(options), options.seed);
  for (const MappingRound& round : rounds) {
    text += fmt::format("{}\n", round.network);
    for (const FoundMap& found : round.maps) text += text_of(options, found);
    for (const MappingReport& failed : round.failures) {
      text += fmt::format("  host {} gave up: {}\n", failed.leader, failed.failure);
    }
    text += fmt::format("  the daemons sent {}, of which the network lost {}\n",
                        counted(round.packets, "packet", "packets"), round.lost);
  }
  return text;
}

std::string map_json(const MapOptions& options, const SwitchGraph& graph,
                     const std::vector<MappingRound>& rounds) {
  nlohmann::ordered_json json{{"platform", options.platform}, {"switches", graph.switches()},
                              {"hosts", graph.hosts()},       {"cables", graph.cables().size()},
                              {"mappers", options.mappers},   {"routes", options.routes},
                              {"attempts", options.attempts}, {"seed", options.seed}};
  json["rounds"] = nlohmann::ordered_json::array();
  for (const MappingRound& round : rounds) {
    nlohmann::ordered_json entry{
        {"network", round.network}, {"packets", round.packets}, {"packets_lost", round.lost}};
    entry["maps"] = nlohmann::ordered_json::array();
    for (const FoundMap& found : round.maps) {
      nlohmann::ordered_json map = json_of(found.report);
      map["equal"] = !found.difference;
      map["difference"] = found.difference.value_or("");
      map["free_of_deadlock"] = found.free_of_deadlock;
      entry["maps"].push_back(std::move(map));
    }
    entry["failures"] = nlohmann::ordered_json::array();
    for (const MappingReport& failed : round.failures) {
      entry["failures"].push_back({{"mapper", failed.leader},
                                   {"why", failed.failure},
                                   {"probes", failed.probes},
                                   {"restarts", failed.restarts}});
    }
    json["rounds"].push_back(std::move(entry));
  }
  return json_text(json);
}

}  // namespace morgana::cli
