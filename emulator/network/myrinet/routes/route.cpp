#include "emulator/network/myrinet/routes/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/routes/walk.h"

namespace morgana {
Route follow(const SwitchGraph& graph, HostNumber from, Header header) {
  Route route;
  walk(graph, from, header, [&](std::size_t leg, CableChannel channel) {
    if (leg == route.size()) {
      route.emplace_back();
      return;  // the host's own channel needs no byte
    }
    const Neighbour to = graph.receiver(channel);
    route.back().ports.push_back(route_byte(graph.sending_port(channel).port));
    if (to.is_host()) route.back().to = to.id;
  });
  return route;
}

std::vector<RouteByte> header_of(const Route& route) {
  std::vector<RouteByte> header;
  for (const Leg& leg : route) {
    if (!header.empty()) header.push_back(in_transit_mark);
    header.insert(header.end(), leg.ports.begin(), leg.ports.end());
  }
  return header;
}

std::vector<std::vector<CableChannel>> channels_of(const SwitchGraph& graph, HostNumber from, Header header) {
  std::vector<std::vector<CableChannel>> channels;
  walk(graph, from, header, [&](std::size_t leg, CableChannel channel) {
    if (leg == channels.size()) channels.emplace_back();
    channels.back().push_back(channel);
  });
  return channels;
}

std::string describe_route(const SwitchGraph& graph, HostNumber from, Header header) {
  std::string text = fmt::format("host {}", from);
  std::size_t current = 0;
  walk(graph, from, header, [&](std::size_t leg, CableChannel channel) {
    if (leg != current) text += ", in transit";
    current = leg;
    if (graph.sent_by_host(channel)) return;
    const SwitchPort port = graph.sending_port(channel);
    text += fmt::format(" -> switch {} port {}", port.at, port.port);
    const Neighbour to = graph.receiver(channel);
    if (to.is_host()) text += fmt::format(" -> host {}", to.id);
  });
  return text;
}

RouteTable::RouteTable(std::vector<std::uint32_t> row_of_host) : row_of_host_(std::move(row_of_host)) {
  for (const std::uint32_t row : row_of_host_) rows_ = std::max<std::size_t>(rows_, row + 1);
  start_.resize(rows_ * hosts());
  bytes_.push_back(0);
}

namespace {

void check_ports(const SwitchGraph& graph) {
  for (SwitchId id = 0; id < graph.switches(); ++id) {
    if (graph.ports(id) <= SwitchGraph::most_ports_of_routes) continue;
    throw Error(fmt::format("switch {} has {} ports, and a byte of a source route names {}: give it fewer",
                            id, graph.ports(id), SwitchGraph::most_ports_of_routes));
  }
}

}  // namespace

RouteTable RouteTable::row_per_switch(const SwitchGraph& graph) {
  check_ports(graph);
  std::vector<std::uint32_t> rows(graph.hosts());
  for (HostNumber host = 0; host < rows.size(); ++host) rows[host] = graph.port_of(host).at;
  return RouteTable(std::move(rows));
}

RouteTable RouteTable::row_per_host(const SwitchGraph& graph) {
  check_ports(graph);
  std::vector<std::uint32_t> rows(graph.hosts());
  std::iota(rows.begin(), rows.end(), 0u);
  return RouteTable(std::move(rows));
}

void RouteTable::set(std::uint32_t row, HostNumber to, Header header) {
  assert(row < rows_ && to < hosts());
  std::uint32_t& start = start_[row * hosts() + to];
  if (header.empty()) {
    start = 0;
    return;
  }
  if (header.size() > longest_header) {
    throw Error(
        fmt::format("a route to host {} takes {} bytes, and a header holds {}: the network is too wide", to,
                    header.size(), longest_header));
  }
  if (bytes_.size() + header.size() >= std::numeric_limits<std::uint32_t>::max()) {
    throw Error(
        "the routes of this network take more than 4 GiB: take fewer hosts, or let those of a switch share "
        "their routes");
  }
  // A route that fits where the old one stood takes its place.
  if (start == 0 || bytes_[start] < header.size()) {
    start = static_cast<std::uint32_t>(bytes_.size());
    bytes_.resize(bytes_.size() + 1 + header.size());
  }
  bytes_[start] = static_cast<std::uint8_t>(header.size());
  std::copy(header.begin(), header.end(), bytes_.begin() + start + 1);
}

std::size_t RouteTable::memory() const {
  return sizeof(*this) + row_of_host_.capacity() * sizeof(row_of_host_[0]) +
         start_.capacity() * sizeof(start_[0]) + bytes_.capacity();
}

}  // namespace morgana
