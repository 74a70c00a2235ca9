#include "emulator/network/myrinet/crossbars.h"

#include <algorithm>
#include <cassert>

namespace morgana::myrinet {

Crossbars::Crossbars(Agenda agenda, WormChannels& channels, PacketStore& packets, FlitRuns& runs,
                     SlackBuffers& slack, DeadlockTimers& timers, Senders& senders, WormCuts& cuts,
                     const MyrinetParameters& parameters)
    : agenda_(agenda),
      layout_(channels),
      channels_(channels.all()),
      packets_(packets),
      runs_(runs),
      slack_(slack),
      timers_(timers),
      senders_(senders),
      cuts_(cuts),
      routing_(parameters.routing.ps()),
      one_header_at_a_time_(parameters.routing_unit == RoutingUnit::each_switch),
      waiting_(channels.outputs(), channels.most_ports()),
      sink_reason_(channels.count()),
      units_(channels.switches().size()) {
  for (std::size_t at = 0; at < units_.size(); ++at)
    units_[at].last_routed = static_cast<RouteByte>(channels.switches()[at].ports - 1);
}

void Crossbars::look(Index index) {
  const Channel& input = channels_[index];
  if (input.input != Input::idle || input.front == none) return;
  if (runs_.arrival(index, packets_.passage(input.front).first) <= agenda_.now()) request(index);
}

void Crossbars::request(Index index) {
  Channel& input = channels_[index];
  const Passage& front = packets_.passage(input.front);
  if (!packets_.has_first_byte(front) || packets_.first_byte(front) == in_transit_mark)
    return sink(index, UnitLoss::route_used_up);
  const WormChannels::PortRange& at = layout_.switches()[input.at];
  const int port =
      output_port(packets_.first_byte(front), input.port);  // a turn may lead below the first port
  if (port < 0 || port >= static_cast<int>(at.ports) ||
      channels_[at.first_port + static_cast<Index>(port)].at == none)
    return sink(index, UnitLoss::no_such_port);
  const Index output = at.first_port + static_cast<Index>(port);
  input.input = Input::waiting;
  input.requested_at = agenda_.now();
  input.wanted = output;
  waiting_.set(output, input.port, true);
  if (one_header_at_a_time_) {
    arbitrate_late(input.at);
  } else if (channels_[output].feed == none) {
    grant(output, input.at);
  } else if (channels_[output].granted_at == agenda_.now()) {
    regrant(output, input.at);
  }
  if (input.input == Input::waiting) timers_.arm(input.at, agenda_.now());
  slack_.watch(index);
}

/// A free output takes the next of the inputs that wait for it.
void Crossbars::grant(Index output, Index at) {
  Channel& channel = channels_[output];
  channel.granted_before = channel.last_granted;
  const RouteByte port = waiting_.next_after(output, channel.last_granted);
  hold(output, layout_.input_at(layout_.switches()[at].first_port + port));
  agenda_.schedule(agenda_.now() + routing_, WormEvent::routing_ends, output);
}

/// Another input has requested an output in the very instant in which it was granted: all requests of an
/// instant are equal, so it is granted again.
void Crossbars::regrant(Index output, Index at) {
  Channel& channel = channels_[output];
  const Index holder = channel.feed;
  Channel& input = channels_[holder];
  waiting_.set(output, input.port, true);
  const RouteByte port = waiting_.next_after(output, channel.granted_before);
  const Index winner = layout_.input_at(layout_.switches()[at].first_port + port);
  if (winner == holder) return waiting_.set(output, input.port, false);
  input.input = Input::waiting;
  input.out = none;
  hold(output, winner);
  timers_.arm(at, input.requested_at);
  slack_.watch(holder);
}

void Crossbars::hold(Index output, Index index) {
  Channel& channel = channels_[output];
  Channel& input = channels_[index];
  waiting_.set(output, input.port, false);
  channel.feed = index;
  channel.granted_at = agenda_.now();
  channel.last_granted = input.port;
  input.input = Input::routing;
  input.out = output;
}

/// A packet that had the output goes elsewhere: it is for the next that waits; where a switch routes one
/// header at a time, its arbitration follows.
void Crossbars::set_free(Index output, Index at) {
  channels_[output].feed = channels_[output].source = none;
  if (!one_header_at_a_time_ && waiting_.any(output)) grant(output, at);
}

void Crossbars::routed(Index output) {
  const Index input = channels_[output].feed;
  begin_sending(output, input, 1);
  if (one_header_at_a_time_) arbitrate_late(channels_[input].at);
}

/// @param taken  flits of the packet that have left the input: its route byte; or, where a sink takes the
/// rest of a packet, all that have left by the output, and no route is read any more
void Crossbars::begin_sending(Index output, Index index, Count taken) {
  Channel& channel = channels_[output];
  Channel& input = channels_[index];
  const Passage front = packets_.passage(input.front);
  const Index passage = packets_.add_passage(front.packet, channel.run_end, front.length - taken,
                                             front.position + static_cast<std::uint32_t>(taken), front);
  packets_.passage(passage).channel = output;
  input.input = Input::sending;
  input.out = output;
  channel.feed = index;
  channel.source = input.front;
  channel.shift = front.first + taken - channel.run_end;
  senders_.hand_to(output, passage);
  if (!channel.dead && !channel.to_host) packets_.append(channel, passage);
  if (DeadlockTimers::applies_to(channel)) {
    channel.stalled_since = agenda_.now();
    timers_.arm(input.at, agenda_.now());
  }
  senders_.try_to_send(output);
  if (!channel.running) slack_.watch(index);
}

/// The packet at the front is consumed as fast as it comes.
void Crossbars::sink(Index input, UnitLoss why) {
  sink_reason_[input] = why;
  begin_sending(layout_.sink_of(input), input, 0);
}

void Crossbars::sent(Index output) {
  Channel& channel = channels_[output];
  const Index index = channel.feed;
  Channel& input = channels_[index];
  const Index passed = input.front;
  input.front = packets_.passage(passed).next;
  input.input = Input::idle;
  input.out = none;
  channel.feed = channel.source = none;
  packets_.drop_passage(passed);
  if (one_header_at_a_time_) {
    arbitrate_late(input.at);
  } else if (!layout_.is_sink(output) && waiting_.any(output)) {
    grant(output, input.at);
  }
  look(index);
  if (input.stop_sent) slack_.watch(index);
}

void Crossbars::arbitrate_late(Index at) {
  if (units_[at].arbitrating_at == agenda_.now()) return;
  units_[at].arbitrating_at = agenda_.now();
  agenda_.schedule_late(agenda_.now(), WormEvent::switch_arbitrates, at);
}

void Crossbars::arbitrate(Index index) {
  const WormChannels::PortRange& at = layout_.switches()[index];
  OnlyRoutingUnit& unit = units_[index];
  if (unit.free_at > agenda_.now()) return;
  if (timers_.expires_now(index)) cut_stalled(index);
  for (std::uint32_t step = 1; step <= at.ports; ++step) {
    const auto port = static_cast<RouteByte>((unit.last_routed + step) % at.ports);
    const Index input = layout_.input_at(at.first_port + port);
    if (input == none || channels_[input].input != Input::waiting) continue;
    const Index output = channels_[input].wanted;
    if (channels_[output].feed != none) continue;
    hold(output, input);
    unit.last_routed = port;
    unit.free_at = agenda_.now() + routing_;
    agenda_.schedule(unit.free_at, WormEvent::routing_ends, output);
    return;
  }
}

void Crossbars::end_patience(Index index) {
  const WormChannels::PortRange& at = layout_.switches()[index];
  if (!timers_.expires_now(index)) return;
  cut_stalled(index);
  if (one_header_at_a_time_) arbitrate(index);
  timers_.disarm(index);
  Time first = never;
  for (Index output = at.first_port; output < at.end(); ++output) {
    if (DeadlockTimers::applies_to(channels_[output]) && channels_[output].current != none)
      first = std::min(first, timers_.still_since(channels_[output]));
    const Index index_of_input = layout_.input_at(output);
    if (index_of_input == none || channels_[index_of_input].input != Input::waiting) continue;
    const Channel& input = channels_[index_of_input];
    if (timers_.overdue(input)) {
      waiting_.set(input.wanted, input.port, false);
      sink(index_of_input, UnitLoss::deadlock);
    } else {
      first = std::min(first, input.requested_at);
    }
  }
  if (first != never) timers_.arm(index, first);
}

void Crossbars::cut_stalled(Index index) {
  const WormChannels::PortRange& at = layout_.switches()[index];
  for (Index output = at.first_port; output < at.end(); ++output)
    if (timers_.stalled(channels_[output])) cut_connection(output);
}

/// What has left by the output ends in a bad tail; the sink takes the rest, in silence if something has left.
void Crossbars::cut_connection(Index output) {
  const Channel& channel = channels_[output];
  const Index input = channel.feed;
  const Count taken = channel.run_end + channel.shift - packets_.passage(channel.source).first;
  assert(!channel.running && !channel.dead && !channel.to_host && agenda_.now() >= channel.clear_at);
  Packet& packet = packets_.packet_of(channel.current);
  if (packet.stalled_from == none) packet.stalled_from = input;
  cuts_.break_off(output);
  sink_reason_[input] = UnitLoss::deadlock;
  begin_sending(layout_.sink_of(input), input, taken);
  set_free(output, channels_[input].at);
}

}  // namespace morgana::myrinet
