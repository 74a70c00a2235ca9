#include "emulator/network/fabric/switch/fabric_switch.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace morgana::fabric {
namespace {

constexpr SimTime never = SimTime::max();

}  // namespace

FabricSwitch::FabricSwitch(const Core& core, SwitchId at)
    : core_(core),
      at_(at),
      ports_(core.graph.ports(at)),
      groups_(core.channels.groups()),
      queues_(ports_ * core.channels.count()),
      first_channel_(core.graph.channel_from(SwitchPort{at, 0})),
      by_output_(core.parameters.queueing == Queueing::virtual_output_queues),
      crossbar_(core.parameters.queueing != Queueing::output_queues &&
                core.parameters.output_queue > Bytes(0)),
      plain_(core.parameters.queueing != Queueing::output_queues && !crossbar_ &&
             core.parameters.marks.to == Bytes(0)),
      by_age_(core.parameters.input_arbitration == InputArbitration::oldest),
      single_(plain_ && core.channels.count() == 1 && core.links.has_credits()),
      link_try_(ports_),
      crossbar_try_(crossbar_ ? ports_ : 0),
      port_(ports_),
      loads_(core.looks_at_other_switches ? ports_ : 0),
      lanes_(groups_ > 1 ? ports_ : 0, LaneArbiter(core.parameters, groups_)) {
  if (core.parameters.queueing != Queueing::output_queues) {
    input_queues_.resize(by_output_ ? std::size_t{queues_} * ports_ : queues_);
    words_ = (queues_ + 63) / 64;
    fronts_.resize(words_ * ports_);
    if (groups_ > 1) next_queue_.resize(std::size_t{ports_} * groups_);
    candidates_.resize(groups_);
  }
  if (core.parameters.queueing == Queueing::output_queues || crossbar_) {
    output_queues_.resize(std::size_t{ports_} * groups_);
    queued_bytes_.resize(output_queues_.size());
    queued_packets_.resize(output_queues_.size());
    queued_groups_.resize(ports_);
    sending_.resize(ports_);
  }
  if (crossbar_) {
    crossbar_free_.resize(ports_);
    crossbar_lanes_.resize(ports_);
  }
  if (core.parameters.marks.to > Bytes(0)) {
    waiting_of_group_.resize(std::size_t{ports_} * groups_);
    held_back_.resize(waiting_of_group_.size());
  }
  if (core.parameters.shared.size > Bytes(0)) {
    const SharedBufferShares shares = shares_of(core.network, at, groups_, core.parameters);
    memory_ =
        std::make_unique<SwitchMemory>(SharedBuffer(core.parameters.shared, shares.headrooms, shares.pool),
                                       core.parameters.flow_control == FlowControl::pause, ports_, groups_);
    if (memory_->pauses()) held_.resize(std::size_t{ports_} * groups_ * ports_);
  }
  if (const SharedBufferParameters& shared = core.parameters.shared; core.parameters.watches())
    watchdogs_ = std::make_unique<PauseWatchdogs>(shared.watchdog, shared.restore, ports_, groups_);
  if (core.looks_at_other_switches && core.parameters.loads.is_late())
    history_.emplace(core.parameters.loads, ports_);
}

SimTime FabricSwitch::look(SimTime now) {
  now_ = now;
  // Mostly only what becomes ready may start, and that is one packet.
  if (link_try_.soonest() <= now || crossbar_ || watchdogs_) return look_at_several(no_packet);
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
  return link_try_.soonest() <= now || (memory_ && memory_->has_changed()) ? try_outputs() : next_look();
}

/// @param first  that is ready and has been taken, or none
SimTime FabricSwitch::look_at_several(Slot first) {
  const SimTime now = now_;
  give_up_queues(now);
  if (memory_) memory_->settle(now);
  if (first != no_packet) route(first);
  while (ready_.next() <= now) {
    assert(ready_.next() == now);
    route(take_ready());
  }
  return try_outputs();
}

/// Once all that is ready has been routed.
SimTime FabricSwitch::try_outputs() {
  if (memory_) memory_->for_changed([this](PortNumber port) { link_try_.no_later(port, now_); });
  if (crossbar_) {
    each_output(crossbar_try_, crossbar_first_, [this](PortNumber output) { return try_transfer(output); });
  }
  each_output(link_try_, link_first_, [this](PortNumber output) {
    return has_output_queues() ? try_queued(output) : try_direct(output);
  });
  return next_look();
}

SimTime FabricSwitch::next_look() const {
  SimTime next = ready_.next();
  if (memory_) next = std::min(next, memory_->next_end());
  if (watchdogs_) next = std::min(next, watchdogs_->next());
  assert(next > now_);
  // At once where an output that has had its turn may start again at this instant.
  const SimTime again =
      crossbar_ ? std::min(link_try_.soonest(), crossbar_try_.soonest()) : link_try_.soonest();
  assert(again >= now_);
  return std::min(next, again);
}

/// Attempts a start at each output where one may be possible, once round.
template <typename Try>
void FabricSwitch::each_output(NextTries& tries, unsigned& first, Try attempt) {
  bool started = false;
  tries.for_due(now_, first, [&](PortNumber output) {
    started_ = false;
    tries.set(output, attempt(output));
    started = started || started_;
  });
  if (started) first = after(first);
}

bool FabricSwitch::allowance_known(PortNumber output, SimTime at) {
  if (!links().stalls(channel(output)) || link_try_[output] <= at) return false;
  link_try_.set(output, at);
  return true;
}

bool FabricSwitch::pause_told(PortNumber output, GroupSet paused, SimTime effect) {
  if (watchdogs_) watchdogs_->told(output, paused, effect);
  return allowance_known(output, effect) || watchdogs_ != nullptr;
}

SimTime FabricSwitch::wait(SwitchPort output) const {
  return output.at == at_ ? load_of(output.port, now_) : core_.carrier.load(output);
}

SimTime FabricSwitch::load_of(PortNumber output, SimTime now) const {
  const CableChannel out = channel(output);
  if (links().is_down(out)) return load_when_down;
  const BitRate rate = links().rate(out);
  SimTime wait = rate.time_for(Bytes(port_[output].waiting_bytes));
  if (const SimTime free = links().free_at(out); free > now) wait += free - now;
  if (links().has_credits()) wait += rate.time_for(Bytes(links().units_out(out, now) * links().unit_bytes()));
  return wait;
}

SimTime FabricSwitch::load_before(PortNumber output, SimTime now) {
  give_up_queues(now);
  if (history_) return late_load(output, now);
  return loads_[output].at == now && !links().is_down(channel(output)) ? loads_[output].wait
                                                                       : load_of(output, now);
}

void FabricSwitch::note_load(PortNumber output) {
  loads_[output] = {now_, load_of(output, now_)};
  keep_history(output, now_);
}

void FabricSwitch::set_front(PortNumber output, std::uint32_t queue, bool there) {
  std::uint64_t& word = fronts_[output * words_ + queue / 64];
  const std::uint64_t bit = std::uint64_t{1} << queue % 64;
  word = there ? word | bit : word & ~bit;
}

bool FabricSwitch::has_fronts(PortNumber output) const {
  return std::any_of(fronts_.begin() + static_cast<std::ptrdiff_t>(output * words_),
                     fronts_.begin() + static_cast<std::ptrdiff_t>((output + 1U) * words_),
                     [](std::uint64_t word) { return word != 0; });
}

/// @return whether it is the first of its queue
bool FabricSwitch::queue_at_input(Slot slot) {
  const Packet& routed = packet(slot);
  const std::uint32_t number = input_queue_of(routed);
  PacketQueue& queue = input_queue(number, routed.output);
  const bool is_front = queue.empty();
  queue.push(core_.packets, slot);
  if (is_front) set_front(routed.output, number, true);
  return is_front;
}

/// A packet becomes ready, and nothing else may start: as route() and a try of its output.
void FabricSwitch::route_alone(Slot slot) {
  if (!find_output(slot)) return;
  Packet& routed = packet(slot);
  const PortNumber output = routed.output;
  keep_load(output);
  const std::uint32_t queue = input_queue_of(routed);
  const bool alone = port_[output].waiting == 0 && (by_output_ || input_queues_[queue].empty());
  if (alone && single_ && port_[routed.input].input_free <= now_ && routed.telemetry_ports == 0) {
    const CableChannel out = channel(output);
    if (const auto started = links().start_at_once(out, routed, now_)) {
      port_[output].next_queue = queue + 1;
      port_[routed.input].input_free = started->read;
      link_first_ = after(link_first_);
      ++routed.hops;
      return core_.carrier.started(slot, out, 0, now_, started->left, true);
    }
  }
  await_output(routed);
  started_ = false;
  if (alone) {
    const SimTime next = try_alone(slot);
    if (!started_) {
      queue_at_input(slot);
      link_try_.set(output, next);
    }
  } else if (queue_at_input(slot)) {
    link_try_.replace(output, try_direct(output));
  }
  if (started_) link_first_ = after(link_first_);
}

/// A packet for an output that no other waits for: starts it, if it may start.
/// @return otherwise, when it may
SimTime FabricSwitch::try_alone(Slot slot) {
  const Packet& routed = packet(slot);
  const PortNumber output = routed.output;
  const CableChannel out = channel(output);
  if (const SimTime free = links().free_at(out); free > now_) return free;
  bool is_held = false;
  if (const SimTime from = may_start(routed, out, is_held); from > now_) {
    if (is_held) links().stall(out, now_);
    return from;
  }
  const unsigned group = routed.group;
  choose_group(output, only(group), [&](unsigned) { return routed.size; });
  next_queue(output, group) = input_queue_of(routed) + 1;
  port_[routed.input].input_free = now_ + links().read_time(out, routed);
  start(slot, output, group);
  return never;
}

void FabricSwitch::queue_at_output(Slot slot) {
  const Packet& routed = packet(slot);
  const std::size_t queue = pair(routed.output, routed.group);
  if (watchdogs_ && output_queues_[queue].empty()) watchdogs_->filled(routed.output, routed.group, now_);
  output_queues_[queue].push(core_.packets, slot);
  queued_bytes_[queue] += routed.size.count();
  ++queued_packets_[queue];
  queued_groups_[routed.output] |= only(routed.group);
  link_try_.set(routed.output, now_);
}

/// Takes the first packet out of an input's queue; the input is busy until `input_free`.
void FabricSwitch::leave_input(const Candidate& candidate, PortNumber output, SimTime input_free) {
  port_[candidate.input].input_free = input_free;
  PacketQueue& queue = input_queue(candidate.queue, output);
  queue.pop(core_.packets);
  if (queue.empty()) return set_front(output, candidate.queue, false);
  const PortNumber next = packet(queue.first).output;
  if (next == output) return;
  set_front(output, candidate.queue, false);
  offer_first(candidate.queue, queue, input_free);
}

/// The first packet of an input's queue may go on from then on.
void FabricSwitch::offer_first(std::uint32_t number, const PacketQueue& queue, SimTime from) {
  const PortNumber output = packet(queue.first).output;
  set_front(output, number, true);
  (crossbar_ ? crossbar_try_ : link_try_).no_later(output, from);
}

/// A packet that may be sent next. Of each group only the one that the input arbiter chooses is kept.
void FabricSwitch::propose(PortNumber output, const Candidate& candidate) {
  const GroupSet group = only(candidate.group);
  Candidate& best = candidates_[candidate.group];
  const std::uint32_t next = next_queue(output, candidate.group);
  // By turns those from `next` on come first, then those below it.
  if ((proposed_ & group) == 0 ||
      (by_age_ ? candidate.number < best.number : candidate.queue - next < best.queue - next))
    best = candidate;
  proposed_ |= group;
}

FabricSwitch::Candidate FabricSwitch::take(PortNumber output, unsigned group) {
  next_queue(output, group) = candidates_[group].queue + 1;
  return candidates_[group];
}

/// Puts the packet on its channel. Credits must be there.
void FabricSwitch::start(Slot slot, PortNumber output, unsigned group) {
  Packet& sent = packet(slot);
  const CableChannel out = channel(output);
  keep_load(output);
  ++sent.hops;
  if (sent.telemetry_ports > 0) record(sent, output);
  forget(slot);
  if (!held_back_.empty()) {
    if (core_.parameters.marks.when == MarkWhen::leaving) mark(slot, output);
    held_back_[pair(output, group)] = false;
  }
  const unsigned lane = links().lane(out, group, now_);
  const SimTime left = links().start(out, lane, sent, now_);
  if (has_output_queues()) sending_[output] = {left, sent.size, group};
  started_ = true;
  if (memory_) memory_->release(account_of(sent), sent.size, left);
  core_.carrier.started(slot, out, lane, now_, left, !crossbar_);
}

/// The port's telemetry, in a packet that is about to start there.
void FabricSwitch::record(const Packet& sent, PortNumber output) const {
  std::vector<PortTelemetry>& records = core_.telemetry[sent.records];
  if (records.size() >= sent.telemetry_ports) return;
  const CableChannel out = channel(output);
  records.push_back({.port = out,
                     .at = now_,
                     .queue = Bytes(port_[output].waiting_bytes) - with_gap(sent.size),
                     .sent = links().sent(out),
                     .rate = links().rate(out)});
}

/// When the first packet of a queue at an input may start on its output's channel, which is not sending: now,
/// or not before that. @param is_held  becomes true if only credits, or a pause, hold it
SimTime FabricSwitch::may_start(const Packet& first, CableChannel out, bool& is_held) {
  const SimTime from =
      std::max(port_[first.input].input_free, first.tail_ready - links().time_for(out, first.size));
  if (from > now_) return from;
  const SimTime allowed = links().allowed_at(out, first.group, first.units, now_);
  if (allowed <= now_) return now_;
  is_held = true;
  hold_back(first.output, first.group);
  return allowed;
}

/// From a queue at an input onto the channel.
SimTime FabricSwitch::try_direct(PortNumber output) {
  const CableChannel out = channel(output);
  if (const SimTime free = links().free_at(out); free > now_) return free;
  proposed_ = 0;
  SimTime next = never;
  bool is_held = false;
  for_fronts(output, [&](std::uint32_t queue, Slot slot) {
    if (const SimTime from = may_start(packet(slot), out, is_held); from > now_)
      next = std::min(next, from);
    else
      propose(output, candidate(slot, queue));
  });
  if (proposed_ == 0) {
    if (is_held) links().stall(out, now_);
    return next;
  }
  const unsigned chosen =
      choose_group(output, proposed_, [&](unsigned group) { return packet(candidates_[group].packet).size; });
  const Candidate candidate = take(output, chosen);
  leave_input(candidate, output, now_ + links().read_time(out, packet(candidate.packet)));
  start(candidate.packet, output, chosen);
  return has_fronts(output) ? links().free_at(out) : never;
}

/// From a queue at an input through the crossbar into a queue at the output.
SimTime FabricSwitch::try_transfer(PortNumber output) {
  if (crossbar_free_[output] > now_) return crossbar_free_[output];
  proposed_ = 0;
  SimTime next = never;
  const Sending& sending = sending_[output];
  for_fronts(output, [&](std::uint32_t queue, Slot slot) {
    const Packet& first = packet(slot);
    if (const SimTime from = port_[first.input].input_free; from > now_) {
      next = std::min(next, from);
      return;
    }
    const bool counts = sending.until > now_ && sending.group == first.group;
    const std::int64_t full =
        queued_bytes_[pair(output, first.group)] + first.size.count() + (counts ? sending.size.count() : 0);
    if (full <= links().limits(channel(output)).size.count())
      propose(output, candidate(slot, queue));
    else if (counts)
      next = std::min(next, sending.until);  // what starts next says when there is space
  });
  if (proposed_ == 0) return next;
  const unsigned group = first_from(proposed_, crossbar_lanes_[output]);
  crossbar_lanes_[output] = static_cast<std::uint8_t>(group + 1 < groups_ ? group + 1 : 0);
  const Candidate candidate = take(output, group);
  Packet& moved = packet(candidate.packet);
  const BitRate faster = std::max(links().rate(channel(output)), links().rate(moved.came_by));
  const BitRate rate(faster.bits_per_second() * core_.parameters.speedup);
  const SimTime end = std::max(now_ + rate.time_for(moved.size), moved.tail_ready);
  leave_input(candidate, output, end);
  crossbar_free_[output] = end;
  moved.tail_ready = end;
  core_.carrier.space_free(moved, end);
  queue_at_output(candidate.packet);
  started_ = true;
  return has_fronts(output) ? end : never;
}

/// From a queue at the output onto the channel.
SimTime FabricSwitch::try_queued(PortNumber output) {
  const CableChannel out = channel(output);
  if (const SimTime free = links().free_at(out); free > now_) return free;
  if (memory_ && memory_->owes_frame(output) && !links().is_down(out)) {
    start_pause_frame(output);
    return queued_groups_[output] != 0 ? links().free_at(out) : never;
  }
  GroupSet groups = 0;
  SimTime next = never;
  bool is_held = false;
  for (GroupSet left = queued_groups_[output]; left != 0; left &= left - 1) {
    const auto group = static_cast<unsigned>(std::countr_zero(left));
    const Packet& first = packet(output_queues_[pair(output, group)].first);
    const SimTime from = first.tail_ready - links().time_for(out, first.size);
    if (from > now_) {
      next = std::min(next, from);
    } else if (const SimTime allowed = links().allowed_at(out, group, first.units, now_); allowed > now_) {
      is_held = true;
      hold_back(output, group);
      next = std::min(next, allowed);
    } else {
      groups |= only(group);
    }
  }
  if (groups == 0) {
    if (is_held) links().stall(out, now_);
    return next;
  }
  const unsigned chosen = choose_group(
      output, groups, [&](unsigned group) { return packet(output_queues_[pair(output, group)].first).size; });
  const std::size_t queue = pair(output, chosen);
  const Slot slot = output_queues_[queue].first;
  const Bytes size = packet(slot).size;
  output_queues_[queue].pop(core_.packets);
  queued_bytes_[queue] -= size.count();
  --queued_packets_[queue];
  if (output_queues_[queue].empty()) {
    queued_groups_[output] &= ~only(chosen);
    if (watchdogs_) watchdogs_->emptied(output, chosen);
  }
  start(slot, output, chosen);
  if (crossbar_ && has_fronts(output)) crossbar_try_.no_later(output, sending_[output].until);
  return queued_groups_[output] != 0 ? links().free_at(out) : never;
}

}  // namespace morgana::fabric
