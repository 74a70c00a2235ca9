#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Every path between two switches, by trying all: what the routing room is checked against. It looks at
/// nothing but the graph and the levels. No path visits a switch twice after coming down, nor twice
/// otherwise.
class ReferencePaths {
 public:
  struct Path {
    std::vector<CableChannel> channels;
    unsigned turns = 0;  ///< times it goes up after it has come down
    bool turns_have_hosts = true;
  };

  ReferencePaths(const SwitchGraph& graph, SwitchId root) : graph_(graph), level_(levels(graph, root)) {}

  std::vector<Path> all(SwitchId from, SwitchId to) const {
    std::vector<Path> found;
    std::vector<bool> visited(2 * graph_.switches());
    extend(from, to, false, {}, visited, found);
    return found;
  }
  bool goes_up(SwitchId from, SwitchId to) const {
    return level_[to] < level_[from] || (level_[to] == level_[from] && to < from);
  }
  /// Of the paths that `allowed` admits the shortest's length; nothing if there is none.
  template <typename Allowed>
  std::optional<std::size_t> shortest(SwitchId from, SwitchId to, Allowed allowed) const {
    std::optional<std::size_t> least;
    for (const Path& path : all(from, to)) {
      if (allowed(path) && (!least || path.channels.size() < *least)) least = path.channels.size();
    }
    return least;
  }

 private:
  static std::vector<unsigned> levels(const SwitchGraph& graph, SwitchId root) {
    // Rounds of relaxation: slow, plain, and nothing like a breadth-first search.
    std::vector<unsigned> level(graph.switches(), 1'000'000);
    level[root] = 0;
    for (std::size_t round = 0; round < graph.switches(); ++round) {
      for (const auto& [a, b] : graph.cables()) {
        level[a.at] = std::min(level[a.at], level[b.at] + 1);
        level[b.at] = std::min(level[b.at], level[a.at] + 1);
      }
    }
    return level;
  }

  void extend(SwitchId at, SwitchId to, bool came_down, const Path& path, std::vector<bool>& visited,
              std::vector<Path>& found) const {
    if (at == to) {
      found.push_back(path);
      return;
    }
    const std::size_t state = 2 * at + (came_down ? 1 : 0);
    visited[state] = true;
    for (unsigned n = 0; n < graph_.ports(at); ++n) {
      const SwitchPort port{at, static_cast<PortNumber>(n)};
      const Neighbour& other = graph_.neighbour(port);
      if (!other.is_switch() || other.id == at) continue;
      const bool up = goes_up(at, other.id);
      if (visited[2 * other.id + (up ? 0 : 1)]) continue;
      Path further = path;
      further.channels.push_back(graph_.channel_from(port));
      if (up && came_down) {
        ++further.turns;
        further.turns_have_hosts = further.turns_have_hosts && !graph_.hosts_at(at).empty();
      }
      extend(other.id, to, !up, further, visited, found);
    }
    visited[state] = false;
  }

  const SwitchGraph& graph_;
  std::vector<unsigned> level_;
};

}  // namespace morgana
