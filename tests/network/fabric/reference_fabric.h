#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/packet.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/routing/routing.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/fault.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/fabric_outcome.h"
#include "tests/network/fabric/reference_agenda.h"
#include "tests/network/fabric/reference_allocator.h"
#include "tests/network/fabric/reference_arbiters.h"
#include "tests/network/fabric/reference_channels.h"
#include "tests/network/fabric/reference_fabric_switch.h"
#include "tests/network/fabric/reference_loads.h"
#include "tests/network/fabric/reference_marks.h"
#include "tests/network/fabric/reference_packets.h"
#include "tests/network/fabric/reference_shared_buffer.h"
#include "tests/network/fabric/reference_storms.h"
#include "tests/network/fabric/reference_watchdogs.h"

namespace morgana::testing {

/// docs/fabric.md, one step after the other: the oracle for the fabric. At every instant at which anything
/// happens every switch and every host looks at everything that it might start.
class ReferenceFabric {
 public:
  /// @param plan  sorted by time
  ReferenceFabric(const CabledGraph& network, const fabric::FabricParameters& parameters,
                  const Routing& routing, const std::vector<FabricInjection>& plan,
                  const NetworkFaults& faults)
      : graph_(network.graph),
        outages_(network.graph, faults),
        parameters_(parameters),
        routing_(routing),
        channels_of_class_(routing.virtual_channels()),
        virtual_channels_(parameters.classes * channels_of_class_ * parameters.lanes),
        channels_(network, parameters, virtual_channels_),
        switches_(graph_.switches()),
        allocators_(graph_.switches()),
        watchdogs_(graph_, parameters),
        marks_(graph_, parameters.marks, switches_),
        hosts_(graph_.hosts()),
        storms_(parameters, channels_of_class_, graph_.hosts()),
        packets_(parameters, plan),
        loads_(graph_, outages_, parameters, switches_, channels_, agenda_) {
    for (Host& host : hosts_) host.queues.resize(parameters.classes);
    outcome_.channels.resize(graph_.channels());
    outcome_.pause_frames.resize(graph_.channels());
    if (parameters.shared.size > Bytes(0))
      for (SwitchId at = 0; at < graph_.switches(); ++at)
        buffers_.emplace_back(network, parameters, at, virtual_channels_);
  }

  FabricOutcome run() {
    outcome_.fates.resize(packets_.count());
    for (std::size_t packet = 0; packet < packets_.count(); ++packet)
      later(packets_[packet].at + parameters_.injection_latency, becomes_ready, packet, [this, packet] {
        hosts_[packets_[packet].from].queues[packets_[packet].traffic_class].push_back(packet);
      });
    for (const SimTime change : outages_.changes()) later(change, ends, 0, [this] { discard(); });
    for (const SimTime change : storms_.changes()) later(change, ends, 0, [] {});
    const bool keeps = parameters_.loads.is_late() && routing_.looks_at_other_switches();
    const auto keep = [&](bool with_now) {
      return [=, this] {
        if (keeps) loads_.keep_history(with_now);
      };
    };
    agenda_.run(keep(false), keep(true), [this] { start_what_may_start(); });
    outcome_.free_units = channels_.free_units();
    outcome_.given_up = watchdogs_.given_up();
    outcome_.restored = watchdogs_.restored();
    outcome_.marks = marks_.counts();
    return outcome_;
  }

 private:
  using Switch = ReferenceSwitchState;
  using Visitor = ReferenceVisitor;
  using enum ReferenceAgenda::Phase;
  struct Host {
    std::vector<std::deque<std::size_t>> queues;  // by class
    SimTime ejects_until;
  };

  SimTime now() const { return agenda_.now(); }
  void later(SimTime at, ReferenceAgenda::Phase phase, std::size_t packet, std::function<void()> step) {
    agenda_.add(at, phase, packet, std::move(step));
  }
  bool has_output_queues_only() const { return parameters_.queueing == fabric::Queueing::output_queues; }
  bool has_queues_behind_crossbar() const {
    return !has_output_queues_only() && parameters_.output_queue > Bytes(0);
  }
  bool sends_from_inputs() const { return !has_output_queues_only() && !has_queues_behind_crossbar(); }
  Bytes size(std::size_t packet) const { return packets_.size(packet); }
  SimTime sending(CableChannel channel, std::size_t packet) const {
    return channels_.sending(channel, size(packet));
  }
  bool is_down(CableChannel channel) const { return outages_.is_down(channel, now()); }
  bool is_busy(CableChannel channel) const { return channels_.busy_until(channel) > now(); }

  // ---- on channels

  /// @return when the sending ends
  SimTime start(CableChannel on, unsigned group, std::size_t packet) {
    const unsigned virtual_channel = *channels_.lane(on, group, size(packet));
    const SimTime end = now() + sending(on, packet);
    outcome_.fates[packet].hops.push_back({on, static_cast<VirtualChannel>(virtual_channel), now()});
    ++outcome_.channels[on].packets;
    outcome_.channels[on].bytes += size(packet);
    channels_.begin(on, virtual_channel, size(packet), now());
    agenda_.look_again(channels_.busy_until(on));
    const SimTime head = now() + channels_.propagation(on), tail = end + channels_.propagation(on);
    if (outages_.next_down(on, now()) < tail ||
        fabric::has_bit_error(parameters_.bit_error_rate, size(packet), packet, on))
      corrupt_.insert(packet);
    if (channels_.receiver(on).is_host()) {
      later(tail, ends, packet, [=, this] { arrive_at_host(on, virtual_channel, packet); });
    } else {
      Visitor visitor;
      visitor.packet = packet;
      visitor.size = size(packet);
      visitor.input = channels_.receiver(on).port;
      visitor.came_by = on;
      visitor.came_on = virtual_channel;
      visitor.all_there = tail + parameters_.latency;
      const bool cuts_through = parameters_.forwarding == fabric::Forwarding::virtual_cut_through;
      visitor.ready = (cuts_through ? head : tail) + parameters_.latency;
      later(visitor.ready, becomes_ready, packet, [=, this] { route(visitor); });
    }
    return end;
  }

  /// The packet's space where the channel ends is free now.
  void free_space(CableChannel channel, unsigned virtual_channel, std::size_t packet) {
    if (!channels_.have_credits()) return;
    later(now() + channels_.propagation(channel) + parameters_.credit_delay, ends, packet,
          [=, this] { channels_.give_back(channel, virtual_channel, size(packet)); });
  }
  void free_space(const Visitor& visitor) {
    free_space(visitor.came_by, visitor.came_on, visitor.packet);
    const SwitchId at = channels_.receiver(visitor.came_by).id;
    if (!visitor.is_charged) return;
    buffers_[at].free(account(visitor), visitor.size);
    later(now(), has_ended, 0, [=, this] { buffers_[at].end_pauses(); });
  }

  // ---- pauses

  bool has_pauses() const { return parameters_.flow_control == fabric::FlowControl::pause; }
  ReferenceSharedBuffer::AccountName account(const Visitor& visitor) const {
    if (has_pauses()) return {visitor.input, visitor.came_on};
    return {visitor.output, visitor.group};
  }

  void start_pause_frames(SwitchId at) {
    if (!has_pauses()) return;
    for (unsigned number = 0; number < graph_.ports(at); ++number) {
      const auto port = static_cast<PortNumber>(number);
      const CableChannel on = graph_.channel_from(SwitchPort{at, port});
      if (!buffers_[at].owes_frame(port) || is_busy(on) || is_down(on)) continue;
      start_pause_frame(on, *reference_channel_to(graph_, {at, port}), buffers_[at].tell(port));
    }
  }
  /// @param of  the channel on which it pauses these groups, and no others
  void start_pause_frame(CableChannel on, CableChannel of, const std::set<unsigned>& groups) {
    ++outcome_.pause_frames[on];
    channels_.begin_pause_frame(on, now());
    agenda_.look_again(channels_.busy_until(on));
    const SimTime arrival =
        now() + channels_.sending(on, parameters_.shared.pause_frame) + channels_.propagation(on);
    later(arrival + parameters_.shared.pause_delay, ends, 0, [=, this] {
      channels_.pause(of, groups);
      later(now(), watched, 0, [this] { watch(); });
    });
  }

  /// Whenever a pause has begun or ended, when a queue is due, and, as packets may have joined, at the end of
  /// every instant.
  void watch() {
    for (const auto& [output, group] : watchdogs_.look(switches_, channels_, now())) {
      ReferenceQueue& queue = switches_[output.at].at_outputs[{output.port, group}];
      for (const Visitor& visitor : queue) lose(visitor);
      queue.clear();
    }
    const SimTime next = watchdogs_.next();
    if (next < SimTime::max() && watched_at_.insert(next).second)
      later(next, watched, 0, [this] { watch(); });
  }
  /// Whether the packet came by a port, in a class, of which the switch has given a queue up.
  bool comes_from_given_up(const Visitor& visitor) const {
    const SwitchId at = channels_.receiver(visitor.came_by).id;
    const unsigned first = packets_.class_of(visitor.packet) * channels_of_class_;
    for (unsigned group = first; group < first + channels_of_class_; ++group)
      if (watchdogs_.is_given_up({{at, visitor.input}, group})) return true;
    return false;
  }

  // ---- hosts

  void deliver_at(SimTime at, std::size_t packet) {
    outcome_.fates[packet].delivered = at;
    outcome_.fates[packet].marked = marks_.is_marked(packet);
    outcome_.fates[packet].trimmed = packets_.trimmed(packet);
  }

  void arrive_at_host(CableChannel channel, unsigned virtual_channel, std::size_t packet) {
    const auto deliver = [=, this] {
      if (corrupt_.contains(packet))
        outcome_.fates[packet].lost = now();
      else
        deliver_at(now() + parameters_.delivery_latency, packet);
      free_space(channel, virtual_channel, packet);
    };
    if (parameters_.ejection == BitRate(0)) {
      deliver();
      return;
    }
    SimTime& ejects_until = hosts_[packets_[packet].to].ejects_until;
    const SimTime head = now() - sending(channel, packet);
    const SimTime emptied = std::max(head, ejects_until) + parameters_.ejection.time_for(size(packet));
    ejects_until = std::max(now(), emptied);
    if (ejects_until == now())
      deliver();
    else
      later(ejects_until, ends, packet, deliver);
  }

  void start_at_host(HostNumber number) {
    Host& host = hosts_[number];
    const CableChannel channel = graph_.channel_from(number);
    if (is_down(channel)) {
      for (auto& queue : host.queues) {
        for (const std::size_t packet : queue)
          outcome_.fates[packet].departed = outcome_.fates[packet].lost = now();
        queue.clear();
      }
      return;
    }
    if (is_busy(channel)) return;
    if (storms_.owes_frame(number, now()))
      return start_pause_frame(channel, graph_.channel_from(graph_.port_of(number)),
                               storms_.tell(number, now()));
    ReferenceFirstPackets first;
    for (unsigned of_class = 0; of_class < parameters_.classes; ++of_class) {
      const auto& queue = host.queues[of_class];
      const unsigned group = of_class * channels_of_class_;
      if (!queue.empty() && channels_.lane(channel, group, size(queue.front())))
        first[group] = size(queue.front());
    }
    if (first.empty()) return;
    const unsigned group = channels_.arbiter(channel).choose(first);
    auto& queue = host.queues[group / channels_of_class_];
    const std::size_t packet = queue.front();
    queue.pop_front();
    channels_.arbiter(channel).sent(size(packet));
    const SimTime end = start(channel, group, packet);
    later(end, ends, packet, [=, this] { outcome_.fates[packet].departed = now(); });
  }

  // ---- switches: a packet becomes ready

  void route(Visitor visitor) {
    if (routing_.looks_at_other_switches()) loads_.keep();
    if (comes_from_given_up(visitor)) return lose(visitor);
    const FabricInjection& unit = packets_[visitor.packet];
    const SwitchId at = channels_.receiver(visitor.came_by).id;
    const SwitchPort last = graph_.port_of(unit.to);
    std::optional<RoutingChoice> choice = RoutingChoice{last.port, 0};
    const bool refused =
        corrupt_.contains(visitor.packet) && parameters_.forwarding == fabric::Forwarding::store_and_forward;
    if (at != last.at && !refused) {
      RoutedPacket asked;
      asked.input = {at, visitor.input};
      asked.virtual_channel =
          static_cast<VirtualChannel>(visitor.came_on / parameters_.lanes % channels_of_class_);
      asked.source = unit.from;
      asked.destination = unit.to;
      asked.last_switch = last.at;
      asked.flow = std::uint64_t{unit.from} << 32 | unit.to;
      asked.number = visitor.packet;
      asked.note = notes_[visitor.packet];
      loads_.ask_at(at);
      choice = routing_.choose(asked, loads_);
    }
    if (choice) {
      notes_[visitor.packet] = choice->note;
      visitor.output = choice->port;
      visitor.group = packets_.class_of(visitor.packet) * channels_of_class_ + choice->virtual_channel;
    }
    const SwitchPort output{at, visitor.output};
    const bool goes = choice && !refused && !is_down(graph_.channel_from(output)) &&
                      !watchdogs_.is_given_up({output, visitor.group});
    if (!goes) return lose(visitor);
    if (!overfills(at, visitor)) return enter(at, visitor);
    if (takes_place_of_last(at, visitor)) return;
    if (!trim(at, visitor) || overfills(at, visitor)) return lose(visitor);
    enter(at, visitor);
  }

  /// It has space, and waits from now on.
  void enter(SwitchId at, Visitor visitor) {
    const CableChannel on = graph_.channel_from(SwitchPort{at, visitor.output});
    visitor.is_charged = !buffers_.empty();
    marks_.look(fabric::MarkWhen::joining, at, visitor);
    join(switches_[at], visitor);
    agenda_.look_again(visitor.all_there - sending(on, visitor.packet));
  }

  /// A packet finds its queue full. @return whether the last one there leaves the queue to it, and goes on as
  /// a header or is lost
  bool takes_place_of_last(SwitchId at, const Visitor& visitor) {
    if (parameters_.trim.which != fabric::TrimParameters::Which::either) return false;
    Switch& here = switches_[at];
    ReferenceQueue& queue = here.at_outputs[{visitor.output, visitor.group}];
    if (queue.empty() || !packets_.may_be_cut(visitor.packet) || !packets_.may_be_cut(queue.back().packet) ||
        queue.back().size < visitor.size)
      return false;
    if (!fabric::trims_last(visitor.packet, graph_.channel_from(SwitchPort{at, visitor.output})))
      return false;
    Visitor last = queue.back();
    queue.pop_back();
    here.hold(last, -1);
    if (!buffers_.empty()) buffers_[at].free(account(last), last.size - visitor.size);
    enter(at, visitor);
    last.is_charged = false;
    if (trim(at, last) && !overfills(at, last))
      enter(at, last);
    else
      lose(last);
    return true;
  }

  void lose(const Visitor& visitor) {
    const SimTime tail = visitor.all_there - parameters_.latency;
    later(std::max(now(), tail), ends, visitor.packet, [=, this] {
      outcome_.fates[visitor.packet].lost = now();
      free_space(visitor);
    });
  }

  /// All that waits in switches for outputs that are down.
  void discard() {
    for (SwitchId at = 0; at < switches_.size(); ++at) {
      Switch& here = switches_[at];
      const auto in_vain = [&](const Visitor& visitor) {
        return is_down(graph_.channel_from(SwitchPort{at, visitor.output}));
      };
      for (auto& [key, queue] : here.at_inputs) {
        for (const Visitor& visitor : queue)
          if (in_vain(visitor)) lose(visitor);
        std::erase_if(queue, in_vain);
      }
      for (auto& [key, queue] : here.at_outputs) {
        for (const Visitor& visitor : queue) {
          if (!in_vain(visitor)) continue;
          here.hold(visitor, -1);
          if (has_output_queues_only())
            lose(visitor);
          else
            later(std::max(now(), visitor.all_there), ends, visitor.packet,
                  [this, packet = visitor.packet] { outcome_.fates[packet].lost = now(); });
        }
        std::erase_if(queue, in_vain);
      }
    }
  }

  /// Whether the switch's memory, or an output that drops packets, has no space for this one; if it has, the
  /// memory gives it.
  bool overfills(SwitchId at, const Visitor& visitor) {
    if (!buffers_.empty()) return !buffers_[at].admit(account(visitor), visitor.size);
    if (!has_output_queues_only() || channels_.have_credits()) return false;
    const ReferenceHolding& held = switches_[at].held[{visitor.output, visitor.group}];
    return (parameters_.output_packets > 0 && held.packets >= parameters_.output_packets) ||
           (parameters_.output_queue > Bytes(0) && held.bytes + visitor.size > parameters_.output_queue);
  }

  /// @return whether it is a header now, or as short as one, in the class of headers
  bool trim(SwitchId at, Visitor& visitor) {
    const bool is_last = at == graph_.port_of(packets_[visitor.packet].to).at;
    if (!packets_.trim(visitor.packet, is_last ? Trimmed::at_last_switch : Trimmed::on_the_way)) return false;
    visitor.size = size(visitor.packet);
    visitor.group =
        packets_.class_of(visitor.packet) * channels_of_class_ + visitor.group % channels_of_class_;
    return true;
  }

  void join(Switch& here, const Visitor& visitor) {
    if (has_output_queues_only()) {
      here.hold(visitor, 1);
      here.at_outputs[{visitor.output, visitor.group}].push_back(visitor);
      return;
    }
    const bool by_output = parameters_.queueing == fabric::Queueing::virtual_output_queues;
    const PortNumber of_output = by_output ? visitor.output : PortNumber{0};
    here.at_inputs[{visitor.input * virtual_channels_ + visitor.came_on, of_output}].push_back(visitor);
  }

  // ---- switches: what may start

  void start_what_may_start() {
    watch();
    bool allocated = false;
    for (SwitchId at = 0; at < switches_.size(); ++at) {
      start_pause_frames(at);
      allocated = allocate(at) || allocated;
      if (has_queues_behind_crossbar() && !has_allocator())
        for_each_output(at, switches_[at].transfers, &ReferenceFabric::begin_transfer);
      if (!sends_from_inputs() || !has_allocator())
        for_each_output(at, switches_[at].starts, &ReferenceFabric::start_at_output);
    }
    // What has not been granted, or has become ready in between, may be so at the next allocation.
    const std::int64_t cycle = parameters_.allocation_cycle.ps();
    if (has_allocator() && (allocated || !is_time_to_allocate()))
      agenda_.look_again(SimTime::from_ps((now().ps() / cycle + 1) * cycle));
    for (HostNumber host = 0; host < hosts_.size(); ++host) start_at_host(host);
  }

  bool has_allocator() const {
    return parameters_.allocator == fabric::SwitchAllocator::separable_input_first;
  }
  bool is_time_to_allocate() const { return now().ps() % parameters_.allocation_cycle.ps() == 0; }

  /// @return whether a packet was granted
  bool allocate(SwitchId at) {
    if (!has_allocator() || !is_time_to_allocate()) return false;
    Switch& here = switches_[at];
    const auto requests = [&](const Visitor& visitor) {
      if (here.input_busy[visitor.input]) return false;
      const SwitchPort output{at, visitor.output};
      if (has_queues_behind_crossbar()) return may_transfer(output, visitor);
      if (is_busy(graph_.channel_from(output)) || !may_but_for_credits(output, visitor)) return false;
      if (has_space(output, visitor)) return true;
      marks_.hold_back({output, visitor.group});
      return false;
    };
    const auto granted = allocators_[at].allocate(parameters_.input_arbitration, here.at_inputs, requests);
    for (const auto& [output, queue] : granted) {
      const Visitor visitor = queue->front();
      queue->pop_front();
      if (has_queues_behind_crossbar())
        transfer({at, output}, visitor);
      else
        send({at, output}, visitor);
    }
    return !granted.empty();
  }

  /// @param act  whether it has started a packet
  void for_each_output(SwitchId at, Switch::Stage& stage, bool (ReferenceFabric::*act)(SwitchPort)) {
    bool started = false;
    for (unsigned step = 0; step < graph_.ports(at); ++step) {
      const SwitchPort output{at, static_cast<PortNumber>((stage.first_output + step) % graph_.ports(at))};
      started = (this->*act)(output) || started;
    }
    if (started) ++stage.first_output;
  }

  /// Of a packet whose input is not busy.
  bool may_transfer(SwitchPort output, const Visitor& visitor) {
    Switch& here = switches_[output.at];
    return !here.output_side_busy[output.port] &&
           here.held[{output.port, visitor.group}].bytes + visitor.size <= parameters_.output_queue;
  }

  bool begin_transfer(SwitchPort output) {
    Switch& here = switches_[output.at];
    const ReferenceCandidates found = here.at_inputs_for(
        output.port, [&](const Visitor& visitor) { return may_transfer(output, visitor); });
    if (found.empty()) return false;
    const unsigned group = here.transfers.groups[output.port].choose(reference_groups(found));
    transfer(output, here.transfers.take(parameters_.input_arbitration, {output.port, group}, found));
    return true;
  }

  /// @param visitor  no longer in its queue at the input
  void transfer(SwitchPort output, Visitor visitor) {
    Switch& here = switches_[output.at];
    const CableChannel channel = graph_.channel_from(output);
    const std::int64_t faster = std::max(channels_.rate(channel).bits_per_second(),
                                         channels_.rate(visitor.came_by).bits_per_second());
    const BitRate crossbar(faster * parameters_.speedup);
    const SimTime end = std::max(now() + crossbar.time_for(visitor.size), visitor.all_there);
    here.hold(visitor, 1);
    here.input_busy[visitor.input] = here.output_side_busy[output.port] = true;
    later(end, ends, visitor.packet, [=, this, &here] {
      here.input_busy[visitor.input] = here.output_side_busy[output.port] = false;
      free_space(visitor);
    });
    visitor.ready = now();
    visitor.all_there = end;
    here.at_outputs[{output.port, visitor.group}].push_back(visitor);
    agenda_.look_again(end - sending(channel, visitor.packet));
  }

  bool may_but_for_credits(SwitchPort output, const Visitor& visitor) const {
    return now() >= visitor.ready &&
           now() + sending(graph_.channel_from(output), visitor.packet) >= visitor.all_there;
  }
  bool has_space(SwitchPort output, const Visitor& visitor) {
    return channels_.lane(graph_.channel_from(output), visitor.group, visitor.size).has_value();
  }

  bool start_at_output(SwitchPort output) {
    Switch& here = switches_[output.at];
    const CableChannel channel = graph_.channel_from(output);
    if (is_busy(channel)) return false;
    const auto first_of_queues = [&](const Switch::MayGo& may_go) {
      return sends_from_inputs() ? here.at_inputs_for(output.port, may_go)
                                 : here.at_outputs_for(output.port, may_go);
    };
    const ReferenceCandidates found = first_of_queues([&](const Visitor& visitor) {
      return may_but_for_credits(output, visitor) && has_space(output, visitor);
    });
    if (channels_.have_credits())
      for (const unsigned group : reference_groups(first_of_queues([&](const Visitor& visitor) {
             return may_but_for_credits(output, visitor) && !has_space(output, visitor);
           })))
        marks_.hold_back({output, group});
    if (found.empty()) return false;
    const unsigned group = channels_.arbiter(channel).choose(
        here.starts.first(parameters_.input_arbitration, output.port, found));
    const Visitor visitor = here.starts.take(parameters_.input_arbitration, {output.port, group}, found);
    channels_.arbiter(channel).sent(visitor.size);
    send(output, visitor);
    return true;
  }

  /// @param visitor  no longer in its queue
  void send(SwitchPort output, const Visitor& visitor) {
    Switch& here = switches_[output.at];
    const CableChannel channel = graph_.channel_from(output);
    marks_.look(fabric::MarkWhen::leaving, output.at, visitor);
    marks_.started({output, visitor.group});
    const SimTime end = start(channel, visitor.group, visitor.packet);
    if (sends_from_inputs()) {
      here.input_busy[visitor.input] = true;
      const SimTime read =
          std::min(sending(channel, visitor.packet), sending(visitor.came_by, visitor.packet));
      later(now() + read, ends, visitor.packet, [=, &here] { here.input_busy[visitor.input] = false; });
    }
    later(end, ends, visitor.packet, [=, this, &here] {
      if (!sends_from_inputs()) here.hold(visitor, -1);
      if (!has_queues_behind_crossbar()) free_space(visitor);
    });
  }

  const SwitchGraph& graph_;
  Outages outages_;
  fabric::FabricParameters parameters_;
  const Routing& routing_;
  unsigned channels_of_class_, virtual_channels_;
  ReferenceChannels channels_;
  std::vector<Switch> switches_;
  std::vector<ReferenceAllocator> allocators_;  // by switch
  std::vector<ReferenceSharedBuffer> buffers_;  // by switch; empty without
  ReferenceWatchdogs watchdogs_;
  ReferenceMarks marks_;
  std::vector<Host> hosts_;
  ReferenceStorms storms_;
  ReferencePackets packets_;
  std::map<std::size_t, RoutingNote> notes_;  // by packet
  std::set<std::size_t> corrupt_;             // packets
  std::set<SimTime> watched_at_;
  FabricOutcome outcome_;
  ReferenceAgenda agenda_;
  ReferenceLoads loads_;
};

/// @param plan  sorted by time; packets of equal times are injected in this order. Packets of a network that
/// deadlocks stay without delivery.
inline FabricOutcome reference_fabric(const CabledGraph& network, const fabric::FabricParameters& parameters,
                                      const Routing& routing, const std::vector<FabricInjection>& plan,
                                      const NetworkFaults& faults = {}) {
  return ReferenceFabric(network, parameters, routing, plan, faults).run();
}

}  // namespace morgana::testing
