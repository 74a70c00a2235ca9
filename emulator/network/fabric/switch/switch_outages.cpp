// FabricSwitch: what waits for a cable that fails, or in a queue that is given up.

#include "emulator/network/fabric/switch/fabric_switch.h"

namespace morgana::fabric {

void FabricSwitch::set_down(PortNumber output, bool down, SimTime now) {
  now_ = now;
  keep_history(output, now - SimTime::from_ps(1));
  if (down) {
    discard_from_inputs(output);
    if (has_output_queues()) discard_from_output(output);
  }
  links().set_down(channel(output), down, now);
  if (!down && memory_ && memory_->owes_frame(output)) link_try_.set(output, now);
}

void FabricSwitch::act_as_watchdogs(SimTime now) {
  now_ = now;
  watchdogs_->act(
      now, [this](PortNumber output, unsigned group) { discard_queue(output, group, Loss::given_up); });
}

/// All that waits for an output in queues at inputs.
void FabricSwitch::discard_from_inputs(PortNumber output) {
  for (std::size_t number = 0; number < input_queues_.size(); ++number) {
    PacketQueue& queue = input_queues_[number];
    if (queue.empty() || (by_output_ && number / queues_ != output)) continue;
    const Slot first = queue.first;
    PacketQueue kept;
    for (Slot slot = queue.first, next = no_packet; slot != no_packet; slot = next) {
      next = packet(slot).next;
      if (packet(slot).output != output) {
        kept.push(core_.packets, slot);
        continue;
      }
      forget(slot);
      lose(slot, Loss::cable_down, channel(output));
    }
    queue = kept;
    if (queue.first == first) continue;
    const auto of_input = static_cast<std::uint32_t>(by_output_ ? number % queues_ : number);
    set_front(output, of_input, false);
    if (!queue.empty()) offer_first(of_input, queue, now_);
  }
}

void FabricSwitch::discard_from_output(PortNumber output) {
  for (unsigned group = 0; group < groups_; ++group) discard_queue(output, group, Loss::cable_down);
}

/// All that waits in a queue at an output.
void FabricSwitch::discard_queue(PortNumber output, unsigned group, Loss why) {
  PacketQueue& queue = output_queues_[pair(output, group)];
  if (queue.empty()) return;
  keep_history(output, now_ - SimTime::from_ps(1));
  while (!queue.empty()) {
    const Slot slot = queue.first;
    queue.pop(core_.packets);
    queued_bytes_[pair(output, group)] -= packet(slot).size.count();
    --queued_packets_[pair(output, group)];
    forget(slot);
    if (memory_) memory_->release(account_of(packet(slot)), packet(slot).size, gone(packet(slot)));
    if (crossbar_)  // which frees its space at the input
      core_.carrier.lost(slot, why, channel(output), std::max(now_, packet(slot).tail_ready));
    else
      lose(slot, why, channel(output));
  }
  queued_groups_[output] &= ~only(group);
  if (watchdogs_) watchdogs_->emptied(output, group);
}

/// It waits for its output no longer.
void FabricSwitch::forget(Slot slot) {
  const Packet& gone = packet(slot);
  Port& output = port_[gone.output];
  --output.waiting;
  output.waiting_bytes -= with_gap(gone.size).count();
  if (!waiting_of_group_.empty()) waiting_of_group_[pair(gone.output, gone.group)] -= gone.size.count();
  if (!held_.empty()) held(account_of(gone), gone.output) -= gone.size.count();
  --waiting_;
}

}  // namespace morgana::fabric
