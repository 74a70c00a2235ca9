#include "emulator/routing/multipath.h"

#include <algorithm>
#include <limits>
#include <set>

#include "emulator/routing/nonminimal.h"

namespace morgana {
std::optional<RoutingChoice> EcmpRouting::choose(const RoutedPacket& packet, const OutputLoads&) const {
  const auto equal = ports(packet);
  if (equal.empty()) return std::nullopt;
  if (equal.size() == 1) return RoutingChoice{equal.front()};
  const std::uint64_t at_switch =
      mixed_bits(seed_ + 0x9e3779b97f4a7c15 * (std::uint64_t{packet.input.at} + 1));
  return RoutingChoice{equal[mixed_bits(packet.flow ^ at_switch) % equal.size()]};
}

std::optional<RoutingChoice> FlowletRouting::choose(const RoutedPacket& packet, const OutputLoads&) const {
  const auto equal = ports(packet);
  if (equal.empty()) return std::nullopt;
  const std::uint64_t at_switch =
      mixed_bits(seed_ + 0x9e3779b97f4a7c15 * (std::uint64_t{packet.input.at} + 1));
  return RoutingChoice{equal[mixed_bits(packet.flowlet ^ at_switch) % equal.size()]};
}

ModKRouting::ModKRouting(const SwitchGraph& graph, const ChannelFilter& usable, End end,
                         std::size_t lowest_hosts)
    : MultipathRouting(graph, usable, EqualPorts::Order::neighbours_alternately),
      end_(end),
      divisor_(graph.switches(), 1) {
  const Arcs arcs = usable_arcs(graph, usable);
  std::vector<SwitchId> leaves;
  const auto is_lowest = [&](HostNumber host) { return lowest_hosts == 0 || host < lowest_hosts; };
  for (SwitchId at = 0; at < graph.switches(); ++at)
    if (std::ranges::any_of(graph.hosts_at(at), is_lowest)) leaves.push_back(at);
  const std::vector<std::uint32_t> level = trunks_to_nearest(arcs, leaves);
  std::vector<std::uint64_t> up;  // of each level: the most parents that a switch has at the next one
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    if (level[at] == unreachable_trunks) continue;
    std::set<SwitchId> parents;
    for (const Arc& arc : arcs[at])
      if (level[arc.other.at] == level[at] + 1) parents.insert(arc.other.at);
    up.resize(std::max<std::size_t>(up.size(), level[at] + 1), 1);
    up[level[at]] = std::max<std::uint64_t>(up[level[at]], parents.size());
  }
  // Beyond the largest number of a host all quotients are 0.
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> product{1};
  for (const std::uint64_t parents : up)
    product.push_back(static_cast<std::uint32_t>(std::min(most, product.back() * parents)));
  for (SwitchId at = 0; at < graph.switches(); ++at)
    if (level[at] != unreachable_trunks) divisor_[at] = product[level[at]];
}

std::optional<RoutingChoice> ModKRouting::choose(const RoutedPacket& packet, const OutputLoads&) const {
  const auto equal = ports(packet);
  if (equal.empty()) return std::nullopt;
  const HostNumber number = end_ == End::destination ? packet.destination : packet.source;
  return RoutingChoice{equal[number / divisor_[packet.input.at] % equal.size()]};
}

std::optional<RoutingChoice> SprayRouting::choose(const RoutedPacket& packet, const OutputLoads&) const {
  const auto equal = ports(packet);
  if (equal.empty()) return std::nullopt;
  return RoutingChoice{equal[drawn(seed_, packet.number, packet.input.at) % equal.size()]};
}

std::optional<RoutingChoice> RoundRobinRouting::choose(const RoutedPacket& packet, const OutputLoads&) const {
  const auto equal = ports(packet);
  if (equal.empty()) return std::nullopt;
  return RoutingChoice{equal[next_[packet.input.at][equal.data()]++ % equal.size()]};
}

std::optional<RoutingChoice> TwoChoicesRouting::choose(const RoutedPacket& packet,
                                                       const OutputLoads& loads) const {
  const auto equal = ports(packet);
  if (equal.empty()) return std::nullopt;
  const std::uint64_t draw = drawn(seed_, packet.number, packet.input.at);
  const PortNumber first = equal[(draw & 0xffffffff) % equal.size()],
                   second = equal[(draw >> 32) % equal.size()];
  const SwitchId at = packet.input.at;
  return RoutingChoice{loads.wait({at, second}) < loads.wait({at, first}) ? second : first};
}

std::optional<RoutingChoice> LeastLoadedRouting::choose(const RoutedPacket& packet,
                                                        const OutputLoads& loads) const {
  const auto equal = ports(packet);
  if (equal.empty()) return std::nullopt;
  const auto wait = [&](PortNumber port) { return loads.wait({packet.input.at, port}); };
  return RoutingChoice{*std::min_element(equal.begin(), equal.end(),
                                         [&](PortNumber a, PortNumber b) { return wait(a) < wait(b); })};
}

}  // namespace morgana
