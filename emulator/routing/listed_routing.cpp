#include "emulator/routing/listed_routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "emulator/core/error.h"

namespace morgana {
namespace {

using To = ListedRoute::To;

PortNumber port_of(const ListedRoute& route, const SwitchGraph& graph) {
  const SwitchGraph::Cable& cable = graph.cables()[route.cable];
  return cable.a.at == route.at ? cable.a.port : cable.b.port;
}

}  // namespace

ListedRouting::ListedRouting(const std::vector<ListedRoute>& routes, const SwitchGraph& graph)
    : to_switches_(graph) {
  for (const ListedRoute& route : routes)
    if (route.to == To::any)
      for (SwitchId to = 0; to < graph.switches(); ++to)
        if (to != route.at) to_switches_.set(route.at, to, port_of(route, graph));
  for (const ListedRoute& route : routes)
    if (route.to == To::a_switch)
      to_switches_.set(route.at, route.number, port_of(route, graph));
    else if (route.to == To::a_host)
      to_hosts_[{route.at, route.number}] = port_of(route, graph);

  std::vector<bool> has_own_entries(graph.hosts());
  for (const auto& [key, port] : to_hosts_) has_own_entries[key.second] = true;
  for (SwitchId last = 0; last < graph.switches(); ++last) {
    bool others_checked = false;
    for (const HostNumber to : graph.hosts_at(last)) {
      if (!has_own_entries[to] && std::exchange(others_checked, true)) continue;
      std::vector<bool> checked(graph.switches());
      checked[last] = true;
      for (SwitchId from = 0; from < graph.switches(); ++from)
        if (!graph.hosts_at(from).empty()) check_way(graph, from, to, checked);
    }
  }
}

std::optional<RoutingChoice> ListedRouting::choice(SwitchId at, SwitchId last, HostNumber destination) const {
  if (!to_hosts_.empty())
    if (const auto own = to_hosts_.find({at, destination}); own != to_hosts_.end())
      return RoutingChoice{own->second};
  const auto port = to_switches_.towards(at, last);
  if (!port) return std::nullopt;
  return RoutingChoice{*port};
}

void ListedRouting::check_way(const SwitchGraph& graph, SwitchId from, HostNumber to,
                              std::vector<bool>& checked) const {
  const SwitchId last = graph.port_of(to).at;
  std::vector<SwitchId> way;
  for (SwitchId at = from; !checked[at];) {
    const bool again = std::ranges::find(way, at) != way.end();
    way.push_back(at);
    if (again) {
      std::string circle;
      for (auto on = std::ranges::find(way, at); on != way.end(); ++on)
        circle += fmt::format("{}{}", circle.empty() ? "" : ", ", *on);
      throw Error(fmt::format(
          "packets from switch {} to host {} at switch {} would go round in a circle, by the switches {}: "
          "change the entry of one of them",
          from, to, last, circle));
    }
    const auto next = choice(at, last, to);
    if (!next)
      throw Error(fmt::format(
          "switch {} has no entry for packets from switch {} to host {} at switch {}: add one, such as "
          "\"switch {} over {}.PORT\"",
          at, from, to, last, last, at));
    at = graph.neighbour({at, next->port}).id;
  }
  for (const SwitchId at : way) checked[at] = true;
}

}  // namespace morgana
