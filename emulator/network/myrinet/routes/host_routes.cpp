#include "emulator/network/myrinet/routes/host_routes.h"

#include <cassert>

namespace morgana {

Header HostRoutes::header(SwitchId from, const SwitchPath& path, HostNumber to) {
  header_.clear();
  bool came_down = false;
  SwitchId at = from;
  for (const Paths::Step& step : path) {
    if (in_transit_ && Paths::turns(came_down, step)) {
      const auto& hosts = graph_.hosts_at(at);
      assert(!hosts.empty());
      header_.push_back(route_byte(graph_.port_of(hosts[next_[at]]).port));
      header_.push_back(in_transit_mark);
      next_[at] = (next_[at] + 1) % hosts.size();
    }
    header_.push_back(route_byte(step.port));
    came_down = step.down;
    at = step.next;
  }
  assert(graph_.port_of(to).at == at);
  header_.push_back(route_byte(graph_.port_of(to).port));
  return header_;
}

void set_for_switch_pair(RouteTable& table, const SwitchGraph& graph, HostRoutes& routes, SwitchId from,
                         SwitchId to, const SwitchPath& path) {
  if (graph.hosts_at(from).empty()) return;
  const std::uint32_t row = table.row_of(graph.hosts_at(from).front());
  for (const HostNumber host : graph.hosts_at(to)) table.set(row, host, routes.header(from, path, host));
}

RouteTable table_with_local_routes(const SwitchGraph& graph, Sharing sharing) {
  RouteTable table =
      sharing == Sharing::switch_pair ? RouteTable::row_per_switch(graph) : RouteTable::row_per_host(graph);
  for (HostNumber from = 0; from < graph.hosts(); ++from) {
    for (const HostNumber to : graph.hosts_at(graph.port_of(from).at)) {
      const RouteByte port = route_byte(graph.port_of(to).port);
      table.set(table.row_of(from), to, Header(&port, 1));
    }
  }
  return table;
}

}  // namespace morgana
