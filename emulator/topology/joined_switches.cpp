#include "emulator/topology/joined_switches.h"

#include <algorithm>

namespace morgana {

JoinedSwitches::JoinedSwitches(const SwitchGraph& graph) {
  std::vector<SwitchId> here;
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    here.clear();
    for (unsigned port = 0; port < graph.ports(at); ++port) {
      const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
      if (other.is_switch() && other.id != at) here.push_back(other.id);
    }
    std::ranges::sort(here);
    first_.push_back(next_.size());
    for (const SwitchId other : here) {
      if (next_.size() == first_.back() || next_.back().at != other) next_.push_back({other, 0});
      ++next_.back().trunks;
    }
  }
  first_.push_back(next_.size());
}

}  // namespace morgana
