#include "emulator/network/fabric/fabric_host.h"

#include <algorithm>
#include <bit>

namespace morgana::fabric {

FabricHost::FabricHost(const Core& core, HostNumber host)
    : core_(core),
      channel_(core.graph.channel_from(host)),
      queues_(core.parameters.classes),
      lanes_(core.parameters.lane_arbitration, core.channels.groups(), core.parameters.tables) {}

void FabricHost::queue(Slot slot, SimTime now) {
  Packet& packet = core_.packets[slot];
  packet.ready = now + core_.parameters.injection_latency;
  queues_[packet.traffic_class].push(core_.packets, slot);
  waiting_ |= only(packet.group);
  try_ = std::min(try_, packet.ready);
}

void FabricHost::set_down(bool down, SimTime now) {
  core_.links.set_down(channel_, down, now);
  if (waiting_ != 0) try_ = now;
}

/// What is ready, while the cable is down.
SimTime FabricHost::discard(SimTime now) {
  try_ = SimTime::max();
  for (PacketQueue& queue : queues_) {
    while (!queue.empty() && core_.packets[queue.first].ready <= now) {
      const Slot slot = queue.first;
      queue.pop(core_.packets);
      if (queue.empty()) waiting_ &= ~only(core_.packets[slot].group);
      core_.carrier.lost(slot, Loss::cable_down, channel_, now);
    }
    if (!queue.empty()) try_ = std::min(try_, core_.packets[queue.first].ready);
  }
  return try_;
}

SimTime FabricHost::look(SimTime now) {
  if (try_ > now) return try_;
  Links& links = core_.links;
  if (links.is_down(channel_)) return discard(now);
  if (const SimTime free = links.free_at(channel_); free > now)
    return try_ = waiting_ != 0 ? free : SimTime::max();
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
    return try_ = next;
  }
  const LaneArbiter::Choice choice = lanes_.choose(ready);
  PacketQueue& queue = queues_[choice.group / core_.channels.of_routing];
  const Slot slot = queue.first;
  queue.pop(core_.packets);
  if (queue.empty()) waiting_ &= ~only(choice.group);
  const Packet& packet = core_.packets[slot];
  lanes_.sent(choice, packet.size);
  const unsigned lane = *links.lane(channel_, choice.group, packet.units, now);
  const SimTime left = links.start(channel_, lane, packet, now);
  try_ = waiting_ != 0 ? links.free_at(channel_) : SimTime::max();
  core_.carrier.started(slot, channel_, lane, now, left);
  return try_;
}

bool FabricHost::allowance_known(SimTime at) {
  if (!core_.links.stalls(channel_) || try_ <= at) return false;
  try_ = at;
  return true;
}

SimTime FabricHost::receive(Bytes size, SimTime head, SimTime tail) {
  if (core_.parameters.ejection == BitRate(0)) return tail;
  emptied_ = std::max(tail, std::max(emptied_, head) + core_.parameters.ejection.time_for(size));
  return emptied_;
}

}  // namespace morgana::fabric
