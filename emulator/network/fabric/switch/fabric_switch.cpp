#include "emulator/network/fabric/switch/fabric_switch.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "emulator/network/fabric/switch/packet_changes.h"

namespace morgana::fabric {
namespace {

constexpr SimTime never = SimTime::max();

/// Whether a crossbar connects queues at inputs and queues at outputs.
bool has_crossbar(const FabricParameters& parameters) {
  return parameters.queueing != Queueing::output_queues && parameters.output_queue > Bytes(0);
}

}  // namespace

FabricSwitch::FabricSwitch(const Core& core, SwitchId at)
    : core_(core),
      links_(core.links),
      packets_(core.packets),
      at_(at),
      groups_(core.channels.groups()),
      first_channel_(core.graph.channel_from(SwitchPort{at, 0})),
      plain_(core.parameters.queueing != Queueing::output_queues && !has_crossbar(core.parameters) &&
             core.parameters.marks.to == Bytes(0) && !core.parameters.allocates_separably()),
      single_(plain_ && core.channels.count() == 1 && core.links.has_credits()),
      memory_(make_switch_memory(core, at)),
      link_try_(core.graph.ports(at)),
      crossbar_try_(has_crossbar(core.parameters) ? core.graph.ports(at) : 0),
      crossbar_(has_crossbar(core.parameters) ? core.graph.ports(at) : 0, groups_),
      ports_(core.graph.ports(at), groups_, core.parameters.queueing != Queueing::output_queues,
             core.parameters.packet.gap),
      inputs_(packets_, core.parameters.queueing, core.graph.ports(at), core.channels.count()),
      outputs_(packets_, core.parameters.queueing == Queueing::output_queues || crossbar_.exists(),
               core.graph.ports(at), groups_),
      arbiter_(core.parameters.input_arbitration, groups_),
      lanes_(core.parameters, core.graph.ports(at), groups_),
      loads_(core, first_channel_, core.graph.ports(at)),
      marks_(core, first_channel_, core.graph.ports(at), groups_),
      router_(core, at) {
  const unsigned ports = core.graph.ports(at);
  const SharedBufferParameters& shared = core.parameters.shared;
  if (memory_ && memory_->pauses())
    pauses_ = std::make_unique<SwitchPauses>(core, first_channel_, ports, groups_);
  if (core.parameters.allocates_separably())
    allocator_ = std::make_unique<SeparableAllocator>(core.parameters.input_arbitration,
                                                      core.parameters.allocation_cycle, ports);
  if (core.parameters.watches())
    watchdogs_ = std::make_unique<PauseWatchdogs>(shared.watchdog, shared.restore, ports, groups_);
}

SimTime FabricSwitch::look(SimTime now) {
  now_ = now;
  // Mostly only what becomes ready may start, and that is one packet.
  if (link_try_.soonest() <= now || crossbar_.exists() || watchdogs_) return look_at_several(no_packet);
  if (memory_) memory_->settle(now);
  if (ready_.next() <= now) {
    const Slot slot = take_ready();
    if (ready_.next() <= now) return look_at_several(slot);
    if (plain_)
      route_alone(slot);
    else
      route(slot, true);
  }
  if (plain_) return std::min(link_try_.soonest(), ready_.next());
  return may_start_something() ? try_outputs() : next_look();
}

/// @param first  that is ready and has been taken, or none
SimTime FabricSwitch::look_at_several(Slot first) {
  if (watchdogs_) act_as_watchdogs(now_);
  if (memory_) memory_->settle(now_);
  if (first != no_packet) route(first);
  while (ready_.next() <= now_) {
    assert(ready_.next() == now_);
    route(take_ready());
  }
  return may_start_something() ? try_outputs() : next_look();
}

/// Once all that is ready has been routed.
SimTime FabricSwitch::try_outputs() {
  if (memory_) memory_->for_changed([this](PortNumber port) { link_try_.no_later(port, now_); });
  if (allocator_)
    allocate(crossbar_.exists() ? crossbar_try_ : link_try_);
  else if (crossbar_.exists())
    crossbar_try_.round(now_, [this](PortNumber output) { return try_transfer(output); });
  if (!allocator_ || outputs_.exist())
    link_try_.round(now_, [this](PortNumber output) {
      return outputs_.exist() ? try_queued(output) : try_direct(output);
    });
  return next_look();
}

SimTime FabricSwitch::next_look() const {
  SimTime next = ready_.next();
  if (memory_) next = std::min(next, memory_->next_end());
  if (watchdogs_) next = std::min(next, watchdogs_->next());
  assert(next > now_);
  const SimTime again = std::min(link_try_.soonest(), crossbar_try_.soonest());
  // At once only by a cable that takes no time, as that of a unit that adds up: an output that has sent on it
  // in its turn may send the next packet at the same instant.
  assert(again > now_ || (again == now_ && are_in_no_time(link_try_) && are_in_no_time(crossbar_try_)));
  return std::min(next, again);
}

/// Whether the outputs that are due, though they have had their turn, send or are sent to in no time.
bool FabricSwitch::are_in_no_time(const NextTries& due) const {
  const Bytes smallest = core_.parameters.packet.on_link(Bytes(0));
  return due.all_due(now_, [&](PortNumber output) {
    bool is = links_.time_for(channel(output), smallest) == SimTime();
    inputs_.for_fronts(output, [&](std::uint32_t, Slot slot) {
      is = is || links_.time_for(packets_[slot].came_by, smallest) == SimTime();
    });
    return is;
  });
}

SimTime FabricSwitch::wait(SwitchPort output) const {
  return output.at == at_ ? loads_.load(output.port, ports_.waiting_for(output.port), now_)
                          : core_.carrier.load(output);
}

SimTime FabricSwitch::load_before(PortNumber output, SimTime now) {
  if (watchdogs_) act_as_watchdogs(now);
  return loads_.seen_by_others(output, ports_.waiting_for(output), now);
}

/// As find_output, for any packet.
bool FabricSwitch::find_output_or_lose(Slot slot) {
  Packet& routed = packets_[slot];
  if (routed.corrupt && core_.parameters.forwarding == Forwarding::store_and_forward)
    return lose(slot, Loss::corrupt, first_channel_);
  if (watchdogs_) {
    if ((watchdogs_->given_up(routed.input) & core_.channels.groups_of(routed.traffic_class)) != 0)
      return lose(slot, Loss::given_up, channel(routed.input));
  }
  if (!core_.asks_ahead) {
    if (core_.graph.sent_by_host(routed.came_by))
      routed.tables = static_cast<std::uint16_t>(core_.tables.in_force(now_));
    router_.ask(routed, *this, now_);
  }
  if (!routed.has_way) return lose(slot, Loss::no_way, first_channel_);
  links_.prefetch(channel(routed.output), core_.channels.first_of(routed.group));
  if (links_.is_down(channel(routed.output))) return lose(slot, Loss::cable_down, channel(routed.output));
  if (watchdogs_ && (watchdogs_->given_up(routed.output) & only(routed.group)) != 0)
    return lose(slot, Loss::given_up, channel(routed.output));
  return true;
}

/// @param is_alone  no other packet is ready, and no output may start one
void FabricSwitch::route(Slot slot, bool is_alone) {
  if (!find_output(slot)) return;
  Packet& routed = packets_[slot];
  const PortNumber output = routed.output;
  loads_.keep(output, ports_.waiting_for(output), now_);
  if (!crossbar_.exists() && outputs_.exist()) {
    if (!has_space(routed) && !make_space(slot)) return;
    if (is_alone && goes_at_once(routed)) {
      const unsigned group = lanes_.take(output, only(routed.group), [&](unsigned) { return routed.size; });
      await_output(routed);
      start(slot, output, group);
      link_try_.start_elsewhere();
      return;
    }
    queue_at_output(slot);
  } else if (inputs_.push(slot)) {
    offer(output, now_);
  }
  await_output(routed);
}

/// Whether a packet that has space in its output's queue may leave it now, before anything else.
bool FabricSwitch::goes_at_once(const Packet& routed) {
  const CableChannel out = channel(routed.output);
  return outputs_.filled(routed.output) == 0 && links_.free_at(out) <= now_ &&
         routed.tail_ready - links_.time_for(out, routed.size) <= now_ &&
         !(memory_ && (memory_->has_changed() || memory_->owes_frame(routed.output))) &&
         links_.allowed_at(out, routed.group, routed.units, now_) <= now_;
}

/// A packet waits for its output from now on, in a queue or for no time.
void FabricSwitch::await_output(Packet& routed) {
  ports_.await(routed);
  if (pauses_) pauses_->join(memory_->account_of(routed), routed);
  marks_.join(routed);
}

/// It waits for its output no longer.
void FabricSwitch::forget(const Packet& packet) {
  ports_.leave(packet);
  marks_.leave(packet);
  if (pauses_) pauses_->leave(memory_->account_of(packet), packet);
}

/// A packet becomes ready, and nothing else may start: as route() and a try of its output.
void FabricSwitch::route_alone(Slot slot) {
  if (!find_output(slot)) return;
  Packet& routed = packets_[slot];
  const PortNumber output = routed.output;
  loads_.keep(output, ports_.waiting_for(output), now_);
  const bool alone = !ports_.is_awaited(output) && inputs_.would_be_first(routed);
  if (alone && single_ && ports_.input_free(routed.input) <= now_ && routed.telemetry_ports == 0) {
    const CableChannel out = channel(output);
    if (const auto started = links_.start_at_once(out, routed, now_)) {
      ports_.next_queue(output, 0) = inputs_.number_of(routed) + 1;
      ports_.input_free(routed.input) = started->read;
      link_try_.start_elsewhere();
      ++routed.hops;
      return core_.carrier.started(slot, out, 0, now_, started->left, true);
    }
  }
  ports_.await(routed);
  Attempt attempt;
  if (alone) {
    attempt = try_alone(slot);
    if (!attempt.started) {
      inputs_.push(slot);
      link_try_.set(output, attempt.next);
    }
  } else if (inputs_.push(slot)) {
    attempt = try_direct(output);
    link_try_.replace(output, attempt.next);
  }
  if (attempt.started) link_try_.start_elsewhere();
}

/// A packet for an output that no other waits for: starts it, if it may start.
NextTries::Attempt FabricSwitch::try_alone(Slot slot) {
  const Packet& routed = packets_[slot];
  const PortNumber output = routed.output;
  const CableChannel out = channel(output);
  if (const SimTime free = links_.free_at(out); free > now_) return {free};
  bool is_held = false;
  if (const SimTime from = may_start(routed, out, is_held); from > now_) {
    if (is_held) links_.stall(out, now_);
    return {from};
  }
  const unsigned group = routed.group;
  lanes_.take(output, only(group), [&](unsigned) { return routed.size; });
  ports_.next_queue(output, group) = inputs_.number_of(routed) + 1;
  ports_.input_free(routed.input) = now_ + links_.read_time(out, routed);
  start(slot, output, group);
  return {never, true};
}

/// A packet that waits in its input's buffer, or would: once its tail is there.
/// @return false
bool FabricSwitch::lose(Slot slot, Loss why, CableChannel output) {
  const Packet& lost = packets_[slot];
  core_.carrier.space_free(lost, gone(lost));
  core_.carrier.lost(slot, why, output, gone(lost));
  return false;
}

SimTime FabricSwitch::gone(const Packet& lost) const {
  return std::max(now_, lost.tail_ready - core_.parameters.latency);
}

void FabricSwitch::set_down(PortNumber output, bool down, SimTime now) {
  now_ = now;
  loads_.keep_before(output, ports_.waiting_for(output), now);
  if (down) {
    const auto lost = [&](Slot slot) {
      forget(packets_[slot]);
      lose(slot, Loss::cable_down, channel(output));
    };
    inputs_.take_out(output, lost, [&](PortNumber other) { offer(other, now); });
    for (unsigned group = 0; outputs_.exist() && group < groups_; ++group)
      discard_queue(output, group, Loss::cable_down);
  }
  links_.set_down(channel(output), down, now);
  if (!down && memory_ && memory_->owes_frame(output)) link_try_.set(output, now);
}

/// What watchdogs do at this instant, before anything is routed or started at it.
void FabricSwitch::act_as_watchdogs(SimTime now) {
  now_ = now;
  watchdogs_->act(
      now, [this](PortNumber output, unsigned group) { discard_queue(output, group, Loss::given_up); });
}

/// All that waits in a queue at an output.
void FabricSwitch::discard_queue(PortNumber output, unsigned group, Loss why) {
  if (!outputs_.is_filled(output, group)) return;
  loads_.keep_before(output, ports_.waiting_for(output), now_);
  while (outputs_.is_filled(output, group)) {
    const Slot slot = outputs_.pop(output, group);
    const Packet& discarded = packets_[slot];
    forget(discarded);
    if (memory_) memory_->release(memory_->account_of(discarded), discarded.size, gone(discarded));
    if (crossbar_.exists())  // which frees its space at the input
      core_.carrier.lost(slot, why, channel(output), std::max(now_, discarded.tail_ready));
    else
      lose(slot, why, channel(output));
  }
  if (watchdogs_) watchdogs_->emptied(output, group);
}

void FabricSwitch::queue_at_output(Slot slot) {
  const Packet& routed = packets_[slot];
  if (watchdogs_ && !outputs_.is_filled(routed.output, routed.group))
    watchdogs_->filled(routed.output, routed.group, now_);
  outputs_.push(slot);
  link_try_.no_later(routed.output, std::max(now_, links_.free_at(channel(routed.output))));
}

/// A queue's first packet may be the next that the output takes.
void FabricSwitch::propose(PortNumber output, std::uint32_t queue, Slot slot) {
  arbiter_.propose(candidate(queue, slot), ports_.next_queue(output, packets_[slot].group));
}

/// Takes the chosen packet out of its queue at an input, which is busy until `input_free`.
void FabricSwitch::leave_input(const Candidate& chosen, PortNumber output, SimTime input_free) {
  ports_.next_queue(output, chosen.group) = chosen.queue + 1;
  ports_.input_free(chosen.input) = input_free;
  if (const auto other = inputs_.pop(chosen.queue, output)) offer(*other, input_free);
}

/// Puts the packet on its channel. Credits must be there.
void FabricSwitch::start(Slot slot, PortNumber output, unsigned group) {
  Packet& sent = packets_[slot];
  const CableChannel out = channel(output);
  loads_.keep(output, ports_.waiting_for(output), now_);
  ++sent.hops;
  forget(sent);
  if (sent.telemetry_ports > 0) record(core_, sent, out, ports_.waiting_for(output), now_);
  marks_.start(sent);
  const unsigned lane = links_.lane(out, group, now_);
  const SimTime left = links_.start(out, lane, sent, now_);
  if (outputs_.exist()) outputs_.send(sent, left);
  if (memory_) memory_->release(memory_->account_of(sent), sent.size, left);
  core_.carrier.started(slot, out, lane, now_, left, !crossbar_.exists());
}

/// When the first packet of a queue at an input may start on its output's channel, which is not sending: now,
/// or not before that. @param is_held  becomes true if only credits, or a pause, hold it
SimTime FabricSwitch::may_start(const Packet& first, CableChannel out, bool& is_held) {
  const SimTime from =
      std::max(ports_.input_free(first.input), first.tail_ready - links_.time_for(out, first.size));
  if (from > now_) return from;
  const SimTime allowed = links_.allowed_at(out, first.group, first.units, now_);
  if (allowed <= now_) return now_;
  is_held = true;
  marks_.hold_back(first);
  return allowed;
}

/// From a queue at an input onto the channel.
NextTries::Attempt FabricSwitch::try_direct(PortNumber output) {
  const CableChannel out = channel(output);
  if (const SimTime free = links_.free_at(out); free > now_) return {free};
  arbiter_.begin();
  bool is_held = false;
  const SimTime next =
      find_direct(output, is_held, [&](std::uint32_t queue, Slot slot) { propose(output, queue, slot); });
  if (arbiter_.proposed() == 0) {
    if (is_held) links_.stall(out, now_);
    return {next};
  }
  const unsigned group = lanes_.take(output, arbiter_.proposed(), [&](unsigned proposed) {
    return packets_[arbiter_.chosen(proposed).packet].size;
  });
  return send_from_input(arbiter_.chosen(group), output);
}

/// From a queue at an input through the crossbar into a queue at the output.
NextTries::Attempt FabricSwitch::try_transfer(PortNumber output) {
  if (const SimTime free = crossbar_.free_at(output); free > now_) return {free};
  arbiter_.begin();
  const SimTime next =
      find_transfers(output, [&](std::uint32_t queue, Slot slot) { propose(output, queue, slot); });
  if (arbiter_.proposed() == 0) return {next};
  return transfer(arbiter_.chosen(crossbar_.take(output, arbiter_.proposed())), output);
}

NextTries::Attempt FabricSwitch::transfer(const Candidate& chosen, PortNumber output) {
  Packet& moved = packets_[chosen.packet];
  const SimTime end = crossbar_.start(core_, moved, channel(output), now_);
  leave_input(chosen, output, end);
  moved.tail_ready = end;
  core_.carrier.space_free(moved, end);
  queue_at_output(chosen.packet);
  return {inputs_.has_fronts(output) ? end : never, true};
}

/// From a queue at the output onto the channel.
NextTries::Attempt FabricSwitch::try_queued(PortNumber output) {
  const CableChannel out = channel(output);
  if (const SimTime free = links_.free_at(out); free > now_) return {free};
  if (memory_ && memory_->owes_frame(output) && !links_.is_down(out)) {
    loads_.keep(output, ports_.waiting_for(output), now_);
    pauses_->start_frame(output, *memory_, outputs_, now_);
    return {outputs_.filled(output) != 0 ? links_.free_at(out) : never};
  }
  GroupSet groups = 0;
  SimTime next = never;
  bool is_held = false;
  for (GroupSet left = outputs_.filled(output); left != 0; left &= left - 1) {
    const auto group = static_cast<unsigned>(std::countr_zero(left));
    const Packet& first = packets_[outputs_.first(output, group)];
    const SimTime from = first.tail_ready - links_.time_for(out, first.size);
    if (from > now_) {
      next = std::min(next, from);
    } else if (const SimTime allowed = links_.allowed_at(out, group, first.units, now_); allowed > now_) {
      is_held = true;
      marks_.hold_back(first);
      next = std::min(next, allowed);
    } else {
      groups |= only(group);
    }
  }
  if (groups == 0) {
    if (is_held) links_.stall(out, now_);
    return {next};
  }
  const unsigned group = lanes_.take(
      output, groups, [&](unsigned ready) { return packets_[outputs_.first(output, ready)].size; });
  const Slot slot = outputs_.pop(output, group);
  if (watchdogs_ && !outputs_.is_filled(output, group)) watchdogs_->emptied(output, group);
  start(slot, output, group);
  if (crossbar_.exists() && inputs_.has_fronts(output))
    crossbar_try_.no_later(output, outputs_.sends_until(output));
  return {outputs_.filled(output) != 0 ? links_.free_at(out) : never, true};
}

}  // namespace morgana::fabric
