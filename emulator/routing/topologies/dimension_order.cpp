#include "emulator/routing/topologies/dimension_order.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"

namespace morgana {
namespace {

constexpr std::uint8_t no_dimension = 255;

/// The lowest port that leads there. @throws Error if none does
PortNumber port_to(const SwitchGraph& graph, SwitchId from, SwitchId to) {
  for (unsigned port = 0; port < graph.ports(from); ++port) {
    const Neighbour& other = graph.neighbour({from, static_cast<PortNumber>(port)});
    if (other.is_switch() && other.id == to) return static_cast<PortNumber>(port);
  }
  throw Error(fmt::format("dimension-order routes need a cable between switches {} and {}", from, to));
}

}  // namespace

DimensionOrderRouting::DimensionOrderRouting(const SwitchGraph& graph, const Grid& grid,
                                             const ChannelFilter& usable)
    : grid_(grid), off_(graph.channels()) {
  SwitchId stride = 1;
  for (const unsigned side : grid_.sides) {
    strides_.push_back(stride);
    stride *= side;
  }
  if (stride != graph.switches()) throw Error("dimension-order routes need a grid of all switches");
  const std::size_t dimensions = grid_.sides.size();
  ports_.resize(graph.switches() * dimensions);
  dimension_of_.assign(graph.channels(), no_dimension);
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    first_port_.push_back(graph.channel_from(SwitchPort{at, 0}));
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
      const unsigned side = grid_.sides[dimension], here = coordinate(at, dimension);
      const auto port_by = [&](unsigned there) {
        const SwitchId other = at + there * strides_[dimension] - here * strides_[dimension];
        const PortNumber port = port_to(graph, at, other);
        dimension_of_[graph.channel_from(SwitchPort{at, port})] = static_cast<std::uint8_t>(dimension);
        return port;
      };
      auto& [down, up] = ports_[at * dimensions + dimension];
      if (side > 1 && (here + 1 < side || wraps())) up = port_by((here + 1) % side);
      if (side > 1 && (here > 0 || wraps())) down = port_by((here + side - 1) % side);
    }
  }
  for (const auto& [a, b] : graph.cables()) {
    const CableChannel there = graph.channel_from(a), back = graph.channel_from(b);
    if (usable(there) && usable(back)) continue;
    off_[there] = off_[back] = true;
    whole_ = false;
  }
}

DimensionOrderRouting::Step DimensionOrderRouting::step(SwitchId at, SwitchId to) const {
  std::size_t dimension = 0;
  while (coordinate(at, dimension) == coordinate(to, dimension)) ++dimension;
  const unsigned side = grid_.sides[dimension], here = coordinate(at, dimension),
                 there = coordinate(to, dimension);
  if (!wraps()) return {dimension, there > here, false};
  const unsigned ahead = (there + side - here) % side;
  const bool up = 2 * ahead < side || (2 * ahead == side && here % 2 == 0);
  return {dimension, up, up ? here + 1 == side : here == 0};
}

unsigned DimensionOrderRouting::hops(SwitchId from, SwitchId to) const {
  unsigned hops = 0;
  for (std::size_t dimension = 0; dimension < grid_.sides.size(); ++dimension) {
    const unsigned a = coordinate(from, dimension), b = coordinate(to, dimension);
    const unsigned straight = a > b ? a - b : b - a;
    hops += wraps() ? std::min(straight, grid_.sides[dimension] - straight) : straight;
  }
  return hops;
}

/// The switch that this step leads to.
SwitchId DimensionOrderRouting::behind(SwitchId at, const Step& next) const {
  const unsigned side = grid_.sides[next.dimension], here = coordinate(at, next.dimension);
  const unsigned there = (here + (next.up ? 1 : side - 1)) % side;
  return at + there * strides_[next.dimension] - here * strides_[next.dimension];
}

bool DimensionOrderRouting::leads(SwitchId from, SwitchId to) const {
  if (whole_) return true;
  while (from != to) {
    const Step next = step(from, to);
    if (is_off(from, port(from, next))) return false;
    from = behind(from, next);
  }
  return true;
}

bool DimensionOrderRouting::came_along(const RoutedPacket& packet, std::size_t dimension) const {
  return dimension_of_[first_port_[packet.input.at] + packet.input.port] == dimension;
}

std::optional<RoutingChoice> DimensionOrderRouting::choose(const RoutedPacket& packet,
                                                           const OutputLoads&) const {
  const Step next = step(packet.input.at, packet.last_switch);
  const PortNumber output = port(packet.input.at, next);
  if (is_off(packet.input.at, output)) return std::nullopt;
  const bool crossed = packet.virtual_channel == 1 && came_along(packet, next.dimension);
  return RoutingChoice{output, static_cast<VirtualChannel>(wraps() && (next.crosses_dateline || crossed))};
}

void DimensionOrderRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  if (const auto choice = choose(packet, IdleOutputs())) visit(*choice);
}

}  // namespace morgana
