#include "emulator/routing/equal_ports.h"

#include <map>

namespace morgana {

EqualPorts::EqualPorts(const SwitchGraph& graph, const ChannelFilter& usable)
    : switches_(graph.switches()), list_(graph.switches() * graph.switches()), lists_{0} {
  const Arcs arcs = usable_arcs(graph, usable);
  std::map<std::vector<PortNumber>, std::uint32_t> known{{{}, 0}};
  std::vector<PortNumber> ports;
  for (SwitchId to = 0; to < switches_; ++to) {
    const std::vector<std::uint32_t> distance = trunks_to_nearest(arcs, {to});
    for (SwitchId at = 0; at < switches_; ++at) {
      if (at == to || distance[at] == unreachable_trunks) continue;
      ports.clear();
      for (const Arc& arc : arcs[at])
        if (distance[arc.other.at] + 1 == distance[at]) ports.push_back(arc.port);
      const auto [place, is_new] = known.try_emplace(ports, static_cast<std::uint32_t>(lists_.size()));
      if (is_new) {
        lists_.push_back(static_cast<PortNumber>(ports.size()));
        lists_.insert(lists_.end(), ports.begin(), ports.end());
      }
      list_[at * switches_ + to] = place->second;
    }
  }
}

}  // namespace morgana
