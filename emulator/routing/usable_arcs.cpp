#include "emulator/routing/usable_arcs.h"

#include <algorithm>

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

TrunkSearch::TrunkSearch(const Arcs& arcs) : first_{0} {
  std::vector<SwitchId> here;
  for (const std::vector<Arc>& from : arcs) {
    here.clear();
    for (const Arc& arc : from) here.push_back(arc.other.at);
    std::sort(here.begin(), here.end());
    here.erase(std::unique(here.begin(), here.end()), here.end());
    neighbours_.insert(neighbours_.end(), here.begin(), here.end());
    first_.push_back(neighbours_.size());
  }
}

std::vector<std::uint32_t> TrunkSearch::to_nearest(const std::vector<SwitchId>& targets) const {
  std::vector<std::uint32_t> distance(first_.size() - 1, unreachable_trunks);
  std::vector<SwitchId> reached = targets;
  for (const SwitchId target : targets) distance[target] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const SwitchId here = reached[next];
    for (std::size_t one = first_[here]; one < first_[here + 1]; ++one) {
      const SwitchId other = neighbours_[one];
      if (distance[other] != unreachable_trunks) continue;
      distance[other] = distance[here] + 1;
      reached.push_back(other);
    }
  }
  return distance;
}

std::vector<std::uint32_t> trunks_to_nearest(const Arcs& arcs, const std::vector<SwitchId>& targets) {
  return TrunkSearch(arcs).to_nearest(targets);
}

}  // namespace morgana
