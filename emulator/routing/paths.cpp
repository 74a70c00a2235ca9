#include "emulator/routing/paths.h"

#include <utility>

#include "emulator/core/long_work.h"

namespace morgana {

Paths::Paths(const SwitchGraph& graph, const UpDown& orientation, Turns turns)
    : may_turn_(graph.switches()), from_start_(graph.switches()), after_down_(graph.switches()) {
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    may_turn_[at] = turns == Turns::anywhere || (turns == Turns::in_transit && !graph.hosts_at(at).empty());
    first_.push_back(static_cast<std::uint32_t>(steps_.size()));
    for (const auto wanted : {UpDown::Direction::up, UpDown::Direction::down}) {
      if (wanted == UpDown::Direction::down) first_down_.push_back(static_cast<std::uint32_t>(steps_.size()));
      for (unsigned n = 0; n < graph.ports(at); ++n) {
        const auto port = static_cast<PortNumber>(n);
        const CableChannel channel = graph.channel_from(SwitchPort{at, port});
        if (orientation.direction(channel) != wanted) continue;
        steps_.push_back({port, wanted == UpDown::Direction::down, graph.neighbour({at, port}).id, channel});
      }
    }
  }
  first_.push_back(static_cast<std::uint32_t>(steps_.size()));
  LongWork work("finding the shortest paths", graph.switches());
  for (SwitchId to = 0; to < graph.switches(); ++to) {
    reach(to);
    work.advance();
  }
}

Distances Paths::distances() const {
  Distances distances(switches());
  for (SwitchId to = 0; to < switches(); ++to)
    for (SwitchId from = 0; from < switches(); ++from) distances(from, to) = from_start_(to, from);
  return distances;
}

void Paths::reach(SwitchId to) {
  // Breadth first and backwards. The steps into a switch are the reverse of those out of it, with the
  // direction turned round: a step down from here is a step up on the way that comes here.
  std::vector<std::pair<SwitchId, bool>> reached{{to, false}, {to, true}};
  from_start_(to, to) = after_down_(to, to) = 0;
  for (std::size_t n = 0; n < reached.size(); ++n) {
    const auto [at, came_down] = reached[n];
    const auto hops = static_cast<std::uint16_t>(remaining(at, came_down, to) + 1);
    for (const Step& back : steps(at, false)) {
      const SwitchId before = back.next;
      const bool step_down = !back.down;
      if (step_down != came_down) continue;  // it would arrive in the other state
      if (from_start_(to, before) == Distances::unreachable) {
        from_start_(to, before) = hops;
        reached.emplace_back(before, false);
      }
      const bool allowed = step_down || may_turn_[before];
      if (allowed && after_down_(to, before) == Distances::unreachable) {
        after_down_(to, before) = hops;
        reached.emplace_back(before, true);
      }
    }
  }
}

}  // namespace morgana
