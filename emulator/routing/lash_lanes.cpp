#include <algorithm>

#include "emulator/routing/acyclic_graph.h"
#include "emulator/routing/laned_routing.h"

namespace morgana {
namespace {

struct ChannelPair {
  CableChannel held, wanted;
};

/// Adds all dependencies to a channel's, or none. @return whether they are there
bool fits(AcyclicGraph& lane, const std::vector<ChannelPair>& dependencies) {
  std::vector<ChannelPair> added;
  for (const ChannelPair& one : dependencies) {
    if (lane.has(one.held, one.wanted)) continue;
    if (lane.add(one.held, one.wanted)) {
      added.push_back(one);
      continue;
    }
    for (const ChannelPair& other : added) lane.remove(other.held, other.wanted);
    return false;
  }
  return true;
}

}  // namespace

Lanes lash_lanes(const SwitchGraph& graph, const DestinationTable& table, unsigned most) {
  require_few_dependencies("lash", graph, table);
  Lanes lanes{0, std::vector<VirtualChannel>(table.rows() * table.switches())};
  std::vector<AcyclicGraph> layers;
  std::vector<ChannelPair> dependencies;
  std::vector<CableChannel> way;
  const auto follow = [&](SwitchId from, SwitchId to) {
    table.way(graph, to, from, way);
    for (std::size_t n = 1; n < way.size(); ++n) dependencies.push_back({way[n - 1], way[n]});
  };
  for (SwitchId a = 0; a < graph.switches(); ++a) {
    if (graph.hosts_at(a).empty()) continue;
    for (SwitchId b = a + 1; b < graph.switches(); ++b) {
      if (graph.hosts_at(b).empty()) continue;
      dependencies.clear();
      follow(a, b);
      follow(b, a);
      std::size_t lane = 0;
      while (lane < layers.size() && !fits(layers[lane], dependencies)) ++lane;
      if (lane == layers.size()) {
        if (lane == most) throw TooFewLanes("lash", most);
        layers.emplace_back(graph.channels());
        fits(layers.back(), dependencies);  // two shortest ways there and back share no channel
      }
      lanes.of[b * table.switches() + a] = static_cast<VirtualChannel>(lane);
      lanes.of[a * table.switches() + b] = static_cast<VirtualChannel>(lane);
    }
  }
  lanes.count = std::max(1U, static_cast<unsigned>(layers.size()));
  return lanes;
}

}  // namespace morgana
