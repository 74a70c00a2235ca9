#pragma once

#include <vector>

#include "emulator/network/myrinet/routes/route.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::testing {

/// Hosts at one switch.
inline SwitchGraph star(unsigned hosts) {
  SwitchGraph graph;
  graph.add_switch(hosts);
  for (unsigned host = 0; host < hosts; ++host) graph.add_host(SwitchId{0});
  return graph;
}

/// Its routes, a byte each.
inline RouteTable star_routes(const SwitchGraph& graph) {
  RouteTable table = RouteTable::row_per_host(graph);
  for (HostNumber from = 0; from < graph.hosts(); ++from)
    for (HostNumber to = 0; to < graph.hosts(); ++to)
      if (from != to) table.set(table.row_of(from), to, std::vector{static_cast<RouteByte>(to)});
  return table;
}

}  // namespace morgana::testing
