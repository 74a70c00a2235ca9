// FabricSwitch: where a packet goes, and which are lost instead.

#include "emulator/network/fabric/switch/fabric_switch.h"

namespace morgana::fabric {
namespace {

/// Of what has no entropy, its two hosts alone decide.
std::uint64_t flow_of(const Packet& packet) {
  const std::uint64_t hosts =
      std::uint64_t{static_cast<HostNumber>(packet.from)} << 32 | static_cast<HostNumber>(packet.to);
  return hosts ^ packet.entropy * std::uint64_t{0x9e3779b97f4a7c15};
}

}  // namespace

/// Its output at this switch, by its tables.
void FabricSwitch::ask(Packet& routed) {
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
    asked.flowlet = flowlets_.flowlet(asked.flow, now_, core_.parameters.flowlet_gap);
  const auto choice = routing.choose(asked, *this);
  routed.has_way = choice.has_value();
  if (!choice) return;
  routed.output = choice->port;
  routed.note = choice->note;
  routed.group =
      static_cast<std::uint8_t>(core_.channels.group_of(routed.traffic_class, choice->virtual_channel));
}

/// As find_output, for any packet.
bool FabricSwitch::find_output_or_lose(Slot slot) {
  Packet& routed = packet(slot);
  if (routed.corrupt && core_.parameters.forwarding == Forwarding::store_and_forward)
    return lose(slot, Loss::corrupt, first_channel_);
  if (watchdogs_) {
    if ((watchdogs_->given_up(routed.input) & core_.channels.groups_of(routed.traffic_class)) != 0)
      return lose(slot, Loss::given_up, channel(routed.input));
  }
  if (!core_.asks_ahead) {
    if (core_.graph.sent_by_host(routed.came_by))
      routed.tables = static_cast<std::uint16_t>(core_.tables.in_force(now_));
    ask(routed);
  }
  if (!routed.has_way) return lose(slot, Loss::no_way, first_channel_);
  links().prefetch(channel(routed.output), core_.channels.first_of(routed.group));
  if (links().is_down(channel(routed.output))) return lose(slot, Loss::cable_down, channel(routed.output));
  if (watchdogs_ && (watchdogs_->given_up(routed.output) & only(routed.group)) != 0)
    return lose(slot, Loss::given_up, channel(routed.output));
  return true;
}

/// @param is_alone  no other packet is ready, and no output may start one
void FabricSwitch::route(Slot slot, bool is_alone) {
  if (!find_output(slot)) return;
  Packet& routed = packet(slot);
  keep_load(routed.output);
  if (!crossbar_ && has_output_queues()) {
    const bool last_switch = links().to(channel(routed.output)).is_host();
    if (dropped(routed) && !(trim(routed, last_switch) && !dropped(routed))) {
      lose(slot, Loss::queue_full, channel(routed.output));
      return;
    }
    if (is_alone && goes_at_once(routed)) {
      const PortNumber output = routed.output;
      const unsigned group = choose_group(output, only(routed.group), [&](unsigned) { return routed.size; });
      note_waiting(slot);
      start(slot, output, group);
      link_first_ = after(link_first_);
      return;
    }
    queue_at_output(slot);
  } else if (queue_at_input(slot)) {
    (crossbar_ ? crossbar_try_ : link_try_).no_later(routed.output, now_);
  }
  note_waiting(slot);
}

/// Whether a packet that has space in its output's queue may leave it now, before anything else.
bool FabricSwitch::goes_at_once(const Packet& routed) {
  const CableChannel out = channel(routed.output);
  return queued_groups_[routed.output] == 0 && links().free_at(out) <= now_ &&
         routed.tail_ready - links().time_for(out, routed.size) <= now_ &&
         !(memory_ && (memory_->has_changed() || memory_->owes_frame(routed.output))) &&
         links().allowed_at(out, routed.group, routed.units, now_) <= now_;
}

/// A packet waits for its output from now on, in a queue or for no time.
void FabricSwitch::note_waiting(Slot slot) {
  const Packet& routed = packet(slot);
  await_output(routed);
  if (!held_.empty()) held(account_of(routed), routed.output) += routed.size.count();
  if (held_back_.empty()) return;
  if (core_.parameters.marks.when == MarkWhen::joining) mark(slot, routed.output);
  waiting_of_group_[pair(routed.output, routed.group)] += routed.size.count();
}

/// A packet that waits in its input's buffer, or would: once its tail is there.
/// @return false
bool FabricSwitch::lose(Slot slot, Loss why, CableChannel output) {
  const Packet& lost = packet(slot);
  core_.carrier.space_free(lost, gone(lost));
  core_.carrier.lost(slot, why, output, gone(lost));
  return false;
}

SimTime FabricSwitch::gone(const Packet& lost) const {
  return std::max(now_, lost.tail_ready - core_.parameters.latency);
}

}  // namespace morgana::fabric
