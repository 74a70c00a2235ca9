#include "emulator/routing/equal_ports.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

namespace morgana {
namespace {

/// Of each switch's arcs: how many before it lead to the same neighbour, 0 for the first cable.
std::vector<std::vector<std::uint32_t>> cable_numbers(const Arcs& arcs) {
  std::vector<std::vector<std::uint32_t>> numbers(arcs.size());
  for (std::size_t at = 0; at < arcs.size(); ++at) {
    std::map<SwitchId, std::uint32_t> cables;
    for (const Arc& arc : arcs[at]) numbers[at].push_back(cables[arc.other.at]++);
  }
  return numbers;
}

}  // namespace

EqualPorts::EqualPorts(const SwitchGraph& graph, const ChannelFilter& usable, Order order)
    : switches_(graph.switches()), list_(graph.switches() * graph.switches()), lists_{0} {
  const Arcs arcs = usable_arcs(graph, usable);
  std::unordered_map<std::u16string, std::uint32_t> known;
  known.emplace(std::u16string(), 0U);
  std::vector<std::vector<std::uint32_t>> cables;
  if (order == Order::neighbours_alternately) cables = cable_numbers(arcs);
  std::vector<std::pair<std::uint32_t, PortNumber>> chosen;  // the cable's number among parallel ones, port
  std::u16string ports;
  const TrunkSearch search(arcs);
  for (SwitchId to = 0; to < switches_; ++to) {
    // No packet goes to a switch without hosts. Where no switch has hosts yet, each is taken.
    if (graph.hosts() > 0 && graph.hosts_at(to).empty()) continue;
    const std::vector<std::uint32_t> distance = search.to_nearest({to});
    for (SwitchId at = 0; at < switches_; ++at) {
      if (at == to || distance[at] == unreachable_trunks) continue;
      chosen.clear();
      for (std::size_t arc = 0; arc < arcs[at].size(); ++arc)
        if (distance[arcs[at][arc].other.at] + 1 == distance[at])
          chosen.emplace_back(cables.empty() ? 0 : cables[at][arc], arcs[at][arc].port);
      if (!std::is_sorted(chosen.begin(), chosen.end())) std::sort(chosen.begin(), chosen.end());
      ports.clear();
      for (const auto& [cable, port] : chosen) ports.push_back(static_cast<char16_t>(port));
      const auto [place, is_new] = known.try_emplace(ports, static_cast<std::uint32_t>(lists_.size()));
      if (is_new) {
        lists_.push_back(static_cast<PortNumber>(ports.size()));
        lists_.insert(lists_.end(), ports.begin(), ports.end());
      }
      list_[at * switches_ + to] = place->second;
    }
  }
}

}  // namespace morgana
