#include "emulator/routing/up_down_table.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <utility>

#include "emulator/routing/laned_routing.h"
#include "emulator/routing/usable_arcs.h"

namespace morgana {
namespace {

/// Switches in an order in which the upper end of each cable comes first.
class RankedSwitches {
 public:
  /// @param ranked  the cables by which they are ranked. @param roots  of rank 0; parts that have none begin
  /// at their lowest switch
  RankedSwitches(const Arcs& ranked, const std::vector<SwitchId>& roots)
      : order_(ranked.size()), place_(ranked.size()) {
    const TrunkSearch search(ranked);
    std::vector<std::uint32_t> rank = search.to_nearest(roots);
    for (SwitchId at = 0; at < rank.size(); ++at) {
      if (rank[at] != unreachable_trunks) continue;
      const std::vector<std::uint32_t> from_here = search.to_nearest({at});
      for (SwitchId other = 0; other < rank.size(); ++other)
        rank[other] = std::min(rank[other], from_here[other]);
    }
    std::iota(order_.begin(), order_.end(), SwitchId{0});
    std::ranges::stable_sort(order_, {}, [&](SwitchId at) { return rank[at]; });
    for (std::uint32_t place = 0; place < order_.size(); ++place) place_[order_[place]] = place;
  }
  const std::vector<SwitchId>& order() const { return order_; }
  bool leads_up(SwitchId from, const Arc& arc) const { return place_[arc.other.at] < place_[from]; }

 private:
  std::vector<SwitchId> order_;
  std::vector<std::uint32_t> place_;
};

using PortLists = std::vector<std::vector<PortNumber>>;  // by switch

/// The equally good ports of each switch towards one of them.
PortLists ports_towards(SwitchId to, const Arcs& arcs, const RankedSwitches& ranked) {
  std::vector<std::uint32_t> hops(arcs.size(), unreachable_trunks);
  std::vector<bool> above(arcs.size());  // cables lead down to the destination
  std::vector<SwitchId> reached{to};
  hops[to] = 0;
  above[to] = true;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const SwitchId here = reached[next];
    for (const Arc& arc : arcs[here]) {
      if (!ranked.leads_up(here, arc) || above[arc.other.at]) continue;
      above[arc.other.at] = true;
      hops[arc.other.at] = hops[here] + 1;
      reached.push_back(arc.other.at);
    }
  }
  PortLists ports(arcs.size());
  for (const SwitchId at : ranked.order()) {  // each after all that cables lead up to
    if (at == to) continue;
    const bool up = !above[at];
    const auto leads = [&](const Arc& arc) {
      const SwitchId other = arc.other.at;
      return ranked.leads_up(at, arc) == up && (up || above[other]) && hops[other] != unreachable_trunks;
    };
    if (up)
      for (const Arc& arc : arcs[at])
        if (leads(arc)) hops[at] = std::min(hops[at], hops[arc.other.at] + 1);
    for (const Arc& arc : arcs[at])
      if (leads(arc) && hops[arc.other.at] + 1 == hops[at]) ports[at].push_back(arc.port);
  }
  return ports;
}

/// The table of one order; nothing if it does not join all switches with hosts that the cables join.
std::optional<DestinationTable> table_of(const SwitchGraph& graph, const Arcs& arcs,
                                         const RankedSwitches& ranked) {
  const TrunkSearch search(arcs);
  DestinationTable table(graph, DestinationTable::Rows::hosts);
  std::vector<std::vector<std::uint32_t>> used(graph.switches());  // by switch and port: hosts so far
  for (SwitchId at = 0; at < graph.switches(); ++at) used[at].resize(graph.ports(at));
  std::map<SwitchId, PortLists> known;  // of the last switch alone, where hosts are numbered switch by switch
  for (HostNumber host = 0; host < graph.hosts(); ++host) {
    const SwitchId to = graph.port_of(host).at;
    if (!known.contains(to)) {
      known.clear();
      known.emplace(to, ports_towards(to, arcs, ranked));
      const std::vector<std::uint32_t> distance = search.to_nearest({to});
      for (SwitchId at = 0; at < graph.switches(); ++at)
        if (at != to && !graph.hosts_at(at).empty() && distance[at] != unreachable_trunks &&
            known.at(to)[at].empty())
          return std::nullopt;
    }
    const PortLists& ports = known.at(to);
    for (SwitchId at = 0; at < graph.switches(); ++at) {
      if (ports[at].empty()) continue;
      const auto use = [&](PortNumber port) { return used[at][port]; };
      const PortNumber port = *std::ranges::min_element(ports[at], {}, use);
      ++used[at][port];
      table.set(table.row_of(host), at, port);
    }
  }
  return table;
}

}  // namespace

std::vector<SwitchId> up_down_roots(const SwitchGraph& graph) {
  const TrunkSearch search(usable_arcs(graph, [](CableChannel) { return true; }));
  std::vector<std::map<std::uint32_t, std::size_t>> hosts_at(
      graph.switches());  // by switch, then by distance
  for (SwitchId to = 0; to < graph.switches(); ++to) {
    const std::size_t hosts = graph.hosts_at(to).size();
    if (hosts == 0) continue;
    const std::vector<std::uint32_t> distance = search.to_nearest({to});
    for (SwitchId at = 0; at < graph.switches(); ++at)
      if (distance[at] != unreachable_trunks) hosts_at[at][distance[at]] += hosts;
  }
  std::vector<SwitchId> roots;
  constexpr std::size_t hundred = 100, most = 90, few = 5;
  std::uint32_t nearest = unreachable_trunks;
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    const auto above = [&](std::size_t percent) {
      return [percent, all = graph.hosts()](const auto& bar) { return hundred * bar.second > percent * all; };
    };
    const auto main = std::ranges::find_if(hosts_at[at], above(most));
    if (main == hosts_at[at].end() || std::ranges::count_if(hosts_at[at], above(few)) != 1) continue;
    if (main->first < nearest) roots.clear();
    nearest = std::min(nearest, main->first);
    if (main->first == nearest) roots.push_back(at);
  }
  return roots;
}

DestinationTable up_down_table(const SwitchGraph& graph, SwitchId root, const ChannelFilter& usable) {
  std::vector<SwitchId> roots = up_down_roots(graph);
  if (roots.empty()) roots.push_back(root);
  const Arcs all = usable_arcs(graph, [](CableChannel) { return true; }), arcs = usable_arcs(graph, usable);
  const std::vector<SwitchId> first{roots.front()};
  for (const auto& [ranked, from] : {std::pair(&all, &roots), std::pair(&arcs, &roots)})
    if (auto table = table_of(graph, arcs, RankedSwitches(*ranked, *from))) return *std::move(table);
  return *table_of(graph, arcs, RankedSwitches(arcs, first));
}

std::shared_ptr<const Routing> up_down_routing(const SwitchGraph& graph, SwitchId root,
                                               const ChannelFilter& usable) {
  return std::make_shared<LanedRouting>(graph, up_down_table(graph, root, usable));
}

}  // namespace morgana
