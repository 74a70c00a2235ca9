#include "cli/loaded_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "emulator/platform/myrinet_platform.h"
#include "emulator/traffic/cabled.h"

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

LoadedNetwork named(const TrafficOptions& options) {
  const std::string name = options.network.value_or("torus");
  const std::string routes = options.routes.value_or("up-down");
  MyrinetParameters parameters;
  if (options.routing_unit == "each-switch") parameters.routing_unit = RoutingUnit::each_switch;
  SwitchGraph graph = named_network(name, options.seed);
  graph.check_connected();
  RouteTable table = routes_of(graph, parse_route_kind(routes), options.seed);
  return {"",
          name,
          routes,
          word_of(parameters.routing_unit),
          shape_of(name, graph),
          std::move(graph),
          std::move(table),
          parameters,
          {}};
}

LoadedNetwork of_platform(const TrafficOptions& options) {
  const PlatformMyrinet myrinet(Platform::load(options.platform, options.overrides));
  std::string name = myrinet.platform();
  if (!options.overrides.empty()) name += fmt::format(" with {}", fmt::join(options.overrides, ", "));
  return {
      myrinet.platform(), std::move(name), myrinet.routes_word(), word_of(myrinet.parameters().routing_unit),
      myrinet.shape(),    myrinet.graph(), myrinet.routes(),      myrinet.parameters(),
      myrinet.faults()};
}

}  // namespace

LoadedNetwork loaded_network(const TrafficOptions& options) {
  return options.platform.empty() ? named(options) : of_platform(options);
}

}  // namespace morgana::cli
