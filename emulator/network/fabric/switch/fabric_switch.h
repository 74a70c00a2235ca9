#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "emulator/network/fabric/core.h"
#include "emulator/network/fabric/stuck.h"
#include "emulator/network/fabric/switch/crossbar.h"
#include "emulator/network/fabric/switch/input_arbiter.h"
#include "emulator/network/fabric/switch/input_queues.h"
#include "emulator/network/fabric/switch/next_tries.h"
#include "emulator/network/fabric/switch/output_queues.h"
#include "emulator/network/fabric/switch/pause_watchdogs.h"
#include "emulator/network/fabric/switch/port_states.h"
#include "emulator/network/fabric/switch/queue_marks.h"
#include "emulator/network/fabric/switch/ready_packets.h"
#include "emulator/network/fabric/switch/separable_allocator.h"
#include "emulator/network/fabric/switch/switch_loads.h"
#include "emulator/network/fabric/switch/switch_memory.h"
#include "emulator/network/fabric/switch/switch_pauses.h"
#include "emulator/network/fabric/switch/switch_router.h"

namespace morgana::fabric {

/// One switch: takes packets through its queues, its crossbar and its arbiters. docs/fabric.md, "Switches".
///
/// A switch acts only when it is looked at. It must be looked at whenever a packet becomes ready and at each
/// time that look() returns; a look at any other time changes nothing. For each output it keeps a time
/// before which nothing can start there, so that a look touches few outputs.
class FabricSwitch final : private OutputLoads {
 public:
  /// @param core  must outlive it
  FabricSwitch(const Core& core, SwitchId at);

  /// The packet is ready at `ready`, later than now.
  void arrive(Slot slot, SimTime ready) {
    Packet& arriving = packets_[slot];
    if (core_.asks_ahead) router_.ask(arriving, *this, now_);
    ready_.add(ready, arriving.number, slot, core_.asks_ahead ? channel(arriving.output) : 0);
  }
  /// Routes what is ready and starts what may start. @return when to look again; SimTime::max(): not before
  /// something arrives or a credit is known
  SimTime look(SimTime now);
  /// An output may be allowed to send from then on. @return whether it has to be looked at then
  bool allowance_known(PortNumber output, SimTime at) {
    if (!links_.stalls(channel(output)) || link_try_[output] <= at) return false;
    link_try_.set(output, at);
    return true;
  }
  /// As Carrier::pause_told, of an output's channel. @return whether the switch has to be looked at then
  bool pause_told(PortNumber output, GroupSet paused, SimTime effect) {
    if (watchdogs_) watchdogs_->told(output, paused, effect);
    return allowance_known(output, effect) || watchdogs_ != nullptr;
  }
  /// Queues that watchdogs have given up at the output so far.
  std::int64_t given_up(PortNumber output) const { return watchdogs_ ? watchdogs_->count(output) : 0; }

  /// An output's cable fails or comes back, now: before anything else happens at this instant. The switch
  /// must be looked at.
  void set_down(PortNumber output, bool down, SimTime now);
  /// Units of credit are back at an output from then on.
  void credits_come(PortNumber output, SimTime at, std::int64_t units) {
    loads_.credits_come(output, at, units);
  }
  /// OutputLoads::wait of its output, as it was before anything was routed or started at `now`; with
  /// FabricParameters::loads as it was when the news was sent.
  SimTime load_before(PortNumber output, SimTime now);

  /// Adds its packets to `found`: to `stuck` those that nothing known lets start, to `moving` all others.
  void find_stuck(SimTime now, WaitingPackets& found) const;
  /// Packets that wait in it: in queues, routed already.
  std::int64_t waiting() const { return ports_.waiting(); }

 private:
  using Candidate = InputArbiter::Candidate;
  using Attempt = NextTries::Attempt;

  SimTime wait(SwitchPort output) const override;
  void act_as_watchdogs(SimTime now);
  SimTime look_at_several(Slot first);
  /// Whether an output is due, once all that is ready has been routed.
  bool may_start_something() const {
    return link_try_.soonest() <= now_ || crossbar_.exists() || (memory_ && memory_->has_changed());
  }
  SimTime try_outputs();
  SimTime next_look() const;
  bool are_in_no_time(const NextTries& due) const;
  /// The first packet that is ready. What the next one's look will read is fetched into the caches: until
  /// then other switches are looked at.
  [[gnu::always_inline]] Slot take_ready() {
    const Slot taken = ready_.take();
    ready_.foresee([this](Slot slot, CableChannel output) {
      __builtin_prefetch(&packets_[slot]);
      links_.prefetch(output, 0);
    });
    return taken;
  }
  /// @return whether there is one; otherwise the packet is lost
  bool find_output(Slot slot) {
    const Packet& routed = packets_[slot];
    links_.prefetch(routed.came_by, routed.came_on);
    if (!core_.asks_ahead || watchdogs_ || routed.corrupt || !routed.has_way)
      return find_output_or_lose(slot);
    const CableChannel out = channel(routed.output);
    links_.prefetch(out, core_.channels.first_of(routed.group));
    return !links_.is_down(out) || lose(slot, Loss::cable_down, out);
  }
  bool find_output_or_lose(Slot slot);
  void route(Slot slot, bool is_alone = false);
  /// Whether its output's queue takes a packet.
  bool has_space(const Packet& routed) {
    const FabricParameters& parameters = core_.parameters;
    if (memory_) return memory_->admit(memory_->account_of(routed), routed.size);
    return parameters.flow_control != FlowControl::none ||
           outputs_.has_space(routed, links_.limits(channel(routed.output)).size, parameters.output_packets,
                              now_);
  }
  bool make_space(Slot slot);
  bool replaces_last(const Packet& comes) const;
  void replace_last(Slot slot);
  bool goes_at_once(const Packet& routed);
  void await_output(Packet& routed);
  void route_alone(Slot slot);
  bool lose(Slot slot, Loss why, CableChannel output);
  void discard_queue(PortNumber output, unsigned group, Loss why);
  void forget(const Packet& packet);
  /// An output may send the first packet of a queue at an input from then on.
  void offer(PortNumber output, SimTime from) {
    if (allocator_) from = allocator_->next(from);
    (crossbar_.exists() ? crossbar_try_ : link_try_).no_later(output, from);
  }
  SimTime gone(const Packet& lost) const;
  void queue_at_output(Slot slot);
  SimTime may_start(const Packet& first, CableChannel out, bool& is_held);
  Attempt try_alone(Slot slot);
  Attempt try_direct(PortNumber output);
  Attempt try_transfer(PortNumber output);
  Attempt try_queued(PortNumber output);
  template <typename Propose>
  SimTime find_direct(PortNumber output, bool& is_held, const Propose& propose);
  template <typename Propose>
  SimTime find_transfers(PortNumber output, const Propose& propose);
  Candidate candidate(std::uint32_t queue, Slot slot) const {
    const Packet& first = packets_[slot];
    return {slot, queue, first.number, first.group, first.input};
  }
  void propose(PortNumber output, std::uint32_t queue, Slot slot);
  [[gnu::always_inline]] Attempt send_from_input(const Candidate& chosen, PortNumber output) {
    const CableChannel out = channel(output);
    leave_input(chosen, output, now_ + links_.read_time(out, packets_[chosen.packet]));
    start(chosen.packet, output, chosen.group);
    return {inputs_.has_fronts(output) ? links_.free_at(out) : SimTime::max(), true};
  }
  Attempt transfer(const Candidate& chosen, PortNumber output);
  void allocate(NextTries& due);
  SimTime request_output(PortNumber output);
  void leave_input(const Candidate& chosen, PortNumber output, SimTime input_free);
  void start(Slot slot, PortNumber output, unsigned group);
  CableChannel channel(PortNumber output) const { return first_channel_ + output; }

  // What every look needs stands together: a hop in a large network costs what its cache lines cost.
  const Core& core_;
  Links& links_;
  Packets& packets_;
  SwitchId at_;
  unsigned groups_;
  CableChannel first_channel_;
  bool plain_;   // packets wait in inputs and in nothing else, and nothing but their outputs holds them: any
                 // output sends whenever it is free
  bool single_;  // plain, and channels have one virtual channel with credits
  SimTime now_;
  std::unique_ptr<SwitchMemory> memory_;  // shared by all queues; or none
  std::unique_ptr<PauseWatchdogs> watchdogs_;
  std::unique_ptr<SeparableAllocator> allocator_;  // in place of arbiters of outputs; or none
  ReadyPackets ready_;
  NextTries link_try_, crossbar_try_;  // onto links, through the crossbar
  Crossbar crossbar_;
  PortStates ports_;
  InputQueues inputs_;
  OutputQueues outputs_;
  InputArbiter arbiter_;  // among inputs
  OutputLanes lanes_;
  SwitchLoads loads_;
  QueueMarks marks_;
  std::unique_ptr<SwitchPauses> pauses_;  // where inputs are paused
  SwitchRouter router_;
};

/// Calls propose(queue, slot) for each queue at an input whose first packet may start on the output's
/// channel, which is not sending. @param is_held  becomes true if only credits, or a pause, hold another one
/// @return when one of the others may start
template <typename Propose>
SimTime FabricSwitch::find_direct(PortNumber output, bool& is_held, const Propose& propose) {
  const CableChannel out = channel(output);
  SimTime next = SimTime::max();
  inputs_.for_fronts(output, [&](std::uint32_t queue, Slot slot) {
    if (const SimTime from = may_start(packets_[slot], out, is_held); from > now_)
      next = std::min(next, from);
    else
      propose(queue, slot);
  });
  return next;
}

/// The same of transfers through the crossbar, whose side of the output is free.
template <typename Propose>
SimTime FabricSwitch::find_transfers(PortNumber output, const Propose& propose) {
  SimTime next = SimTime::max();
  inputs_.for_fronts(output, [&](std::uint32_t queue, Slot slot) {
    const Packet& first = packets_[slot];
    if (const SimTime from = ports_.input_free(first.input); from > now_)
      next = std::min(next, from);
    else if (outputs_.held(output, first.group, now_) + first.size <= links_.limits(channel(output)).size)
      propose(queue, slot);
    else if (outputs_.sends(output, first.group, now_))
      next = std::min(next, outputs_.sends_until(output));  // what starts next says when there is space
  });
  return next;
}

}  // namespace morgana::fabric
