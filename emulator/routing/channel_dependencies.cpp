#include "emulator/routing/channel_dependencies.h"

#include <algorithm>
#include <bitset>
#include <cassert>
#include <optional>

#include "emulator/routing/walk.h"

namespace morgana {
namespace {

constexpr CableChannel none = ~CableChannel{0};

/// Calls visit(held channel, wanted channel) for each dependency of a route.
template <typename Visit>
void for_dependencies(const SwitchGraph& graph, HostNumber from, Header header, Visit visit) {
  CableChannel held = none;
  std::size_t current = 0;
  walk(graph, from, header, [&](std::size_t leg, CableChannel channel) {
    if (leg == current && held != none) visit(held, channel);
    held = channel;
    current = leg;
  });
}

/// For each channel, which outputs are wanted at the switch where it ends.
class DependencyGraph {
 public:
  DependencyGraph(const SwitchGraph& graph, const RouteTable& table)
      : graph_(graph), wanted_(graph.channels()) {
    for_every_route(table, [&](HostNumber from, std::size_t, HostNumber, Header header) {
      for_dependencies(graph, from, header, [&](CableChannel held, CableChannel channel) {
        wanted_[held].set(graph.sending_port(channel).port);
      });
    });
  }

  std::size_t size() const { return wanted_.size(); }

  /// The first channel after `after` (none: the very first) that is wanted while this one is held.
  CableChannel next_wanted(CableChannel held, CableChannel after) const {
    const Neighbour at = graph_.receiver(held);
    if (!at.is_switch()) return none;
    for (unsigned port = after == none ? 0 : graph_.sending_port(after).port + 1u; port < graph_.ports(at.id);
         ++port) {
      if (wanted_[held].test(port)) {
        return graph_.channel_from(SwitchPort{at.id, static_cast<PortNumber>(port)});
      }
    }
    return none;
  }

  /// A channel of a cycle, by depth-first search; none if there is no cycle.
  CableChannel channel_of_a_cycle() const {
    enum : std::uint8_t { unseen, open, closed };
    std::vector<std::uint8_t> state(size(), unseen);
    struct Visit {
      CableChannel channel, last;
    };
    std::vector<Visit> stack;
    for (CableChannel start = 0; start < size(); ++start) {
      if (state[start] != unseen) continue;
      stack.push_back({start, none});
      state[start] = open;
      while (!stack.empty()) {
        Visit& top = stack.back();
        top.last = next_wanted(top.channel, top.last);
        if (top.last == none) {
          state[top.channel] = closed;
          stack.pop_back();
        } else if (state[top.last] == open) {
          return top.last;
        } else if (state[top.last] == unseen) {
          state[top.last] = open;
          stack.push_back({top.last, none});
        }
      }
    }
    return none;
  }

  /// The shortest cycle through a channel that lies on one.
  std::vector<CableChannel> shortest_cycle(CableChannel start) const {
    std::vector<CableChannel> before(size(), none), reached{start};
    for (std::size_t n = 0; before[start] == none; ++n) {
      assert(n < reached.size());
      for (CableChannel next = next_wanted(reached[n], none); next != none;
           next = next_wanted(reached[n], next)) {
        if (before[next] != none) continue;
        before[next] = reached[n];
        reached.push_back(next);
      }
    }
    std::vector<CableChannel> cycle;
    CableChannel at = start;
    do {
      cycle.push_back(at);
      at = before[at];
    } while (at != start);
    std::reverse(cycle.begin() + 1, cycle.end());
    return cycle;
  }

 private:
  const SwitchGraph& graph_;
  std::vector<std::bitset<SwitchGraph::most_ports_of_routes>> wanted_;  // by channel held: output ports
};

}  // namespace

std::vector<ChannelDependency> find_deadlock(const SwitchGraph& graph, const RouteTable& table) {
  const DependencyGraph dependencies(graph, table);
  const CableChannel on_cycle = dependencies.channel_of_a_cycle();
  if (on_cycle == none) return {};
  const std::vector<CableChannel> cycle = dependencies.shortest_cycle(on_cycle);

  // Which routes those are is looked up only now.
  constexpr std::size_t not_held = ~std::size_t{0};
  std::vector<std::size_t> place(graph.channels(), not_held);
  for (std::size_t n = 0; n < cycle.size(); ++n) place[cycle[n]] = n;
  std::vector<std::optional<ChannelDependency>> found(cycle.size());
  for_every_route(table, [&](HostNumber from, std::size_t, HostNumber to, Header header) {
    for_dependencies(graph, from, header, [&](CableChannel held, CableChannel wanted) {
      const std::size_t n = place[held];
      if (n == not_held || found[n] || cycle[(n + 1) % cycle.size()] != wanted) return;
      found[n] = ChannelDependency{held, wanted, from, to};
    });
  });
  std::vector<ChannelDependency> result;
  result.reserve(found.size());
  for (const auto& dependency : found) result.push_back(dependency.value());
  return result;
}

std::string describe(const SwitchGraph& graph, const std::vector<ChannelDependency>& cycle) {
  std::string text;
  for (const ChannelDependency& one : cycle) {
    text += fmt::format("{} is held while {} is wanted, by the route from host {} to host {}\n",
                        graph.describe(one.holds), graph.describe(one.wants), one.from, one.to);
  }
  return text;
}

}  // namespace morgana
