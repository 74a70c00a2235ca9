#include "emulator/routing/forwarding_table.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace morgana {
namespace {

/// A switch takes its first arc that leads closer.
ForwardingTable fewest_trunks(const SwitchGraph& graph, const Arcs& arcs) {
  ForwardingTable table(graph);
  const TrunkSearch search(arcs);
  for (SwitchId to = 0; to < graph.switches(); ++to) {
    const std::vector<std::uint32_t> distance = search.to_nearest({to});
    for (SwitchId at = 0; at < graph.switches(); ++at) {
      if (at == to || distance[at] == unreachable_trunks) continue;
      const auto closer = std::find_if(arcs[at].begin(), arcs[at].end(), [&](const Arc& arc) {
        return distance[arc.other.at] + 1 == distance[at];
      });
      table.set(at, to, closer->port);
    }
  }
  return table;
}

/// Bridges by identifier: the root, then by number.
using Identifier = std::pair<bool, SwitchId>;

class SpanningTree {
 public:
  SpanningTree(Arcs arcs, SwitchId root, const std::function<std::uint64_t(CableChannel)>& cost)
      : arcs_(std::move(arcs)), root_(root), cost_(cost), distance_(arcs_.size(), far) {
    settle_from(root);
    for (SwitchId at = 0; at < arcs_.size(); ++at)
      if (distance_[at] == far) settle_from(at);
  }

  /// The arcs of the tree, in both directions.
  Arcs arcs() const {
    Arcs tree(arcs_.size());
    for (SwitchId at = 0; at < arcs_.size(); ++at) {
      const Arc* const up = root_port(at);
      if (up == nullptr) continue;
      tree[at].push_back(*up);
      tree[up->other.at].push_back({up->other.port, {at, up->port}, 0});
    }
    return tree;
  }

 private:
  static constexpr std::uint64_t far = std::numeric_limits<std::uint64_t>::max();
  Identifier identifier(SwitchId at) const { return {at != root_, at}; }

  /// Root path costs of a part, from its root on (Dijkstra 1959; the nets are small).
  void settle_from(SwitchId root) {
    distance_[root] = 0;
    std::vector<SwitchId> open{root};
    while (!open.empty()) {
      const auto nearest = std::min_element(
          open.begin(), open.end(), [&](SwitchId a, SwitchId b) { return distance_[a] < distance_[b]; });
      const SwitchId here = *nearest;
      *nearest = open.back();
      open.pop_back();
      for (const Arc& arc : arcs_[here]) {
        const std::uint64_t through = distance_[here] + cost_(arc.channel);
        std::uint64_t& there = distance_[arc.other.at];
        if (through >= there) continue;
        if (there == far) open.push_back(arc.other.at);
        there = through;
      }
    }
  }

  const Arc* root_port(SwitchId at) const {
    if (distance_[at] == 0) return nullptr;
    const auto rank = [&](const Arc& arc) {
      return std::tuple(distance_[arc.other.at] + cost_(arc.channel), identifier(arc.other.at),
                        arc.other.port, arc.port);
    };
    return &*std::min_element(arcs_[at].begin(), arcs_[at].end(),
                              [&](const Arc& a, const Arc& b) { return rank(a) < rank(b); });
  }

  Arcs arcs_;
  SwitchId root_;
  const std::function<std::uint64_t(CableChannel)>& cost_;
  std::vector<std::uint64_t> distance_;
};

}  // namespace

ForwardingTable::ForwardingTable(const SwitchGraph& graph)
    : switches_(graph.switches()), port_(graph.switches() * graph.switches(), none) {}

ForwardingTable shortest_path_table(const SwitchGraph& graph, const ChannelFilter& usable) {
  return fewest_trunks(graph, usable_arcs(graph, usable));
}

std::uint64_t bridge_path_cost(std::int64_t bits_per_second) {
  constexpr std::int64_t cost_times_rate = 20'000'000'000'000;
  return static_cast<std::uint64_t>(std::max<std::int64_t>(1, cost_times_rate / bits_per_second));
}

ForwardingTable spanning_tree_table(const SwitchGraph& graph, SwitchId root,
                                    const std::function<std::uint64_t(CableChannel)>& cost,
                                    const ChannelFilter& usable) {
  return fewest_trunks(graph, SpanningTree(usable_arcs(graph, usable), root, cost).arcs());
}

}  // namespace morgana
