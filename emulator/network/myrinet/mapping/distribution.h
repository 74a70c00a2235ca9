#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "emulator/network/myrinet/mapping/mapping.h"

namespace morgana {

/// A part of a host's routes on its way from the mapper.
struct TablePacket {
  HostName to;
  std::vector<RouteByte> route;  ///< from the mapping host; empty for its own
  std::vector<std::uint8_t> payload;
};

/// Cuts the routes of every host of a map into packets of at most `largest` bytes of payload, host by host. A
/// route is its destination's name (four bytes, lowest first), its length and its bytes.
/// @throws Error if a route alone is larger
std::vector<TablePacket> distribute(const NetworkMap& map, const RouteTable& table, std::size_t largest);

/// The routes that a host holds, as they came from the mapper.
class HostTable {
 public:
  /// Takes over a packet's routes. @throws Error if the payload ends within one; then nothing is taken over
  void install(std::span<const std::uint8_t> payload);
  /// Writes one of them.
  void set(HostName destination, Header route);
  /// Empty if there is none.
  Header to(HostName destination) const;
  std::size_t size() const { return routes_.size(); }

 private:
  std::map<HostName, std::vector<RouteByte>> routes_;
};

}  // namespace morgana
