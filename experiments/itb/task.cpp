#include "experiments/itb/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "emulator/core/statistics.h"
#include "emulator/network/myrinet/traffic/cabled.h"
#include "emulator/network/myrinet/traffic/myrinet_traffic.h"
#include "experiments/itb/counts.h"
#include "experiments/itb/testbed.h"

namespace morgana::itb_paper {
namespace {

using Figures = std::map<std::string, double>;

MyrinetParameters parameters_of(const PaperTask& task) {
  MyrinetParameters parameters;
  if (task.one_routing_unit) parameters.routing_unit = RoutingUnit::each_switch;
  return parameters;
}

TrafficSettings settings_of(const PaperTask& task, std::uint64_t messages, const Destinations& destinations,
                            std::uint64_t seed) {
  constexpr std::uint64_t warm_up_share = 4;
  TrafficSettings settings;
  settings.length = Bytes(task.length);
  settings.messages = messages;
  settings.warm_up = messages / warm_up_share;
  settings.seed = seed;
  if (const double share = destinations.pattern().share; share > 0) {
    // An overloaded hot host shows in full only when every other one waits for it.
    const auto until_all_wait = static_cast<std::uint64_t>(static_cast<double>(destinations.hosts()) / share);
    settings.warm_up = std::max(settings.warm_up, until_all_wait);
    settings.messages = std::max(settings.messages, 2 * until_all_wait);
  }
  return settings;
}

/// Loads count all hosts, also those that bit reversal has send to themselves, which send nothing.
double share_that_sends(const Destinations& destinations) {
  double sending = 0;
  for (HostNumber host = 0; host < destinations.hosts(); ++host)
    if (destinations.sends(host)) ++sending;
  return sending / static_cast<double>(destinations.hosts());
}

/// The highest load that was measured, where latency is less than doubled at all.
double knee_of(const Saturation& saturation) {
  return saturation.knee.value_or(saturation.points.back().load);
}

void keep(Figures& figures, const std::string& routes, const Saturation& saturation, double sending) {
  figures[routes + ".peak"] = saturation.peak;
  figures[routes + ".knee"] = knee_of(saturation);
  constexpr double whole = 0.95;
  double& sustained = figures[routes + ".sustained"] = 0;
  for (const LoadPoint& point : saturation.points)
    if (point.accepted >= whole * sending * point.load) sustained = std::max(sustained, point.accepted);
  figures[routes + ".points"] = static_cast<double>(saturation.points.size());
  for (std::size_t i = 0; i < saturation.points.size(); ++i) {
    const LoadPoint& point = saturation.points[i];
    figures[fmt::format("{}.load.{}", routes, i)] = point.load;
    figures[fmt::format("{}.accepted.{}", routes, i)] = point.accepted;
    figures[fmt::format("{}.latency.{}", routes, i)] = point.latency;
  }
}

/// By how much latency grows with in-transit routes, in %, at low loads.
void keep_changes(Figures& figures, const std::function<double(RouteKind, double load)>& latency) {
  constexpr double percent = 100;
  const auto change = [&](double load) {
    return percent * (latency(RouteKind::in_transit, load) / latency(RouteKind::up_down, load) - 1);
  };
  const double lowest = std::min(figures.at("up-down.load.0"), figures.at("in-transit.load.0"));
  figures["low_share"] = percent * lowest / figures.at("up-down.peak");
  figures["change"] = change(lowest);
  for (const int share : low_shares)
    figures[fmt::format("change.{}", share)] = change(share / percent * figures.at("up-down.peak"));
}

Figures saturation(const PaperTask& task, const Effort& effort, std::uint64_t seed) {
  const SwitchGraph graph = named_network(task.network, seed);
  const Destinations destinations(parse_pattern(task.pattern), graph, seed);
  const TrafficSettings settings = settings_of(task, effort.messages, destinations, seed);
  Figures figures;
  std::map<RouteKind, RouteTable> routes;
  for (const RouteKind kind : {RouteKind::up_down, RouteKind::in_transit}) {
    const RouteTable& table = routes.emplace(kind, routes_of(graph, kind, seed)).first->second;
    keep(figures, to_text(kind),
         saturate_myrinet({graph, table, parameters_of(task)}, destinations, settings),
         share_that_sends(destinations));
  }
  figures["factor"] = figures["in-transit.peak"] / figures["up-down.peak"];
  figures["knee_factor"] = figures["in-transit.knee"] / figures["up-down.knee"];
  // With a hot host there may be no load at all that is accepted whole.
  if (const double whole = figures["up-down.sustained"]; whole > 0)
    figures["sustained_factor"] = figures["in-transit.sustained"] / whole;
  if (destinations.pattern().kind != TrafficPattern::Kind::uniform) return figures;
  keep_changes(figures, [&](RouteKind kind, double load) {
    return measure_myrinet({graph, routes.at(kind), parameters_of(task)}, destinations, load, settings)
        .result.latency.mean;
  });
  return figures;
}

/// On an 8 x 8 torus, a cable to the second-next switch.
bool is_express(SwitchId from, SwitchId to) {
  constexpr unsigned side = 8;
  const unsigned x = (to % side + side - from % side) % side, y = (to / side + side - from / side) % side;
  return x == 2 || x == side - 2 || y == 2 || y == side - 2;
}

Figures load(const PaperTask& task, const Effort& effort, std::uint64_t seed) {
  const SwitchGraph graph = named_network(task.network, seed);
  const Destinations destinations(parse_pattern(task.pattern), graph, seed);
  const RouteTable routes = routes_of(graph, parse_route_kind(task.routes), seed);
  constexpr std::uint64_t longer = 4;  // than while searching: the busiest cable is to be told from chance
  const std::uint64_t messages =
      task.messages > 0 ? std::min(task.messages, effort.most_messages) : longer * effort.messages;
  double load = task.load;
  if (task.of_the_knee)
    load *= knee_of(saturate_myrinet({graph, routes, parameters_of(task)}, destinations,
                                     settings_of(task, effort.messages, destinations, seed)));
  const MyrinetTraffic traffic = measure_myrinet({graph, routes, parameters_of(task)}, destinations, load,
                                                 settings_of(task, messages, destinations, seed));
  RunningStatistics all, root, express, others;
  Figures figures;
  double below = 0;
  for (const CableChannel channel : switch_channels(graph)) {
    const SwitchId from = graph.sending_port(channel).at, to = graph.receiver(channel).id;
    const double utilisation = traffic.utilisation[channel];
    constexpr double little = 0.1;
    if (utilisation < little) ++below;
    figures[fmt::format("link.{}", all.count())] = utilisation;
    all.add(utilisation);
    if (from == 0 || to == 0) root.add(utilisation);
    (is_express(from, to) ? express : others).add(utilisation);
  }
  figures["links"] = static_cast<double>(all.count());
  figures["below_10"] = below / static_cast<double>(all.count());
  figures["least"] = all.minimum();
  figures["greatest"] = all.maximum();
  figures["root"] = root.maximum();
  figures["express"] = express.mean();
  figures["others"] = others.mean();
  figures["load"] = load;
  figures["accepted"] = traffic.accepted.mean;
  figures["latency"] = traffic.result.latency.mean;
  figures["interfaces"] = static_cast<double>(traffic.interfaces.size());
  for (std::size_t host = 0; host < traffic.interfaces.size(); ++host) {
    figures[fmt::format("mean_packets.{}", host)] = traffic.interfaces[host].mean_packets;
    figures[fmt::format("most_packets.{}", host)] =
        static_cast<double>(traffic.interfaces[host].most_packets);
  }
  if (destinations.pattern().kind == TrafficPattern::Kind::hotspot)
    figures["hot_switch"] = graph.port_of(destinations.hot_host()).at;
  figures["most_packets"] = static_cast<double>(traffic.most_in_transit_packets);
  figures["overflows"] = static_cast<double>(traffic.overflows);
  return figures;
}

}  // namespace

std::string to_text(const PaperTask& task) {
  std::string text;
  switch (task.kind) {
    case PaperTask::Kind::counts:
      return fmt::format("counts of {}, {}", task.network, task.pattern);
    case PaperTask::Kind::delay:
      return "delay of an in-transit host";
    case PaperTask::Kind::testbed:
      return "half round trips between real interfaces";
    case PaperTask::Kind::saturation:
      text = "saturation of ";
      break;
    case PaperTask::Kind::load:
      text = fmt::format("{} messages at {}{} on {} routes of ", task.messages, task.load,
                         task.of_the_knee ? " of the knee" : "", task.routes);
      break;
  }
  return text + fmt::format("{}, {}, {} B{}", task.network, task.pattern, task.length,
                            task.one_routing_unit ? ", one routing unit a switch" : "");
}

std::map<std::string, double> carry_out(const PaperTask& task, const Effort& effort, std::uint64_t seed) {
  switch (task.kind) {
    case PaperTask::Kind::saturation:
      return saturation(task, effort, seed);
    case PaperTask::Kind::load:
      return load(task, effort, seed);
    case PaperTask::Kind::delay:
      return {{"ns", in_transit_delay()}};
    case PaperTask::Kind::testbed:
      return testbed_figures();
    case PaperTask::Kind::counts:
      break;
  }
  // Graphs cost next to nothing: a seed counts several.
  constexpr std::uint64_t graphs = 4;
  std::map<std::string, RunningStatistics> each;
  for (std::uint64_t graph = 0; graph < graphs; ++graph)
    for (const auto& [name, value] : counts(task.network, task.pattern, graphs * (seed - 1) + graph + 1))
      each[name].add(value);
  Figures figures;
  for (const auto& [name, statistics] : each) figures[name] = statistics.mean();
  return figures;
}

}  // namespace morgana::itb_paper
