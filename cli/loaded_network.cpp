#include "cli/loaded_network.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "emulator/platform/myrinet_platform.h"
#include "emulator/traffic/cabled.h"

namespace morgana::cli {
namespace {

/// A named torus's: its first side.
unsigned columns_of(const std::string& network) {
  if (!network.starts_with("torus") && !network.starts_with("express-torus")) return 0;
  constexpr unsigned usual = 8;
  unsigned columns = usual;
  if (const std::size_t colon = network.find(':'); colon != std::string::npos)
    std::from_chars(network.data() + colon + 1, network.data() + network.size(), columns);
  return columns;
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
          columns_of(name),
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
      myrinet.columns(),  myrinet.graph(), myrinet.routes(),      myrinet.parameters(),
      myrinet.faults()};
}

}  // namespace

LoadedNetwork loaded_network(const TrafficOptions& options) {
  return options.platform.empty() ? named(options) : of_platform(options);
}

}  // namespace morgana::cli
