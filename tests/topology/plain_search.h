#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana {

// What the tests of topologies count by themselves, slowly and plainly, from the cables alone.

/// Cables between two switches that have hosts, over the fewest.
struct PlainDistances {
  unsigned largest = 0;
  double mean = 0;  ///< over ordered pairs of different ones
  bool all_reached = true;
};

inline PlainDistances plain_distances(const SwitchGraph& graph) {
  std::vector<std::vector<SwitchId>> next(graph.switches());
  for (const auto& [a, b] : graph.cables()) {
    next[a.at].push_back(b.at);
    next[b.at].push_back(a.at);
  }
  PlainDistances distances;
  double sum = 0, pairs = 0;
  for (SwitchId from = 0; from < graph.switches(); ++from) {
    if (graph.hosts_at(from).empty()) continue;
    std::vector<int> hops(graph.switches(), -1);
    hops[from] = 0;
    std::vector<SwitchId> queue{from};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const SwitchId to : next[queue[i]]) {
        if (hops[to] >= 0) continue;
        hops[to] = hops[queue[i]] + 1;
        queue.push_back(to);
      }
    }
    for (SwitchId to = 0; to < graph.switches(); ++to) {
      if (to == from || graph.hosts_at(to).empty()) continue;
      if (hops[to] < 0) {
        distances.all_reached = false;
        continue;
      }
      distances.largest = std::max(distances.largest, static_cast<unsigned>(hops[to]));
      sum += hops[to];
      ++pairs;
    }
  }
  distances.mean = pairs > 0 ? sum / pairs : 0;
  return distances;
}

/// The fewest cables between two halves with equally many hosts, of all ways to divide the switches: of some
/// twenty switches at most.
inline std::uint64_t cheapest_halves(const SwitchGraph& graph) {
  const auto switches = static_cast<unsigned>(graph.switches());
  std::uint64_t best = std::numeric_limits<std::uint64_t>::max();
  for (std::uint32_t half = 0; half < (1U << (switches - 1)); ++half) {
    std::size_t hosts = 0;
    for (std::uint32_t rest = half; rest != 0; rest &= rest - 1)
      hosts += graph.hosts_at(static_cast<SwitchId>(std::countr_zero(rest))).size();
    if (2 * hosts != graph.hosts()) continue;
    std::uint64_t cut = 0;
    for (const auto& [a, b] : graph.cables()) cut += (half >> a.at & 1U) != (half >> b.at & 1U) ? 1 : 0;
    best = std::min(best, cut);
  }
  return best;
}

inline bool simple(const SwitchGraph& graph) {
  std::set<std::pair<SwitchId, SwitchId>> seen;
  return std::ranges::all_of(graph.cables(), [&](const SwitchGraph::Cable& cable) {
    return cable.a.at != cable.b.at && seen.insert(std::minmax(cable.a.at, cable.b.at)).second;
  });
}

/// A number from 1 to `most`.
inline unsigned one_to(unsigned most, std::mt19937& chance) {
  return 1 + static_cast<unsigned>(chance() % most);
}

/// How many cables lead from a switch to others.
inline unsigned degree(const SwitchGraph& graph, SwitchId at) {
  unsigned count = 0;
  for (unsigned port = 0; port < graph.ports(at); ++port)
    count += graph.neighbour({at, static_cast<PortNumber>(port)}).is_switch() ? 1 : 0;
  return count;
}

}  // namespace morgana
