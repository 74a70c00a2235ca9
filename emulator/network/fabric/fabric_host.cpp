#include "emulator/network/fabric/fabric_host.h"

#include <algorithm>
#include <bit>

namespace morgana::fabric {

FabricHost::FabricHost(const Core& core, HostNumber host)
    : core_(core),
      channel_(core.graph.channel_from(host)),
      queues_(core.parameters.classes),
      lanes_(core.parameters, core.channels.groups()),
      storms_(core.parameters.storms, host),
      storm_changes_(storms_.next_change(SimTime::from_ps(-1))) {}

void FabricHost::queue(Slot slot, SimTime now) {
  Packet& packet = core_.packets[slot];
  packet.ready = now + core_.parameters.injection_latency;
  queues_[packet.traffic_class].push(core_.packets, slot);
  waiting_ |= only(packet.group);
  try_ = std::min(try_, packet.ready);
}

void FabricHost::set_down(bool down, SimTime now) {
  core_.links.set_down(channel_, down, now);
  if (waiting_ != 0 || owes_frame(now)) try_ = now;
}

/// What is ready, while the cable is down.
SimTime FabricHost::discard(SimTime now) {
  SimTime next = SimTime::max();
  for (PacketQueue& queue : queues_) {
    while (!queue.empty() && core_.packets[queue.first].ready <= now) {
      const Slot slot = queue.first;
      queue.pop(core_.packets);
      if (queue.empty()) waiting_ &= ~only(core_.packets[slot].group);
      core_.carrier.lost(slot, Loss::cable_down, channel_, now);
    }
    if (!queue.empty()) next = std::min(next, core_.packets[queue.first].ready);
  }
  return next;
}

/// What a storm wants paused at the switch's end of the cable.
void FabricHost::start_pause_frame(SimTime now) {
  const CableChannel reverse = core_.graph.channel_from(core_.links.to(channel_).switch_port());
  const GroupSet before = storms_.told(), paused = storms_.tell(wanted(now));
  const SimTime effect = core_.links.start_pause_frame(channel_, reverse, paused, now);
  PauseCauses& causes = core_.links.causes();
  for (GroupSet left = before & ~paused; left != 0; left &= left - 1)
    causes.resume(reverse, static_cast<unsigned>(std::countr_zero(left)), effect);
  for (GroupSet left = paused & ~before; left != 0; left &= left - 1) {
    const auto group = static_cast<unsigned>(std::countr_zero(left));
    causes.pause(reverse, group, group / core_.channels.of_routing, effect, reverse);
  }
  core_.carrier.pause_told(reverse, paused, effect);
}

SimTime FabricHost::look(SimTime now) {
  if (storm_changes_ <= now) {
    storm_changes_ = storms_.next_change(now);
    try_ = now;
  }
  if (try_ <= now) try_ = try_start(now);
  // A storm that begins alone keeps nothing going; what it holds up goes on when it ends.
  return storms_.any() && wanted(now) != 0 ? std::min(try_, storm_changes_) : try_;
}

SimTime FabricHost::try_start(SimTime now) {
  Links& links = core_.links;
  if (links.is_down(channel_)) return discard(now);
  const bool owes = owes_frame(now);
  if (const SimTime free = links.free_at(channel_); free > now)
    return waiting_ != 0 || owes ? free : SimTime::max();
  if (owes) {
    start_pause_frame(now);
    return waiting_ != 0 ? links.free_at(channel_) : SimTime::max();
  }
  GroupSet ready = 0;
  SimTime next = SimTime::max();
  bool is_held = false;
  for (GroupSet left = waiting_; left != 0; left &= left - 1) {
    const auto group = static_cast<unsigned>(std::countr_zero(left));
    const Packet& first = core_.packets[queues_[group / core_.channels.of_routing].first];
    if (first.ready > now) {
      next = std::min(next, first.ready);
    } else if (const SimTime allowed = links.allowed_at(channel_, group, first.units, now); allowed > now) {
      is_held = true;
      next = std::min(next, allowed);
    } else {
      ready |= only(group);
    }
  }
  if (ready == 0) {
    if (is_held) links.stall(channel_, now);
    return next;
  }
  const auto queue_of = [this](unsigned group) -> PacketQueue& {
    return queues_[group / core_.channels.of_routing];
  };
  const unsigned chosen =
      lanes_.take(ready, [&](unsigned group) { return core_.packets[queue_of(group).first].size; });
  PacketQueue& queue = queue_of(chosen);
  const Slot slot = queue.first;
  queue.pop(core_.packets);
  if (queue.empty()) waiting_ &= ~only(chosen);
  const Packet& packet = core_.packets[slot];
  const unsigned lane = links.lane(channel_, chosen, now);
  const SimTime left = links.start(channel_, lane, packet, now);
  core_.carrier.started(slot, channel_, lane, now, left, false);
  return waiting_ != 0 ? links.free_at(channel_) : SimTime::max();
}

bool FabricHost::allowance_known(SimTime at) {
  if (!core_.links.stalls(channel_) || try_ <= at) return false;
  try_ = at;
  return true;
}

SimTime FabricHost::receive(Bytes size, SimTime head, SimTime tail) {
  if (core_.parameters.ejection == BitRate(0)) return tail;
  const SimTime takes = core_.parameters.ejection.time_for(size);
  emptied_ = std::max(tail, std::max(emptied_, head) + takes);
  ejected_ += takes;
  return emptied_;
}

SimTime FabricHost::emptying(SimTime until) const {
  const SimTime later = std::max(emptied_, until) - until;
  return std::max(ejected_, later) - later;
}

}  // namespace morgana::fabric
