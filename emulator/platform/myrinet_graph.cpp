// A Myrinet's cables and routes, as its settings say.
#include "emulator/platform/myrinet_items.h"
#include "emulator/routing/shortest_routes.h"
#include "emulator/routing/simple_routes.h"
#include "emulator/topology/cplant.h"
#include "emulator/topology/irregular.h"
#include "emulator/topology/now.h"
#include "emulator/topology/torus.h"

namespace morgana {

SwitchGraph graph_of(const MyrinetSettings& settings) {
  topology::TorusShape torus;
  torus.sides = {settings.columns, settings.rows, settings.planes};
  torus.hosts_per_switch = settings.hosts_per_switch;
  torus.ports_per_switch = settings.ports_per_switch;
  switch (settings.shape) {
    case MyrinetShape::torus:
      return topology::torus(torus);
    case MyrinetShape::express_torus:
      return topology::express_torus(torus);
    case MyrinetShape::irregular:
      return topology::irregular({settings.switches, settings.hosts_per_switch, settings.cables_per_switch,
                                  settings.ports_per_switch},
                                 settings.topology_seed);
    case MyrinetShape::cplant:
      return topology::cplant();
    case MyrinetShape::now:
      return topology::now();
    case MyrinetShape::listed: {
      std::string ignored;
      return listed_graph(settings, ignored);
    }
    case MyrinetShape::fat_tree:
      break;
  }
  return topology::fat_tree(settings.fat_tree);
}

NetworkShape shape_of(const MyrinetSettings& settings) {
  using Kind = NetworkShape::Kind;
  switch (settings.shape) {
    case MyrinetShape::torus:
    case MyrinetShape::express_torus:
      return {Kind::grid, settings.columns};
    case MyrinetShape::cplant:
      return {Kind::groups, 8};
    case MyrinetShape::fat_tree:
      return {Kind::levels, static_cast<unsigned>(graph_of(settings).switches() / settings.fat_tree.levels)};
    case MyrinetShape::irregular:
    case MyrinetShape::now:
    case MyrinetShape::listed:
      break;
  }
  return {Kind::free};
}

RouteTable routes_of(const MyrinetSettings& settings, const SwitchGraph& graph) {
  const UpDown orientation(graph, settings.root);
  const ShortestRouteOptions shortest{.sharing = settings.sharing, .seed = settings.routing_seed};
  switch (settings.routing) {
    case MyrinetRouting::up_down:
      return simple_routes(graph, orientation, {.sharing = settings.sharing, .seed = settings.routing_seed});
    case MyrinetRouting::in_transit:
      return in_transit_routes(graph, orientation, shortest);
    case MyrinetRouting::minimal:
      return minimal_routes(graph, shortest);
    case MyrinetRouting::shortest_up_down:
      break;
  }
  return shortest_up_down_routes(graph, orientation, shortest);
}

}  // namespace morgana
