#include "emulator/routing/laned_routing.h"

#include <utility>

namespace morgana {

LanedRouting::LanedRouting(const SwitchGraph& graph, DestinationTable table, Lanes lanes)
    : table_(std::move(table)), lanes_(std::move(lanes)), leads_to_host_(graph.channels()) {
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    first_port_.push_back(graph.channel_from(SwitchPort{at, 0}));
    for (const HostNumber host : graph.hosts_at(at))
      leads_to_host_[graph.channel_from(graph.port_of(host))] = true;
  }
}

std::optional<RoutingChoice> LanedRouting::choose(const RoutedPacket& packet, const OutputLoads&) const {
  const SwitchId at = packet.input.at;
  const std::size_t row = table_.row_of(packet.destination);
  const auto port = table_.port(row, at);
  if (!port) return std::nullopt;
  if (lanes_.count == 1) return RoutingChoice{*port};
  const bool enters = leads_to_host_[first_port_[at] + packet.input.port];
  return RoutingChoice{*port, enters ? lanes_.of[row * table_.switches() + at] : packet.virtual_channel};
}

void LanedRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  if (const auto choice = choose(packet, IdleOutputs())) visit(*choice);
}

std::shared_ptr<const Routing> sssp_routing(const SwitchGraph& graph, const ChannelFilter& usable) {
  return std::make_shared<LanedRouting>(graph, sssp_table(graph, usable));
}

std::shared_ptr<const Routing> dfsssp_routing(const SwitchGraph& graph, const ChannelFilter& usable) {
  DestinationTable table = sssp_table(graph, usable);
  Lanes lanes = dfsssp_lanes(graph, table);
  return std::make_shared<LanedRouting>(graph, std::move(table), std::move(lanes));
}

std::shared_ptr<const Routing> lash_routing(const SwitchGraph& graph, const ChannelFilter& usable) {
  DestinationTable table = lowest_port_table(graph, usable);
  Lanes lanes = lash_lanes(graph, table);
  return std::make_shared<LanedRouting>(graph, std::move(table), std::move(lanes));
}

}  // namespace morgana
