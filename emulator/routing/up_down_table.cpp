#include "emulator/routing/up_down_table.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "emulator/routing/nonminimal.h"

namespace morgana {
namespace {

/// Usable cables by direction.
class Orientation {
 public:
  Orientation(const SwitchGraph& graph, const ChannelFilter& usable)
      : order_(graph.switches()), up_(graph.switches()), down_(graph.switches()) {
    const Arcs arcs = usable_arcs(graph, usable);
    const TrunkSearch search(arcs);
    std::vector<std::uint32_t> level(arcs.size(), unreachable_trunks);
    for (SwitchId root = 0; root < arcs.size(); ++root) {
      if (level[root] != unreachable_trunks) continue;
      const std::vector<std::uint32_t> distance = search.to_nearest({root});
      for (SwitchId at = 0; at < arcs.size(); ++at) level[at] = std::min(level[at], distance[at]);
    }
    const auto rank = [&](SwitchId at) { return std::pair(level[at], at); };
    for (SwitchId at = 0; at < arcs.size(); ++at)
      for (const Arc& arc : arcs[at]) (rank(arc.other.at) < rank(at) ? up_ : down_)[at].push_back(arc);
    std::iota(order_.begin(), order_.end(), SwitchId{0});
    std::ranges::sort(order_, {}, rank);
  }
  const std::vector<Arc>& up(SwitchId at) const { return up_[at]; }
  const std::vector<Arc>& down(SwitchId at) const { return down_[at]; }
  /// All switches, each after those above it.
  const std::vector<SwitchId>& order() const { return order_; }

 private:
  std::vector<SwitchId> order_;
  Arcs up_, down_;  // by switch
};

}  // namespace

ForwardingTable up_down_table(const SwitchGraph& graph, const ChannelFilter& usable) {
  const Orientation cables(graph, usable);
  ForwardingTable table(graph);
  std::vector<std::uint32_t> hops;
  std::vector<bool> above;  // the destination: cables lead down to it
  std::vector<SwitchId> reached;
  const auto set = [&](SwitchId at, SwitchId to, const std::vector<Arc>& arcs) {
    const auto leads = [&](const Arc& arc) { return hops[arc.other.at] + 1 == hops[at]; };
    const auto equal = static_cast<std::uint64_t>(std::ranges::count_if(arcs, leads));
    std::uint64_t skipped = mixed_bits(std::uint64_t{at} << 32 | to) % equal;
    const auto chosen =
        std::ranges::find_if(arcs, [&](const Arc& arc) { return leads(arc) && skipped-- == 0; });
    table.set(at, to, chosen->port);
  };
  for (SwitchId to = 0; to < graph.switches(); ++to) {
    hops.assign(graph.switches(), unreachable_trunks);
    above.assign(graph.switches(), false);
    reached.assign(1, to);
    hops[to] = 0;
    above[to] = true;
    for (std::size_t next = 0; next < reached.size(); ++next) {
      for (const Arc& arc : cables.up(reached[next])) {
        if (above[arc.other.at]) continue;
        above[arc.other.at] = true;
        hops[arc.other.at] = hops[reached[next]] + 1;
        reached.push_back(arc.other.at);
      }
    }
    for (const SwitchId at : cables.order()) {
      if (above[at]) {
        if (at != to) set(at, to, cables.down(at));  // of those below only the ones above `to` have hops yet
        continue;
      }
      for (const Arc& arc : cables.up(at))
        if (hops[arc.other.at] != unreachable_trunks) hops[at] = std::min(hops[at], hops[arc.other.at] + 1);
      if (hops[at] != unreachable_trunks) set(at, to, cables.up(at));
    }
  }
  return table;
}

}  // namespace morgana
