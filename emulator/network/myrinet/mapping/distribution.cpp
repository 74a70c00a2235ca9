#include "emulator/network/myrinet/mapping/distribution.h"

#include <fmt/format.h>

#include "emulator/core/error.h"

namespace morgana {
namespace {

constexpr std::size_t name_size = 4, length_size = 1;

void append(std::vector<std::uint8_t>& payload, HostName destination, Header route) {
  for (unsigned byte = 0; byte < name_size; ++byte) {
    payload.push_back(static_cast<std::uint8_t>(destination >> (8 * byte)));
  }
  payload.push_back(static_cast<std::uint8_t>(route.size()));
  payload.insert(payload.end(), route.begin(), route.end());
}

}  // namespace

std::vector<TablePacket> distribute(const NetworkMap& map, const RouteTable& table, std::size_t largest) {
  std::vector<TablePacket> packets;
  for (HostNumber host = 0; host < map.graph.hosts(); ++host) {
    TablePacket packet{map.names[host], {}, {}};
    if (host != map.mapper) {
      const Header way = table.header(map.mapper, host);
      packet.route.assign(way.begin(), way.end());
    }
    for (HostNumber to = 0; to < map.graph.hosts(); ++to) {
      const Header route = table.header(host, to);
      if (to == host || route.empty()) continue;
      const std::size_t size = name_size + length_size + route.size();
      if (size > largest) {
        throw Error(
            fmt::format("a route of {} bytes doesn't fit a packet of {}: allow larger ones", size, largest));
      }
      if (packet.payload.size() + size > largest) {
        packets.push_back(packet);
        packet.payload.clear();
      }
      append(packet.payload, map.names[to], route);
    }
    if (!packet.payload.empty()) packets.push_back(std::move(packet));
  }
  return packets;
}

void HostTable::install(std::span<const std::uint8_t> payload) {
  std::map<HostName, std::vector<RouteByte>> routes;
  while (!payload.empty()) {
    const std::size_t start = name_size + length_size;
    if (payload.size() < start || payload.size() < start + payload[name_size]) {
      throw Error(fmt::format("a packet of routes ends within one, {} bytes before its end", payload.size()));
    }
    HostName destination = 0;
    for (unsigned byte = 0; byte < name_size; ++byte) destination |= HostName{payload[byte]} << (8 * byte);
    const Header route = payload.subspan(start, payload[name_size]);
    routes[destination].assign(route.begin(), route.end());
    payload = payload.subspan(start + route.size());
  }
  for (auto& [destination, route] : routes) routes_[destination] = std::move(route);
}

void HostTable::set(HostName destination, Header route) {
  routes_[destination].assign(route.begin(), route.end());
}

Header HostTable::to(HostName destination) const {
  const auto found = routes_.find(destination);
  return found == routes_.end() ? Header() : Header(found->second);
}

}  // namespace morgana
