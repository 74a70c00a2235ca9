#include "emulator/network/myrinet/routes/simple_routes.h"

#include <limits>
#include <utility>
#include <vector>

#include "emulator/core/long_work.h"
#include "emulator/core/random.h"

namespace morgana {
namespace {

/// Finds the path whose channels carry least so far, among those that are not too long.
class LeastLoadedPath {
 public:
  LeastLoadedPath(const SwitchGraph& graph, const Paths& paths, unsigned detour)
      : paths_(paths), detour_(detour), load_(graph.channels()), layers_(1) {}

  /// Between switches between which there is a way.
  const SwitchPath& find(SwitchId from, SwitchId to) {
    const unsigned longest = paths_.remaining(from, false, to) + detour_;
    start(from, longest);
    for (unsigned hops = 0; hops < longest; ++hops) extend(hops, to, longest);
    collect(from, to, longest);
    return path_;
  }
  /// Counts that many more routes on a path.
  void load(const SwitchPath& path, std::uint64_t routes) {
    for (const Paths::Step& step : path) load_[step.channel] += routes;
  }

 private:
  using Cost = std::uint64_t;
  static constexpr Cost unreached = std::numeric_limits<Cost>::max();
  /// The cheapest way to a switch and state over a certain number of cables.
  struct Best {
    Cost cost = unreached;
    std::uint32_t from = 0;  // state before, as index
    Paths::Step step{};
  };
  struct Layer {
    std::vector<Best> best;             // by state
    std::vector<std::uint32_t> active;  // the states reached
  };

  static std::uint32_t index(SwitchId at, bool came_down) { return 2 * at + (came_down ? 1 : 0); }

  void start(SwitchId from, unsigned longest) {
    for (Layer& layer : layers_) {
      for (const std::uint32_t state : layer.active) layer.best[state].cost = unreached;
      layer.active.clear();
    }
    if (layers_.size() <= longest) layers_.resize(longest + 1);
    for (Layer& layer : layers_) layer.best.resize(2 * paths_.switches());
    layers_[0].best[index(from, false)].cost = 0;
    layers_[0].active.push_back(index(from, false));
  }

  void extend(unsigned hops, SwitchId to, unsigned longest) {
    for (const std::uint32_t state : layers_[hops].active) {
      const SwitchId at = state / 2;
      if (at == to) continue;
      const Cost cost = layers_[hops].best[state].cost;
      for (const Paths::Step& step : paths_.steps(at, state % 2 != 0)) {
        if (hops + 1u + paths_.remaining(step.next, step.down, to) > longest) continue;
        const std::uint32_t reached = index(step.next, step.down);
        Best& best = layers_[hops + 1].best[reached];
        const Cost through = cost + load_[step.channel] + 1;  // of equally loaded ones the shortest
        if (through >= best.cost) continue;
        if (best.cost == unreached) layers_[hops + 1].active.push_back(reached);
        best = {through, state, step};
      }
    }
  }

  void collect(SwitchId from, SwitchId to, unsigned longest) {
    unsigned hops = 0;
    std::uint32_t state = index(from, false);
    Cost least = unreached;
    for (unsigned n = 1; n <= longest; ++n) {
      for (const bool came_down : {false, true}) {
        const Cost cost = layers_[n].best[index(to, came_down)].cost;
        if (cost >= least) continue;
        least = cost;
        hops = n;
        state = index(to, came_down);
      }
    }
    path_.resize(hops);
    for (; hops > 0; --hops) {
      path_[hops - 1] = layers_[hops].best[state].step;
      state = layers_[hops].best[state].from;
    }
  }

  const Paths& paths_;
  unsigned detour_;
  std::vector<std::uint64_t> load_;  // by channel
  std::vector<Layer> layers_;        // by number of cables crossed
  SwitchPath path_;
};

using Pair = std::pair<std::uint32_t, std::uint32_t>;

/// All that have to be routed, of switches or of hosts.
template <typename Wanted>
std::vector<Pair> pairs_in_order(std::size_t count, const BalancedRouteOptions& options, Wanted wanted) {
  std::vector<Pair> pairs;
  for (std::uint32_t from = 0; from < count; ++from) {
    for (std::uint32_t to = 0; to < count; ++to) {
      if (wanted(from, to)) pairs.emplace_back(from, to);
    }
  }
  if (options.order == RoutingOrder::by_source) return pairs;
  RandomStream random(options.seed, "order of routing");
  for (std::size_t left = pairs.size(); left > 1; --left) {
    std::swap(pairs[left - 1], pairs[random.below(left)]);
  }
  return pairs;
}

}  // namespace

RouteTable simple_routes(const SwitchGraph& graph, const UpDown& orientation,
                         const BalancedRouteOptions& options) {
  const Paths paths(graph, orientation, Turns::never);
  const auto wanted = [&](SwitchId from, SwitchId to) {
    return from != to && paths.remaining(from, false, to) != Distances::unreachable &&
           !graph.hosts_at(from).empty() && !graph.hosts_at(to).empty();
  };
  const auto at = [&](HostNumber host) { return graph.port_of(host).at; };
  RouteTable table = table_with_local_routes(graph, options.sharing);
  HostRoutes routes(graph, false);
  LeastLoadedPath least_loaded(graph, paths, options.detour);
  if (options.sharing == Sharing::switch_pair) {
    const std::vector<Pair> pairs = pairs_in_order(graph.switches(), options, wanted);
    LongWork work(routing_work, pairs.size());
    for (const auto& [from, to] : pairs) {
      work.advance();
      const SwitchPath& path = least_loaded.find(from, to);
      least_loaded.load(path, graph.hosts_at(from).size() * graph.hosts_at(to).size());
      set_for_switch_pair(table, graph, routes, from, to, path);
    }
    return table;
  }
  const auto hosts_wanted = [&](HostNumber from, HostNumber to) { return wanted(at(from), at(to)); };
  const std::vector<Pair> pairs = pairs_in_order(graph.hosts(), options, hosts_wanted);
  LongWork work(routing_work, pairs.size());
  for (const auto& [from, to] : pairs) {
    work.advance();
    const SwitchPath& path = least_loaded.find(at(from), at(to));
    least_loaded.load(path, 1);
    table.set(table.row_of(from), to, routes.header(at(from), path, to));
  }
  return table;
}

}  // namespace morgana
