#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "emulator/network/fabric/arbiter.h"
#include "emulator/network/fabric/core.h"
#include "emulator/network/fabric/stuck.h"
#include "emulator/network/fabric/switch/flowlets.h"
#include "emulator/network/fabric/switch/load_history.h"
#include "emulator/network/fabric/switch/next_tries.h"
#include "emulator/network/fabric/switch/pause_watchdogs.h"
#include "emulator/network/fabric/switch/ready_packets.h"
#include "emulator/network/fabric/switch/switch_memory.h"

namespace morgana::fabric {

/// One switch: its queues, its crossbar, its arbiters. docs/fabric.md, "Switches".
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
    Packet& arriving = packet(slot);
    if (core_.asks_ahead) ask(arriving);
    ready_.add(ready, arriving.number, slot, core_.asks_ahead ? channel(arriving.output) : 0);
  }
  /// Routes what is ready and starts what may start. @return when to look again; SimTime::max(): not before
  /// something arrives or a credit is known
  SimTime look(SimTime now);
  /// An output may be allowed to send from then on. @return whether it has to be looked at then
  bool allowance_known(PortNumber output, SimTime at);
  /// As Carrier::pause_told, of an output's channel. @return whether the switch has to be looked at then
  bool pause_told(PortNumber output, GroupSet paused, SimTime effect);
  /// Queues that watchdogs have given up at the output so far.
  std::int64_t given_up(PortNumber output) const { return watchdogs_ ? watchdogs_->count(output) : 0; }

  /// An output's cable fails or comes back, now: before anything else happens at this instant. The switch
  /// must be looked at.
  void set_down(PortNumber output, bool down, SimTime now);
  /// Units of credit are back at an output from then on.
  void credits_come(PortNumber output, SimTime at, std::int64_t units);
  /// OutputLoads::wait of its output, as it was before anything was routed or started at `now`; with
  /// FabricParameters::loads as it was when the news was sent.
  SimTime load_before(PortNumber output, SimTime now);

  /// Adds its packets: those that can't start, and of which it is not known when they can, and others.
  void find_stuck(SimTime now, WaitingPackets& found) const;
  /// Packets that wait in it: in queues, routed already.
  std::int64_t waiting() const { return waiting_; }

 private:
  /// A packet that may start, and the queue whose first it is.
  struct Candidate {
    Slot packet;
    std::uint32_t queue;
    std::uint64_t number;  ///< of the packet, and
    unsigned group;
    PortNumber input;
  };
  /// The packet that an output sends, or sent last.
  struct Sending {
    SimTime until;
    Bytes size;
    std::uint32_t group = 0;
  };

  SimTime wait(SwitchPort output) const override;
  SimTime load_of(PortNumber output, SimTime now) const;
  /// Before what changes it, for switches that ask at the same instant.
  void keep_load(PortNumber output) {
    if (!loads_.empty() && loads_[output].at != now_) note_load(output);
  }
  void note_load(PortNumber output);
  LoadHistory::State load_state(PortNumber output, SimTime until) const;
  void keep_history(PortNumber output, SimTime until);
  SimTime late_load(PortNumber output, SimTime now);
  /// What watchdogs do at this instant, before anything is routed or started at it.
  void give_up_queues(SimTime now) {
    if (watchdogs_) act_as_watchdogs(now);
  }
  void act_as_watchdogs(SimTime now);
  SimTime look_at_several(Slot first);
  SimTime try_outputs();
  SimTime next_look() const;
  void ask(Packet& routed);
  /// The first packet that is ready. What the next one's look will read is fetched into the caches: until
  /// then other switches are looked at.
  [[gnu::always_inline]] Slot take_ready() {
    const Slot taken = ready_.take();
    ready_.foresee([this](Slot slot, CableChannel output) {
      __builtin_prefetch(&packet(slot));
      links().prefetch(output, 0);
    });
    return taken;
  }
  /// @return whether there is one; otherwise the packet is lost
  bool find_output(Slot slot) {
    const Packet& routed = packet(slot);
    links().prefetch(routed.came_by, routed.came_on);
    if (!core_.asks_ahead || watchdogs_ || routed.corrupt || !routed.has_way)
      return find_output_or_lose(slot);
    const CableChannel out = channel(routed.output);
    links().prefetch(out, core_.channels.first_of(routed.group));
    return !links().is_down(out) || lose(slot, Loss::cable_down, out);
  }
  bool find_output_or_lose(Slot slot);
  void route(Slot slot, bool is_alone = false);
  bool goes_at_once(const Packet& routed);
  void note_waiting(Slot slot);
  void route_alone(Slot slot);
  /// It waits for its output from now on.
  void await_output(const Packet& routed) {
    ++waiting_;
    Port& output = port_[routed.output];
    ++output.waiting;
    output.waiting_bytes += with_gap(routed.size).count();
  }
  bool lose(Slot slot, Loss why, CableChannel output);
  void discard_from_inputs(PortNumber output);
  void discard_from_output(PortNumber output);
  void discard_queue(PortNumber output, unsigned group, Loss why);
  void forget(Slot slot);
  void offer_first(std::uint32_t number, const PacketQueue& queue, SimTime from);
  bool dropped(const Packet& packet);
  bool trim(Packet& packet, bool last_switch);
  std::size_t account_of(const Packet& packet) const;
  SimTime gone(const Packet& lost) const;
  void mark(Slot slot, PortNumber output);
  bool is_victim(PortNumber output, std::size_t queue) const;
  void start_pause_frame(PortNumber output);
  void note_pause(PortNumber input, unsigned group, CableChannel paused, SimTime effect);
  PortNumber fullest_output(std::size_t account) const;
  std::optional<CableChannel> cause_of(PortNumber output, unsigned traffic_class);
  bool queue_at_input(Slot slot);
  void queue_at_output(Slot slot);
  SimTime may_start(const Packet& first, CableChannel out, bool& is_held);
  SimTime try_alone(Slot slot);
  SimTime try_direct(PortNumber output);
  SimTime try_transfer(PortNumber output);
  SimTime try_queued(PortNumber output);
  Candidate candidate(Slot slot, std::uint32_t queue) const {
    const Packet& first = packet(slot);
    return {slot, queue, first.number, first.group, first.input};
  }
  void propose(PortNumber output, const Candidate& candidate);
  Candidate take(PortNumber output, unsigned group);
  /// As LaneArbiter::take.
  template <typename Size>
  unsigned choose_group(PortNumber output, GroupSet ready, Size size) {
    return groups_ == 1 ? 0 : lanes_[output].take(ready, size);
  }
  void leave_input(const Candidate& candidate, PortNumber output, SimTime input_free);
  void start(Slot slot, PortNumber output, unsigned group);
  void record(const Packet& sent, PortNumber output) const;
  template <typename Try>
  void each_output(NextTries& tries, unsigned& first, Try attempt);

  /// Credits, or a pause, alone keep a packet of the group from starting.
  void hold_back(PortNumber output, unsigned group) {
    if (!held_back_.empty() && links().has_credits()) held_back_[pair(output, group)] = true;
  }
  bool has_output_queues() const { return !output_queues_.empty(); }
  CableChannel channel(PortNumber output) const { return first_channel_ + output; }
  std::uint32_t input_queue_of(const Packet& packet) const {
    return packet.input * core_.channels.count() + packet.came_on;
  }
  PacketQueue& input_queue(std::uint32_t queue, PortNumber output) {
    return input_queues_[by_output_ ? output * queues_ + queue : queue];
  }
  const PacketQueue& input_queue(std::uint32_t queue, PortNumber output) const {
    return input_queues_[by_output_ ? output * queues_ + queue : queue];
  }
  Links& links() const { return core_.links; }
  Packet& packet(Slot slot) const { return core_.packets[slot]; }
  std::size_t pair(PortNumber output, unsigned group) const { return output * groups_ + group; }
  std::int64_t& held(std::size_t account, PortNumber output) { return held_[account * ports_ + output]; }
  /// Calls visit(queue, slot) for each queue at the inputs whose first packet, this one, goes to the output.
  template <typename Visit>
  void for_fronts(PortNumber output, Visit visit) {
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = fronts_[output * words_ + word]; bits != 0; bits &= bits - 1) {
        const auto queue =
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
        visit(queue, input_queue(queue, output).first);
      }
    }
  }
  unsigned after(unsigned port) const { return port + 1 < ports_ ? port + 1 : 0; }
  void set_front(PortNumber output, std::uint32_t queue, bool there);
  bool has_fronts(PortNumber output) const;
  Bytes with_gap(Bytes size) const { return size + core_.parameters.packet.gap; }

  /// The group's queue, from which on one is looked for next.
  std::uint32_t& next_queue(PortNumber output, unsigned group) {
    return groups_ == 1 ? port_[output].next_queue : next_queue_[pair(output, group)];
  }

  /// What every start changes, of a port as an output and as an input: half a cache line.
  struct alignas(32) Port {
    std::int64_t waiting_bytes = 0;  ///< of all packets that wait for it, gaps included, and
    std::uint32_t waiting = 0;       ///< their number
    std::uint32_t next_queue = 0;    ///< round robin, where there is one group
    SimTime input_free;              ///< when it has sent its packet, as an input
  };

  // What every look needs stands together: a hop in a large network costs what its cache lines cost.
  const Core& core_;
  SwitchId at_;
  unsigned ports_, groups_;
  unsigned queues_;  // at the inputs towards one output: (input, virtual channel)
  CableChannel first_channel_;
  bool by_output_;  // input queues are virtual output queues
  bool crossbar_;   // between queues at inputs and queues at outputs
  bool plain_;      // packets wait in inputs and in nothing else, and nothing but their outputs holds them
  bool by_age_;     // inputs are chosen
  bool single_;     // plain, and channels have one virtual channel with credits
  bool started_ = false;  // something, at the last attempt
  SimTime now_;
  std::unique_ptr<SwitchMemory> memory_;  // shared by all queues; or none
  std::unique_ptr<PauseWatchdogs> watchdogs_;
  ReadyPackets ready_;
  std::int64_t waiting_ = 0;
  NextTries link_try_, crossbar_try_;             // onto links, through the crossbar
  unsigned link_first_ = 0, crossbar_first_ = 0;  // the output at which the next look begins

  std::vector<Port> port_;
  std::vector<PacketQueue> input_queues_;   // by output, if at all, and by input and virtual channel; or none
  std::vector<std::uint64_t> fronts_;       // by output a bit for each (input, virtual channel) whose first
  std::size_t words_ = 0;                   // packet it may send
  std::vector<std::uint32_t> next_queue_;   // by output and group: round robin; none if there is one group
  GroupSet proposed_ = 0;                   // in a try: groups that have a candidate
  std::vector<Candidate> candidates_;       // by group
  std::vector<PacketQueue> output_queues_;  // by output and group; or none

  /// An output's load before anything happened at an instant; only if the routing asks other switches.
  struct Load {
    SimTime at = SimTime::from_ps(-1);
    SimTime wait;
  };
  static constexpr SimTime load_when_down = SimTime::from_ps(1'000'000'000'000);
  std::vector<Load> loads_;
  std::optional<LoadHistory> history_;  ///< where others learn of them late
  // With marks, by output and group
  std::vector<std::int64_t> waiting_of_group_;  // bytes of all packets that wait
  std::vector<bool> held_back_;                 // by credits
  std::vector<std::int64_t> held_;  // where inputs are paused: bytes of each account that wait for an output

  std::vector<LaneArbiter> lanes_;            // by output; none if there is one group
  std::vector<SimTime> crossbar_free_;        // by output
  std::vector<std::uint8_t> crossbar_lanes_;  // by output: the group to begin with
  // Of queues at outputs
  std::vector<std::int64_t> queued_bytes_, queued_packets_;  // in each, not started
  std::vector<GroupSet> queued_groups_;                      // by output: which of its queues hold something
  std::vector<Sending> sending_;                             // by output
  FlowletTable flowlets_;
};

}  // namespace morgana::fabric
