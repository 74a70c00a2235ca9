#include "emulator/network/myrinet/routes/shortest_routes.h"

#include <cassert>
#include <vector>

#include "emulator/core/long_work.h"
#include "emulator/core/random.h"

namespace morgana {
namespace {

/// Draws shortest paths to one switch at a time.
class ShortestPathDraw {
 public:
  ShortestPathDraw(const Paths& paths, Draw draw, RandomStream& random)
      : paths_(paths), draw_(draw), random_(random), count_(2 * paths.switches()) {}

  void aim_at(SwitchId to) {
    to_ = to;
    count_.assign(count_.size(), not_counted);
  }
  /// From a switch from which there is a way.
  const SwitchPath& draw(SwitchId from) {
    path_.clear();
    SwitchId at = from;
    bool came_down = false;
    while (at != to_) {
      const Paths::Step& step = draw_step(at, came_down);
      path_.push_back(step);
      at = step.next;
      came_down = step.down;
    }
    return path_;
  }

 private:
  static constexpr double not_counted = -1;

  bool nearer(SwitchId at, bool came_down, const Paths::Step& step) const {
    return paths_.remaining(step.next, step.down, to_) + 1 == paths_.remaining(at, came_down, to_);
  }
  double weight(const Paths::Step& step) { return draw_ == Draw::path ? count(step.next, step.down) : 1; }
  /// How many shortest paths lead on from here; in floating point, as there may be astronomically many.
  double count(SwitchId at, bool came_down) {
    if (at == to_) return 1;
    double& known = count_[2 * at + (came_down ? 1 : 0)];
    if (known != not_counted) return known;
    double sum = 0;
    for (const Paths::Step& step : paths_.steps(at, came_down)) {
      if (nearer(at, came_down, step)) sum += count(step.next, step.down);
    }
    return known = sum;
  }
  const Paths::Step& draw_step(SwitchId at, bool came_down) {
    double total = 0;
    for (const Paths::Step& step : paths_.steps(at, came_down)) {
      if (nearer(at, came_down, step)) total += weight(step);
    }
    double left = random_.uniform() * total;
    const Paths::Step* last = nullptr;
    for (const Paths::Step& step : paths_.steps(at, came_down)) {
      if (!nearer(at, came_down, step)) continue;
      last = &step;
      left -= weight(step);
      if (left < 0) break;
    }
    assert(last != nullptr);  // rounding may leave a trace of `left` after the last step
    return *last;
  }

  const Paths& paths_;
  Draw draw_;
  RandomStream& random_;
  SwitchId to_ = 0;
  std::vector<double> count_;  // by switch and state
  SwitchPath path_;
};

RouteTable shortest_routes(const SwitchGraph& graph, const Paths& paths, bool hosts_at_turns,
                           const ShortestRouteOptions& options) {
  RandomStream random(options.seed, "shortest routes");
  RouteTable table = table_with_local_routes(graph, options.sharing);
  HostRoutes routes(graph, hosts_at_turns);
  ShortestPathDraw draw(paths, options.draw, random);
  LongWork work(routing_work, graph.switches());
  for (SwitchId to = 0; to < graph.switches(); ++to) {
    work.advance();
    if (graph.hosts_at(to).empty()) continue;
    draw.aim_at(to);
    for (SwitchId from = 0; from < graph.switches(); ++from) {
      const bool reachable = paths.remaining(from, false, to) != Distances::unreachable;
      if (from == to || !reachable || graph.hosts_at(from).empty()) continue;
      if (options.sharing == Sharing::switch_pair) {
        set_for_switch_pair(table, graph, routes, from, to, draw.draw(from));
        continue;
      }
      for (const HostNumber source : graph.hosts_at(from)) {
        for (const HostNumber destination : graph.hosts_at(to)) {
          table.set(table.row_of(source), destination, routes.header(from, draw.draw(from), destination));
        }
      }
    }
  }
  return table;
}

}  // namespace

RouteTable in_transit_routes(const SwitchGraph& graph, const UpDown& orientation,
                             const ShortestRouteOptions& options) {
  return shortest_routes(graph, Paths(graph, orientation, Turns::in_transit), true, options);
}

RouteTable minimal_routes(const SwitchGraph& graph, const ShortestRouteOptions& options) {
  return shortest_routes(graph, Paths(graph, UpDown(graph), Turns::anywhere), false, options);
}

RouteTable shortest_up_down_routes(const SwitchGraph& graph, const UpDown& orientation,
                                   const ShortestRouteOptions& options) {
  return shortest_routes(graph, Paths(graph, orientation, Turns::never), false, options);
}

}  // namespace morgana
