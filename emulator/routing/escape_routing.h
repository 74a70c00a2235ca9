#pragma once

#include <memory>

#include "emulator/routing/forwarding_table.h"
#include "emulator/routing/routing.h"
#include "emulator/routing/usable_arcs.h"

namespace morgana {

/// Another routing's ways round what has failed. Where that one has no choice for a packet, the packet
/// changes to a virtual channel of its own, the escape channel above all others, and goes up*/down* ways
/// (up_down_table) on it until it arrives: so each packet arrives that the cables lead to its destination.
/// No cycle closes: none on the other routing's virtual channels, none on the escape channel, and from that
/// one packets never come back. Sources: Duato, "A New Theory of Deadlock-Free Adaptive Routing in Wormhole
/// Networks", IEEE TPDS 4(12), 1993 (escape channels); Silla and Duato, "High-Performance Routing in Networks
/// of Workstations with Irregular Topology", IEEE TPDS 11(7), 2000 (with up*/down* ways on them).
class EscapeRouting final : public Routing {
 public:
  /// @param routing  free of deadlock with these cables
  EscapeRouting(const SwitchGraph& graph, std::shared_ptr<const Routing> routing,
                const ChannelFilter& usable);
  std::optional<RoutingChoice> choose(const RoutedPacket& packet, const OutputLoads& loads) const override;
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override;
  bool chooses_by_load() const override { return routing_->chooses_by_load(); }
  bool looks_at_other_switches() const override { return routing_->looks_at_other_switches(); }
  bool keeps_flows_together() const override { return routing_->keeps_flows_together(); }
  bool spreads_flowlets() const override { return routing_->spreads_flowlets(); }
  bool tells_hosts_apart() const override { return routing_->tells_hosts_apart(); }
  unsigned virtual_channels() const override { return escape_channel_ + 1U; }
  Layers layers() const override { return {routing_.get(), &escape_}; }

 private:
  std::optional<RoutingChoice> escape(const RoutedPacket& packet) const;

  std::shared_ptr<const Routing> routing_;
  VirtualChannel escape_channel_;
  ForwardingTable escape_;
};

}  // namespace morgana
