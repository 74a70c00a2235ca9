#include "emulator/routing/make_routing.h"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/routing/detour_routing.h"
#include "emulator/routing/escape_routing.h"
#include "emulator/routing/forwarding_table.h"
#include "emulator/routing/hop_routing.h"
#include "emulator/routing/laned_routing.h"
#include "emulator/routing/multipath.h"
#include "emulator/routing/topologies/dal_routing.h"
#include "emulator/routing/topologies/dimension_order.h"
#include "emulator/routing/topologies/dragonfly_routing.h"
#include "emulator/routing/topologies/hyperx_routing.h"
#include "emulator/routing/up_down_table.h"

namespace morgana {
namespace {

Detours detours_of(RoutesKind routes) {
  switch (routes) {
    case RoutesKind::valiant:
      return Detours::always;
    case RoutesKind::ugal_l:
      return Detours::by_output;
    case RoutesKind::ugal_g:
      return Detours::by_channel;
    case RoutesKind::par:
      return Detours::on_the_way;
    default:
      return Detours::never;
  }
}

std::shared_ptr<const Routing> by_shape(const SwitchGraph& graph, const RoutesParameters& parameters,
                                        const ChannelFilter& usable) {
  if (const std::string why = why_not(parameters.routes, parameters.shape); !why.empty()) throw Error(why);
  DetourRules rules = parameters.detours;
  rules.detours = detours_of(parameters.routes);
  rules.seed = parameters.seed;
  if (const auto* dragonfly = std::get_if<Dragonfly>(&parameters.shape))
    return std::make_shared<DragonflyRouting>(graph, *dragonfly, rules, usable);
  if (std::holds_alternative<std::monostate>(parameters.shape))
    return std::make_shared<HopRouting>(graph, rules, usable);
  const Grid& grid = std::get<Grid>(parameters.shape);
  if (parameters.routes == RoutesKind::dal) return std::make_shared<DalRouting>(graph, grid, rules, usable);
  std::shared_ptr<const MinimalRouting> minimal;
  if (grid.lines == Grid::Lines::full)
    minimal = std::make_shared<HyperXRouting>(graph, grid, usable);
  else
    minimal = std::make_shared<DimensionOrderRouting>(graph, grid, usable);
  if (rules.detours == Detours::never) return minimal;
  return std::make_shared<DetourRouting>(graph, std::move(minimal), rules);
}

/// These routes, and where cables are off ways round them.
std::shared_ptr<const Routing> round_faults(const SwitchGraph& graph, std::shared_ptr<const Routing> routing,
                                            std::shared_ptr<const UpDownOrder> order,
                                            const ChannelFilter& usable) {
  const auto is_on = [&](const SwitchGraph::Cable& cable) {
    const auto& [a, b] = cable;
    return usable(graph.channel_from(a)) && usable(graph.channel_from(b));
  };
  if (std::ranges::all_of(graph.cables(), is_on)) return routing;
  if (order == nullptr) order = std::make_shared<UpDownOrder>(graph);
  return std::make_shared<EscapeRouting>(std::move(routing), UpDownWays(graph, std::move(order), usable));
}

}  // namespace

std::string why_not(RoutesKind routes, const RoutedShape& shape) {
  const bool dragonfly = std::holds_alternative<Dragonfly>(shape), grid = std::holds_alternative<Grid>(shape);
  switch (routes) {
    case RoutesKind::dimension_order:
      return grid ? "" : "dimension-order needs network.topology = \"torus\", \"mesh\" or \"hyperx\"";
    case RoutesKind::ugal_g:
      return !grid ? "" : "ugal-g is not for a torus, a mesh or a hyperx; ugal-l is";
    case RoutesKind::par:
      return dragonfly ? "" : "par needs network.topology = \"dragonfly\"; ugal-l is for any other, too";
    case RoutesKind::dal:
      return grid && std::get<Grid>(shape).lines == Grid::Lines::full
                 ? ""
                 : "dal needs network.topology = \"hyperx\"; ugal-l is for tori, meshes and dragonflies, too";
    default:
      return "";
  }
}

std::shared_ptr<const Routing> make_routing(const CabledGraph& network, const RoutesParameters& parameters,
                                            const ChannelFilter& usable) {
  switch (parameters.routes) {
    case RoutesKind::ecmp:
      return std::make_shared<EcmpRouting>(network.graph, usable, parameters.seed);
    case RoutesKind::d_mod_k:
      return std::make_shared<ModKRouting>(network.graph, usable, ModKRouting::End::destination,
                                           parameters.lowest_hosts);
    case RoutesKind::s_mod_k:
      return std::make_shared<ModKRouting>(network.graph, usable, ModKRouting::End::source,
                                           parameters.lowest_hosts);
    case RoutesKind::spray_round_robin:
      return std::make_shared<RoundRobinRouting>(network.graph, usable);
    case RoutesKind::up_down:
      return up_down_routing(network.graph, parameters.root, usable);
    case RoutesKind::spray:
      return std::make_shared<SprayRouting>(network.graph, usable, parameters.seed);
    case RoutesKind::two_choices:
      return std::make_shared<TwoChoicesRouting>(network.graph, usable, parameters.seed);
    case RoutesKind::listed:
      return parameters.table;
    case RoutesKind::least_loaded:
      return std::make_shared<LeastLoadedRouting>(network.graph, usable);
    case RoutesKind::dimension_order:
    case RoutesKind::minimal:
    case RoutesKind::valiant:
    case RoutesKind::ugal_l:
    case RoutesKind::ugal_g:
    case RoutesKind::par:
    case RoutesKind::dal:
      return round_faults(network.graph, by_shape(network.graph, parameters, usable), parameters.order,
                          usable);
    case RoutesKind::sssp:
      return sssp_routing(network.graph, usable);
    case RoutesKind::dfsssp:
      return dfsssp_routing(network.graph, usable, parameters.most_lanes);
    case RoutesKind::lash:
      return lash_routing(network.graph, usable, parameters.most_lanes);
    case RoutesKind::flowlets:
      return std::make_shared<FlowletRouting>(network.graph, usable, parameters.seed);
    case RoutesKind::spanning_tree:
      break;
  }
  const std::vector<Link> links = network.links();
  const auto cost = [&](CableChannel channel) {
    return bridge_path_cost(links[channel].rate.bits_per_second());
  };
  return std::make_shared<ForwardingTable>(spanning_tree_table(network.graph, parameters.root, cost, usable));
}

}  // namespace morgana
