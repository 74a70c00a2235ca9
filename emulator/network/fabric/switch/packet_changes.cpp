#include "emulator/network/fabric/switch/packet_changes.h"

#include <vector>

namespace morgana::fabric {

bool may_be_cut(const TrimParameters& parameters, const Packet& packet) {
  return packet.may_be_trimmed && packet.trimmed == Trimmed::no && parameters.size > Bytes(0) &&
         packet.size > parameters.size;
}

bool trim(const Core& core, Packet& packet, CableChannel out) {
  const TrimParameters& trim = core.parameters.trim;
  if (!packet.may_be_trimmed || packet.trimmed != Trimmed::no || trim.size == Bytes(0)) return false;
  if (may_be_cut(trim, packet)) {
    core.links.counts().trim(out, core.channels.first_of(packet.group));
    packet.trimmed = core.links.to(out).is_host() ? Trimmed::at_last_switch : Trimmed::on_the_way;
    packet.size = trim.size;
  } else if (packet.traffic_class == trim.traffic_class) {
    return false;
  }
  packet.group = static_cast<std::uint8_t>(
      core.channels.group_of(trim.traffic_class, packet.group % core.channels.of_routing));
  packet.traffic_class = static_cast<std::uint8_t>(trim.traffic_class);
  return true;
}

void record(const Core& core, const Packet& packet, CableChannel out, Bytes queue, SimTime now) {
  std::vector<PortTelemetry>& records = core.telemetry[packet.records];
  if (records.size() >= packet.telemetry_ports) return;
  records.push_back(
      {.port = out, .at = now, .queue = queue, .sent = core.links.sent(out), .rate = core.links.rate(out)});
}

}  // namespace morgana::fabric
