#include "emulator/routing/up_down.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {

UpDown::UpDown(const SwitchGraph& graph, SwitchId root)
    : root_(root),
      level_(graph.switches(), std::numeric_limits<unsigned>::max()),
      direction_(graph.channels(), Direction::none),
      loop_(graph.channels()) {
  if (root >= graph.switches()) {
    throw Error(fmt::format("switch {} can't be the root: the network's {} switches are numbered from 0",
                            root, graph.switches()));
  }
  std::vector<SwitchId> reached;
  const auto reach_from = [&](SwitchId start) {
    if (level_[start] != std::numeric_limits<unsigned>::max()) return;
    level_[start] = 0;
    reached.assign(1, start);
    for (std::size_t next = 0; next < reached.size(); ++next) {
      const SwitchId at = reached[next];
      for (unsigned port = 0; port < graph.ports(at); ++port) {
        const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
        if (!other.is_switch() || level_[other.id] != std::numeric_limits<unsigned>::max()) continue;
        level_[other.id] = level_[at] + 1;
        reached.push_back(other.id);
      }
    }
  };
  reach_from(root);
  for (SwitchId at = 0; at < graph.switches(); ++at) reach_from(at);

  const auto orient = [&](SwitchPort from, SwitchPort to) {
    const CableChannel channel = graph.channel_from(from);
    if (from.at == to.at) {
      loop_[channel] = true;
    } else {
      const bool upwards = std::pair(level_[to.at], to.at) < std::pair(level_[from.at], from.at);
      direction_[channel] = upwards ? Direction::up : Direction::down;
    }
  };
  for (const auto& [a, b] : graph.cables()) {
    orient(a, b);
    orient(b, a);
  }
}

bool UpDown::legal(std::span<const CableChannel> leg) const {
  bool came_down = false;
  for (const CableChannel channel : leg) {
    if (loop_[channel] || (came_down && direction_[channel] == Direction::up)) return false;
    came_down = came_down || direction_[channel] == Direction::down;
  }
  return true;
}

}  // namespace morgana
