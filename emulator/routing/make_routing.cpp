#include "emulator/routing/make_routing.h"

#include <vector>

#include "emulator/core/error.h"
#include "emulator/routing/dimension_order.h"
#include "emulator/routing/forwarding_table.h"
#include "emulator/routing/multipath.h"

namespace morgana {

std::shared_ptr<const Routing> make_routing(const CabledGraph& network, const RoutesParameters& parameters,
                                            const ChannelFilter& usable) {
  switch (parameters.routes) {
    case RoutesKind::ecmp:
      return std::make_shared<EcmpRouting>(network.graph, usable, parameters.seed);
    case RoutesKind::d_mod_k:
      return std::make_shared<ModKRouting>(network.graph, usable, ModKRouting::End::destination);
    case RoutesKind::s_mod_k:
      return std::make_shared<ModKRouting>(network.graph, usable, ModKRouting::End::source);
    case RoutesKind::spray:
      return std::make_shared<SprayRouting>(network.graph, usable, parameters.seed);
    case RoutesKind::two_choices:
      return std::make_shared<TwoChoicesRouting>(network.graph, usable, parameters.seed);
    case RoutesKind::listed:
      return parameters.table;
    case RoutesKind::least_loaded:
      return std::make_shared<LeastLoadedRouting>(network.graph, usable);
    case RoutesKind::dimension_order:
      if (!parameters.grid) throw Error("dimension-order routes need a grid: a torus or a mesh");
      return std::make_shared<DimensionOrderRouting>(network.graph, *parameters.grid);
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
