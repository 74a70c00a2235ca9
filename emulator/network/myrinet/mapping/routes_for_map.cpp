#include "emulator/network/myrinet/mapping/routes_for_map.h"

#include "emulator/network/myrinet/routes/shortest_routes.h"
#include "emulator/network/myrinet/routes/simple_routes.h"
#include "emulator/topology/distances.h"

namespace morgana {

SwitchId central_switch(const SwitchGraph& graph) {
  const Distances distances = minimal_distances(graph);
  SwitchId best = 0;
  std::uint64_t fewest = ~std::uint64_t{0};
  for (SwitchId from = 0; from < graph.switches(); ++from) {
    std::uint64_t cables = 0;
    for (SwitchId to = 0; to < graph.switches(); ++to) {
      cables += graph.hosts_at(to).size() * distances(from, to);
    }
    if (cables >= fewest) continue;
    fewest = cables;
    best = from;
  }
  return best;
}

RouteTable routes_for(const NetworkMap& map, MappedRoutes kind, std::uint64_t seed) {
  const UpDown orientation(map.graph, central_switch(map.graph));
  switch (kind) {
    case MappedRoutes::up_down:
      return simple_routes(map.graph, orientation, {.seed = seed});
    case MappedRoutes::in_transit:
      return in_transit_routes(map.graph, orientation, {.seed = seed});
    case MappedRoutes::shortest_up_down:
      break;
  }
  return shortest_up_down_routes(map.graph, orientation, {.seed = seed});
}

}  // namespace morgana
