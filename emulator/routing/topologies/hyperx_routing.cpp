#include "emulator/routing/topologies/hyperx_routing.h"

#include "emulator/routing/nonminimal.h"

namespace morgana {

bool HyperXRouting::leads(SwitchId from, SwitchId to) const {
  if (cables_.whole()) return true;
  for (SwitchId at = from; at != to;) {
    const std::vector<PortNumber>& ports = next(at, to);
    if (ports.empty()) return false;
    std::size_t dimension = 0;
    while (cables_.coordinate(at, dimension) == cables_.coordinate(to, dimension)) ++dimension;
    at = cables_.moved(at, dimension, cables_.coordinate(to, dimension));
  }
  return true;
}

unsigned HyperXRouting::hops(SwitchId from, SwitchId to) const {
  unsigned hops = 0;
  for (std::size_t dimension = 0; dimension < cables_.dimensions(); ++dimension)
    hops += cables_.coordinate(from, dimension) != cables_.coordinate(to, dimension) ? 1 : 0;
  return hops;
}

const std::vector<PortNumber>& HyperXRouting::next(SwitchId at, SwitchId to) const {
  std::size_t dimension = 0;
  while (cables_.coordinate(at, dimension) == cables_.coordinate(to, dimension)) ++dimension;
  return cables_.ports(at, dimension, cables_.coordinate(to, dimension));
}

std::optional<RoutingChoice> HyperXRouting::choose(const RoutedPacket& packet, const OutputLoads&) const {
  const std::vector<PortNumber>& ports = next(packet.input.at, packet.last_switch);
  if (ports.empty()) return std::nullopt;
  return RoutingChoice{ports[mixed_bits(packet.flow + packet.input.at) % ports.size()]};
}

void HyperXRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  for (const PortNumber port : next(packet.input.at, packet.last_switch)) visit({port});
}

}  // namespace morgana
