#include "emulator/routing/hyperx_routing.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/routing/nonminimal.h"

namespace morgana {

HyperXRouting::HyperXRouting(const SwitchGraph& graph, const Grid& grid, const ChannelFilter& usable)
    : grid_(grid) {
  std::size_t switches = 1;
  for (const unsigned side : grid_.sides) {
    first_.push_back(lists_);
    lists_ += side;
    switches *= side;
  }
  if (switches != graph.switches())
    throw Error(
        fmt::format("a HyperX of {} switches does not describe a network of {}", switches, graph.switches()));
  ports_.resize(switches * lists_);
  const Arcs arcs = usable_arcs(graph, usable);
  for (SwitchId at = 0; at < switches; ++at) {
    for (const Arc& arc : arcs[at]) {
      SwitchId here = at, there = arc.other.at;
      for (std::size_t dimension = 0; dimension < grid_.sides.size(); ++dimension) {
        const unsigned side = grid_.sides[dimension];
        if (here % side != there % side)
          ports_[at * lists_ + first_[dimension] + there % side].push_back(arc.port);
        here /= side;
        there /= side;
      }
    }
  }
  for (SwitchId at = 0; at < switches; ++at) {
    SwitchId here = at;
    for (std::size_t dimension = 0; dimension < grid_.sides.size(); ++dimension) {
      for (unsigned there = 0; there < grid_.sides[dimension]; ++there)
        whole_ = whole_ && (there == here % grid_.sides[dimension] ||
                            !ports_[at * lists_ + first_[dimension] + there].empty());
      here /= grid_.sides[dimension];
    }
  }
}

bool HyperXRouting::leads(SwitchId from, SwitchId to) const {
  if (whole_) return true;
  SwitchId stride = 1, at = from;
  for (const unsigned side : grid_.sides) {
    const unsigned here = at / stride % side, there = to / stride % side;
    if (here != there) {
      if (next(at, to).empty()) return false;
      at += there * stride - here * stride;
    }
    stride *= side;
  }
  return true;
}

unsigned HyperXRouting::hops(SwitchId from, SwitchId to) const {
  unsigned hops = 0;
  for (const unsigned side : grid_.sides) {
    hops += from % side != to % side ? 1 : 0;
    from /= side;
    to /= side;
  }
  return hops;
}

const std::vector<PortNumber>& HyperXRouting::next(SwitchId at, SwitchId to) const {
  std::size_t dimension = 0;
  SwitchId here = at, there = to;
  while (here % grid_.sides[dimension] == there % grid_.sides[dimension]) {
    here /= grid_.sides[dimension];
    there /= grid_.sides[dimension];
    ++dimension;
  }
  return ports_[at * lists_ + first_[dimension] + there % grid_.sides[dimension]];
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
