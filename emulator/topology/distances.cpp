#include "emulator/topology/distances.h"

#include <algorithm>

#include "emulator/core/statistics.h"

namespace morgana {
namespace {

template <typename Visit>
void for_reachable_pairs(const Distances& distances, Visit visit) {
  for (SwitchId from = 0; from < distances.switches(); ++from) {
    for (SwitchId to = 0; to < distances.switches(); ++to) {
      if (from != to && distances(from, to) != Distances::unreachable) visit(from, to);
    }
  }
}

}  // namespace

double Distances::mean() const {
  RunningStatistics hops;
  for_reachable_pairs(*this, [&](SwitchId from, SwitchId to) { hops.add((*this)(from, to)); });
  return hops.mean();
}

std::uint16_t Distances::largest() const {
  std::uint16_t most = 0;
  for_reachable_pairs(*this, [&](SwitchId from, SwitchId to) { most = std::max(most, (*this)(from, to)); });
  return most;
}

double Distances::share_equal(const Distances& other) const {
  RunningStatistics equal;
  for_reachable_pairs(
      *this, [&](SwitchId from, SwitchId to) { equal.add((*this)(from, to) == other(from, to) ? 1 : 0); });
  return equal.mean();
}

void minimal_distances_from(const SwitchGraph& graph, SwitchId from, std::span<std::uint16_t> to) {
  std::vector<SwitchId> reached{from};
  to[from] = 0;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const SwitchId at = reached[next];
    for (unsigned port = 0; port < graph.ports(at); ++port) {
      const Neighbour& other = graph.neighbour({at, static_cast<PortNumber>(port)});
      if (!other.is_switch() || to[other.id] != Distances::unreachable) continue;
      to[other.id] = static_cast<std::uint16_t>(to[at] + 1);
      reached.push_back(other.id);
    }
  }
}

Distances minimal_distances(const SwitchGraph& graph) {
  Distances distances(graph.switches());
  for (SwitchId from = 0; from < graph.switches(); ++from)
    minimal_distances_from(graph, from, distances.row(from));
  return distances;
}

}  // namespace morgana
