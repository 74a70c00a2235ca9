#include "emulator/network/myrinet/routes/routes_along.h"

#include <vector>

#include "emulator/network/myrinet/routes/host_routes.h"
#include "emulator/routing/channel_dependencies.h"

namespace morgana {

RouteTable routes_along(const SwitchGraph& graph, const Routing& routing) {
  RouteTable table = table_with_local_routes(graph, Sharing::switch_pair);
  std::vector<RouteByte> header;
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    if (graph.hosts_at(at).empty()) continue;
    const HostNumber from = graph.hosts_at(at).front();
    for (HostNumber to = 0; to < graph.hosts(); ++to) {
      if (graph.port_of(to).at == at) continue;
      header.clear();
      for (const HeldChannel& held : path_of(graph, routing, from, to))
        if (!graph.sent_by_host(held.channel))
          header.push_back(route_byte(graph.sending_port(held.channel).port));
      table.set(table.row_of(from), to, header);
    }
  }
  return table;
}

}  // namespace morgana
