#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/routing/forwarding_table.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana {

/// Tables as their user lists them, an entry for a host before one for its switch, and that before one for
/// any destination. They never change.
/// Source: "Routing is implemented by means of a static, user-configurable table" (Vila i Sallent, A Network
/// Architecture for Supporting Parallel Computing over ATM, 1997, appendix B.1.1).
class ListedRouting final : public Routing {
 public:
  /// @param routes  of a graph with the same cables and no other hosts than this one's
  /// @throws Error if packets from one of the hosts to another would reach a switch without an entry for
  /// them, or go round in a circle
  ListedRouting(const std::vector<ListedRoute>& routes, const SwitchGraph& graph);

  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads&) const override {
    return choice(packet.input.at, packet.last_switch, packet.destination);
  }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    if (const auto only = choice(packet.input.at, packet.last_switch, packet.destination)) visit(*only);
  }
  bool tells_hosts_apart() const override { return !to_hosts_.empty(); }

 private:
  std::optional<RoutingChoice> choice(SwitchId at, SwitchId last, HostNumber destination) const;
  /// @param checked  switches from which the way is known to lead there; those of this way are added
  void check_way(const SwitchGraph& graph, SwitchId from, HostNumber to, std::vector<bool>& checked) const;

  ForwardingTable to_switches_;
  std::map<std::pair<SwitchId, HostNumber>, PortNumber> to_hosts_;
};

}  // namespace morgana
