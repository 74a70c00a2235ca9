#include "emulator/network/fabric/switch/switch_router.h"

namespace morgana::fabric {
namespace {

/// Of what has no entropy, its two hosts alone decide.
std::uint64_t flow_of(const Packet& packet) {
  const std::uint64_t hosts =
      std::uint64_t{static_cast<HostNumber>(packet.from)} << 32 | static_cast<HostNumber>(packet.to);
  return hosts ^ packet.entropy * std::uint64_t{0x9e3779b97f4a7c15};
}

}  // namespace

void SwitchRouter::ask(Packet& routed, const OutputLoads& loads, SimTime now) {
  routed.has_way = true;
  const auto to = static_cast<HostNumber>(routed.to);
  const SwitchPort last = core_.graph.port_of(to);
  if (last.at == at_) {
    routed.output = last.port;
    routed.group = static_cast<std::uint8_t>(core_.channels.group_of(routed.traffic_class, 0));
    return;
  }
  const Routing& routing = core_.tables.routing(routed.tables);
  RoutedPacket asked{.input = {at_, routed.input},
                     .virtual_channel = core_.channels.routing_channel_of(routed.came_on),
                     .source = static_cast<HostNumber>(routed.from),
                     .destination = to,
                     .last_switch = last.at,
                     .flow = flow_of(routed),
                     .number = routed.number,
                     .note = routed.note};
  if (!core_.asks_ahead && routing.spreads_flowlets())
    asked.flowlet = flowlets_.flowlet(asked.flow, now, core_.parameters.flowlet_gap);
  const auto choice = routing.choose(asked, loads);
  routed.has_way = choice.has_value();
  if (!choice) return;
  routed.output = choice->port;
  routed.note = choice->note;
  routed.group =
      static_cast<std::uint8_t>(core_.channels.group_of(routed.traffic_class, choice->virtual_channel));
}

}  // namespace morgana::fabric
