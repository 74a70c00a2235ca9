#include "emulator/routing/topologies/dal_routing.h"

#include <algorithm>

#include "emulator/core/error.h"
#include "emulator/routing/topologies/hyperx_routing.h"

namespace morgana {
namespace {

/// Of a grid: without the dimensions of one switch, in which nothing can differ.
Grid without_single_switches(Grid grid) {
  std::erase(grid.sides, 1U);
  return grid;
}

}  // namespace

DalRouting::DalRouting(const SwitchGraph& graph, const Grid& grid, const DetourRules& rules,
                       const ChannelFilter& usable)
    : cables_(graph, without_single_switches(grid), usable),
      rules_(rules),
      parts_(std::make_shared<HyperXRouting>(graph, grid, usable)) {
  constexpr unsigned most_dimensions = 8;
  if (dimensions() > most_dimensions)
    throw Error("dal is for a HyperX of at most eight dimensions; dimension-order is for any");
  for (std::size_t dimension = 0; dimension < cables_.dimensions(); ++dimension)
    most_cables_ += cables_.side(dimension) > 2 ? 2 : 1;
  most_cables_ = std::max(most_cables_, 1U);
}

/// Calls visit(Kind) for each line of cables that a packet may take, whether any of them is usable.
template <typename Visit>
void DalRouting::for_lines(SwitchId at, SwitchId last, Derouted derouted, Visit visit) const {
  for (std::size_t dimension = 0; dimension < cables_.dimensions(); ++dimension) {
    const unsigned here = cables_.coordinate(at, dimension), there = cables_.coordinate(last, dimension);
    if (here == there) continue;
    visit(Kind{false, dimension, there});
    if ((derouted >> dimension & 1) != 0) continue;
    for (unsigned to = 0; to < cables_.side(dimension); ++to)
      if (to != here && to != there) visit(Kind{true, dimension, to});
  }
}

/// A note: the cables crossed so far, above a bit for each dimension with a deroute.
RoutingChoice DalRouting::choice(const RoutedPacket& packet, const Kind& kind, PortNumber port) const {
  const unsigned crossed = packet.note >> dimensions();
  const Derouted bit = kind.deroutes ? 1U << kind.dimension : 0;
  return {port, static_cast<VirtualChannel>(crossed),
          (crossed + 1) << dimensions() | derouted_of(packet) | bit};
}

std::optional<RoutingChoice> DalRouting::choose(const RoutedPacket& packet, const OutputLoads& loads) const {
  struct Best {
    std::optional<RoutingChoice> choice;
    SimTime wait;
    std::uint64_t draw = 0;  // decides between equal waits
  };
  Best minimal, deroute;
  const SwitchId at = packet.input.at, last = packet.last_switch;
  const Derouted derouted = derouted_of(packet);
  unsigned left = 0;
  for_lines(at, last, derouted, [&](const Kind& kind) {
    left += kind.deroutes ? 0 : 1;
    Best& best = kind.deroutes ? deroute : minimal;
    for (const PortNumber port : cables_.ports(at, kind.dimension, kind.to)) {
      const SimTime wait = loads.wait({at, port});
      if (best.choice && wait > best.wait) continue;
      const std::uint64_t draw = drawn(rules_.seed, packet.number, std::uint64_t{at} << 32 | port);
      if (best.choice && wait == best.wait && draw > best.draw) continue;
      best = {choice(packet, kind, port), wait, draw};
    }
  });
  if (!minimal.choice || !deroute.choice) return minimal.choice ? minimal.choice : deroute.choice;
  const bool aside = rules_.prefers_detour({minimal.wait, left}, {deroute.wait, left + 1});
  return aside ? deroute.choice : minimal.choice;
}

void DalRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  const SwitchId at = packet.input.at, last = packet.last_switch;
  const Derouted derouted = derouted_of(packet);
  for_lines(at, last, derouted, [&](const Kind& kind) {
    for (const PortNumber port : cables_.ports(at, kind.dimension, kind.to))
      visit(choice(packet, kind, port));
  });
}

}  // namespace morgana
