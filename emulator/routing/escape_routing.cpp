#include "emulator/routing/escape_routing.h"

#include <utility>

#include "emulator/routing/up_down_table.h"

namespace morgana {

EscapeRouting::EscapeRouting(const SwitchGraph& graph, std::shared_ptr<const Routing> routing,
                             const ChannelFilter& usable)
    : routing_(std::move(routing)),
      escape_channel_(static_cast<VirtualChannel>(routing_->virtual_channels())),
      escape_(up_down_table(graph, usable)) {}

std::optional<RoutingChoice> EscapeRouting::escape(const RoutedPacket& packet) const {
  const auto port = escape_.towards(packet.input.at, packet.last_switch);
  if (!port) return std::nullopt;
  return RoutingChoice{*port, escape_channel_};
}

std::optional<RoutingChoice> EscapeRouting::choose(const RoutedPacket& packet,
                                                   const OutputLoads& loads) const {
  if (packet.virtual_channel != escape_channel_)
    if (auto choice = routing_->choose(packet, loads)) return choice;
  return escape(packet);
}

void EscapeRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  if (packet.virtual_channel != escape_channel_) routing_->for_every_choice(packet, visit);
  if (const auto choice = escape(packet)) visit(*choice);
}

}  // namespace morgana
