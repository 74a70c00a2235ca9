#include "cli/traffic/traffic_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "cli/common/run_options.h"
#include "emulator/core/error.h"
#include "emulator/network/myrinet/traffic/cabled.h"
#include "emulator/platform/myrinet_platform.h"
#include "emulator/platform/platform_network.h"

namespace morgana::cli {
namespace {

NetworkShape shape_of(const std::string& network, const SwitchGraph& graph) {
  using Kind = NetworkShape::Kind;
  const auto number_after = [&](char mark, unsigned otherwise) {
    const std::size_t at = network.find(mark);
    if (at != std::string::npos)
      std::from_chars(network.data() + at + 1, network.data() + network.size(), otherwise);
    return otherwise;
  };
  constexpr unsigned usual_side = 8, group = 8;
  if (network.find('/') != std::string::npos || network.ends_with(".txt")) return {Kind::free};
  if (network.starts_with("torus") || network.starts_with("express-torus"))
    return {Kind::grid, number_after(':', usual_side)};
  if (network.starts_with("fat-tree"))
    return {Kind::levels, static_cast<unsigned>(graph.switches() / number_after('x', 1))};
  if (network == "cplant") return {Kind::groups, group};
  return {Kind::free};
}

std::string word_of(RoutingUnit unit) {
  return unit == RoutingUnit::each_switch ? "each-switch" : "each-output";
}

TrafficNetwork named(const TrafficOptions& options) {
  const std::string name = options.network.value_or("torus");
  const std::string routes = options.routes.value_or("up-down");
  MyrinetParameters parameters;
  if (options.routing_unit == "each-switch") parameters.routing_unit = RoutingUnit::each_switch;
  SwitchGraph graph = named_network(name, options.seed);
  graph.check_connected();
  RouteTable table = routes_of(graph, parse_route_kind(routes), options.seed);
  TrafficNetwork network{"", name, routes, shape_of(name, graph), std::move(graph), {}, {}};
  network.myrinet = {std::move(table), parameters, {}, word_of(parameters.routing_unit)};
  return network;
}

TrafficNetwork of_myrinet(const Platform& platform, std::string name) {
  const PlatformMyrinet myrinet(platform);
  TrafficNetwork network{
      platform.name(), std::move(name), myrinet.routes_word(), myrinet.shape(), myrinet.graph(), {}, {}};
  network.myrinet = {myrinet.routes(), myrinet.parameters(), myrinet.faults(),
                     word_of(myrinet.parameters().routing_unit)};
  return network;
}

TrafficNetwork of_platform(const TrafficOptions& options) {
  const Platform platform = PlatformNetwork::load_alone(options.platform, options.overrides);
  if (PlatformNetwork::has_background(platform))
    throw Error(
        "background.load: `morgana traffic` loads the network itself, and the platform's background traffic "
        "is messages of its transport, which play no part here; --set background.load=0 leaves it out");
  print_platform_notices(platform);
  std::string name = platform.name();
  if (!options.overrides.empty()) name += fmt::format(" with {}", fmt::join(options.overrides, ", "));
  if (PlatformMyrinet::is_one(platform)) {
    TrafficNetwork network = of_myrinet(platform, std::move(name));
    network.hints = PlatformNetwork::hints(platform);
    return network;
  }
  const PlatformNetwork other(platform);
  NetworkUnderTest under_test{
      [other](EventQueue& events, std::uint64_t seed) { return other.make(events, seed); }, other.hosts(),
      other.graph().switches()};
  for (const bool shortest_ways : {false, true}) {
    if (shortest_ways && !other.leads_round_about()) continue;
    under_test.quiet.push_back([other, shortest_ways](EventQueue& events, std::uint64_t seed) {
      return other.make_quiet(events, seed, shortest_ways);
    });
  }
  constexpr unsigned several = 4;
  if (other.has_several_ways()) under_test.draws = several;
  return {platform.name(),       std::move(name),
          other.routes_word(),   other.shape(),
          other.graph(),         {},
          std::move(under_test), PlatformNetwork::hints(platform)};
}

}  // namespace

LoadedPoint TrafficNetwork::measure(const Destinations& destinations, double load,
                                    const TrafficSettings& settings) const {
  if (!myrinet) return {load, measure_network(other, destinations, load, settings), {}};
  MyrinetTraffic traffic = measure_myrinet({graph, myrinet->routes, myrinet->parameters, myrinet->faults},
                                           destinations, load, settings);
  const MyrinetFindings findings{traffic.most_in_transit_packets, traffic.most_in_transit_bytes,
                                 traffic.in_transit, traffic.overflows, std::move(traffic.deadlock)};
  return {load, std::move(traffic), findings};
}

double TrafficNetwork::idle_load(const TrafficSettings& settings) const {
  if (!myrinet) return morgana::idle_load(other, settings);
  return morgana::idle_load({graph, myrinet->routes, myrinet->parameters, myrinet->faults});
}

double TrafficNetwork::injection_limit(const TrafficSettings& settings) const {
  if (!myrinet) return morgana::injection_limit(other, settings);
  return morgana::injection_limit({graph, myrinet->routes, myrinet->parameters, myrinet->faults});
}

TrafficNetwork loaded_network(const TrafficOptions& options) {
  return options.platform.empty() ? named(options) : of_platform(options);
}

}  // namespace morgana::cli
