#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "emulator/routing/routing.h"
#include "emulator/routing/usable_arcs.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// What switches that look at a packet's destination hold: for each destination's switch the output port.
class ForwardingTable final : public Routing {
 public:
  /// Leads nowhere.
  explicit ForwardingTable(const SwitchGraph& graph);

  /// The port of a switch towards another one; nothing if no way leads there.
  std::optional<PortNumber> towards(SwitchId at, SwitchId to) const {
    const std::uint32_t port = port_[at * switches_ + to];
    if (port == none) return std::nullopt;
    return static_cast<PortNumber>(port);
  }
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads&) const override {
    const auto port = towards(packet.input.at, packet.last_switch);
    if (!port) return std::nullopt;
    return RoutingChoice{*port};
  }
  bool looks_at_inputs() const override { return false; }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    if (const auto port = towards(packet.input.at, packet.last_switch)) visit({*port});
  }
  void set(SwitchId at, SwitchId to, PortNumber port) { port_[at * switches_ + to] = port; }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  std::size_t switches_;
  std::vector<std::uint32_t> port_;
};

/// Over the fewest trunks; of equally short ways over the lowest port.
ForwardingTable shortest_path_table(const SwitchGraph& graph, const ChannelFilter& usable);

/// What a bridge adds for a port of this rate: 200,000 at 100 Mb/s, 20,000 at 1 Gb/s, at least 1.
/// Source: IEEE 802.1D-2004, table 17-3.
std::uint64_t bridge_path_cost(std::int64_t bits_per_second);

/// Along a spanning tree (IEEE 802.1D-2004, clause 17, once it has settled): every bridge's root port is the
/// one over which the root is cheapest; among equal ones that to the bridge with the lowest identifier, then
/// with the lowest port at the other end, then with the lowest of its own. A trunk that is no bridge's root
/// port carries nothing.
/// @param root  the bridge with the lowest identifier; the others follow by number. A part of the network
/// that it can't be reached from has the lowest of its own bridges for a root
/// @param cost  of the trunk that a channel between switches belongs to, the same in both directions
ForwardingTable spanning_tree_table(const SwitchGraph& graph, SwitchId root,
                                    const std::function<std::uint64_t(CableChannel)>& cost,
                                    const ChannelFilter& usable);

}  // namespace morgana
