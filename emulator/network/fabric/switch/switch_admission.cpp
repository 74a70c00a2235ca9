// FabricSwitch: whether a packet finds space, what becomes of one that finds none, and marks.

#include "emulator/network/fabric/switch/fabric_switch.h"

namespace morgana::fabric {

/// Its account in the shared buffer.
std::size_t FabricSwitch::account_of(const Packet& packet) const {
  return memory_->pauses() ? memory_->account(packet.input, packet.came_on)
                           : memory_->account(packet.output, packet.group);
}

/// Whether there is no space for it: only where nothing stops senders, or not soon enough.
bool FabricSwitch::dropped(const Packet& routed) {
  if (memory_) return !memory_->admit(account_of(routed), routed.size);
  const FabricParameters& parameters = core_.parameters;
  if (parameters.flow_control != FlowControl::none) return false;
  const std::size_t queue = pair(routed.output, routed.group);
  std::int64_t packets = queued_packets_[queue], bytes = queued_bytes_[queue];
  if (const Sending& sending = sending_[routed.output];
      sending.until > now_ && sending.group == routed.group) {
    ++packets;
    bytes += sending.size.count();
  }
  const Bytes space = links().limits(channel(routed.output)).size;
  return (parameters.output_packets > 0 && packets >= parameters.output_packets) ||
         (space > Bytes(0) && bytes + routed.size.count() > space.count());
}

/// A packet that finds no space goes on in the class of trimmed packets, cut to its header if it is longer.
/// @return whether it does
bool FabricSwitch::trim(Packet& routed, bool last_switch) {
  const TrimParameters& trim = core_.parameters.trim;
  if (!routed.may_be_trimmed || routed.trimmed != Trimmed::no || trim.size == Bytes(0)) return false;
  if (routed.size > trim.size) {
    links().count_trim(channel(routed.output), core_.channels.first_of(routed.group));
    routed.trimmed = last_switch ? Trimmed::at_last_switch : Trimmed::on_the_way;
    routed.size = trim.size;
  } else if (routed.traffic_class == trim.traffic_class) {
    return false;
  }
  routed.group = static_cast<std::uint8_t>(
      core_.channels.group_of(trim.traffic_class, routed.group % core_.channels.of_routing));
  routed.traffic_class = static_cast<std::uint8_t>(trim.traffic_class);
  return true;
}

/// Whether packets wait for space behind the output's channel, and are not marked for that.
bool FabricSwitch::is_victim(PortNumber output, std::size_t queue) const {
  if (!held_back_[queue]) return false;
  const MarkVictims marked = core_.parameters.marks.victims;
  return marked == MarkVictims::none ||
         (marked == MarkVictims::to_hosts && !links().to(channel(output)).is_host());
}

/// A packet that joins its queue, or has left it.
void FabricSwitch::mark(Slot slot, PortNumber output) {
  Packet& looked_at = packet(slot);
  const std::size_t queue = pair(output, looked_at.group);
  if (is_victim(output, queue) ||
      !is_marked(links().limits(channel(output)).marks, Bytes(waiting_of_group_[queue]), looked_at.number,
                 channel(output)))
    return;
  looked_at.marked = true;
  links().count_mark(channel(output), core_.channels.first_of(looked_at.group));
}

}  // namespace morgana::fabric
