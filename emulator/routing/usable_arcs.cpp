#include "emulator/routing/usable_arcs.h"

namespace morgana {

Arcs usable_arcs(const SwitchGraph& graph, const ChannelFilter& usable) {
  Arcs arcs(graph.switches());
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    for (unsigned number = 0; number < graph.ports(at); ++number) {
      const SwitchPort port{at, static_cast<PortNumber>(number)};
      const Neighbour& other = graph.neighbour(port);
      if (!other.is_switch() || other.id == at) continue;
      if (usable(graph.channel_from(port)) && usable(graph.channel_from(other.switch_port())))
        arcs[at].push_back({port.port, other.switch_port(), graph.channel_from(port)});
    }
  }
  return arcs;
}

std::vector<std::uint32_t> trunks_to_nearest(const Arcs& arcs, const std::vector<SwitchId>& targets) {
  std::vector<std::uint32_t> distance(arcs.size(), unreachable_trunks);
  std::vector<SwitchId> reached = targets;
  for (const SwitchId target : targets) distance[target] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const SwitchId here = reached[next];
    for (const Arc& arc : arcs[here]) {
      if (distance[arc.other.at] != unreachable_trunks) continue;
      distance[arc.other.at] = distance[here] + 1;
      reached.push_back(arc.other.at);
    }
  }
  return distance;
}

}  // namespace morgana
