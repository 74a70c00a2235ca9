#include "emulator/routing/destination_table.h"

#include <algorithm>
#include <numeric>

#include "emulator/core/error.h"
#include "emulator/routing/forwarding_table.h"

namespace morgana {
namespace {

/// Grows the tree of each host in its turn.
class BalancedTrees {
 public:
  BalancedTrees(const SwitchGraph& graph, const ChannelFilter& usable)
      : graph_(graph),
        arcs_(usable_arcs(graph, usable)),
        load_(graph.channels()),
        hops_(graph.switches()),
        sum_(graph.switches()),
        carried_(graph.switches()) {}

  void grow(DestinationTable& table, std::size_t row) {
    const SwitchId last = table.last_switch(row);
    search(last);
    for (const SwitchId at : reached_) {
      carried_[at] = graph_.hosts_at(at).size();
      if (at == last) continue;
      const Arc* best = nullptr;
      for (const Arc& arc : arcs_[at]) {
        if (hops_[arc.other.at] + 1 != hops_[at]) continue;
        const std::uint64_t sum = sum_[arc.other.at] + load_[arc.channel];
        if (best != nullptr && sum >= sum_[at]) continue;
        best = &arc;
        sum_[at] = sum;
      }
      table.set(row, at, best->port);
    }
    for (auto at = reached_.rbegin(); *at != last; ++at) {  // the farthest first
      const SwitchPort output{*at, *table.port(row, *at)};
      load_[graph_.channel_from(output)] += carried_[*at];
      carried_[graph_.neighbour(output).id] += carried_[*at];
    }
  }

 private:
  void search(SwitchId last) {
    std::fill(hops_.begin(), hops_.end(), unreachable_trunks);
    reached_.assign(1, last);
    hops_[last] = 0;
    sum_[last] = 0;
    for (std::size_t next = 0; next < reached_.size(); ++next) {
      for (const Arc& arc : arcs_[reached_[next]]) {
        if (hops_[arc.other.at] != unreachable_trunks) continue;
        hops_[arc.other.at] = hops_[reached_[next]] + 1;
        reached_.push_back(arc.other.at);
      }
    }
  }

  const SwitchGraph& graph_;
  Arcs arcs_;
  std::vector<std::uint64_t> load_;     // pairs of hosts, by channel
  std::vector<std::uint32_t> hops_;     // to the host that is being routed, by switch
  std::vector<std::uint64_t> sum_;      // of loads on the way there
  std::vector<std::uint64_t> carried_;  // hosts that send through the switch, its own included
  std::vector<SwitchId> reached_;       // the nearest first
};

}  // namespace

DestinationTable::DestinationTable(const SwitchGraph& graph, Rows rows)
    : switches_(graph.switches()), rows_(rows) {
  for (SwitchId at = 0; at < graph.switches(); ++at)
    if (graph.ports(at) > none)
      throw Error("sssp, dfsssp and lash need switches of at most 65,535 ports: choose other routes");
  for (HostNumber to = 0; to < graph.hosts(); ++to)
    row_of_.push_back(rows == Rows::hosts ? to : graph.port_of(to).at);
  if (rows == Rows::hosts) {
    for (HostNumber to = 0; to < graph.hosts(); ++to) last_.push_back(graph.port_of(to).at);
  } else {
    last_.resize(switches_);
    std::iota(last_.begin(), last_.end(), SwitchId{0});
  }
  port_.assign(last_.size() * switches_, none);
}

void DestinationTable::way(const SwitchGraph& graph, std::size_t row, SwitchId from,
                           std::vector<CableChannel>& way) const {
  way.clear();
  for (SwitchId at = from; at != last_[row];) {
    const auto output = port(row, at);
    if (!output) return way.clear();
    way.push_back(graph.channel_from(SwitchPort{at, *output}));
    at = graph.neighbour({at, *output}).id;
  }
}

DestinationTable sssp_table(const SwitchGraph& graph, const ChannelFilter& usable) {
  DestinationTable table(graph, DestinationTable::Rows::hosts);
  std::vector<SwitchId> order(graph.switches());
  std::iota(order.begin(), order.end(), SwitchId{0});
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [&](SwitchId at) { return graph.hosts_at(at).size(); });
  BalancedTrees trees(graph, usable);
  for (const SwitchId at : order) {
    std::vector<HostNumber> hosts = graph.hosts_at(at);
    std::ranges::sort(hosts);
    for (const HostNumber host : hosts) trees.grow(table, table.row_of(host));
  }
  return table;
}

DestinationTable lowest_port_table(const SwitchGraph& graph, const ChannelFilter& usable) {
  const ForwardingTable shortest = shortest_path_table(graph, usable);
  DestinationTable table(graph, DestinationTable::Rows::switches);
  for (SwitchId to = 0; to < graph.switches(); ++to) {
    if (graph.hosts_at(to).empty()) continue;
    for (SwitchId at = 0; at < graph.switches(); ++at)
      if (const auto port = shortest.towards(at, to); port && at != to) table.set(to, at, *port);
  }
  return table;
}

}  // namespace morgana
