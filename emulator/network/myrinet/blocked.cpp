// Packets that are blocked for too long: headers that wait, and connections that stand still.
#include <algorithm>
#include <cassert>

#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {

/// One timer a switch: it goes off when the first of those that are blocked may have to go.
void MyrinetNetwork::arm_timer(Index index, Time since) {
  if (parameters_.deadlock_timeout == SimTime()) return;
  const Time at = since + parameters_.deadlock_timeout.ps();
  if (at >= switches_[index].timer_at) return;
  switches_[index].timer_at = at;
  schedule_late(at, patience_ends, index);
}

bool MyrinetNetwork::too_long(Time since) const {
  return parameters_.deadlock_timeout > SimTime() && now() - since >= parameters_.deadlock_timeout.ps();
}

bool MyrinetNetwork::overdue(const Channel& input) const {
  return input.input == Input::waiting && too_long(input.requested_at);
}

/// Of an output that is stopped with a packet.
MyrinetNetwork::Time MyrinetNetwork::still_since(const Channel& output) const {
  const Time clear =
      output.running ? output.run_start + (output.run_end - output.run_first) * flit_ : output.clear_at;
  return std::max(output.stalled_since, clear);
}

bool MyrinetNetwork::stalled(const Channel& output) const {
  return runs_out_of_patience(output) && output.current != none && output.run_end < passage_end(output) &&
         too_long(still_since(output));
}

/// In an instant, connections are broken before outputs are granted, and headers dropped after it.
void MyrinetNetwork::end_patience(Index index) {
  Switch& at = switches_[index];
  if (at.timer_at != now()) return;
  cut_stalled(index);
  if (parameters_.routing_unit == RoutingUnit::each_switch) arbitrate(index);
  at.timer_at = never;
  Time first = never;
  for (Index output = at.first_port; output < at.first_port + at.ports; ++output) {
    if (runs_out_of_patience(channels_[output]) && channels_[output].current != none)
      first = std::min(first, still_since(channels_[output]));
    const Index input = input_at_[output];
    if (input == none || channels_[input].input != Input::waiting) continue;
    if (overdue(channels_[input])) {
      set_waiting(channels_[input].wanted, channels_[input].port, false);
      sink(input, Loss::deadlock);
    } else {
      first = std::min(first, channels_[input].requested_at);
    }
  }
  if (first != never) arm_timer(index, first);
}

void MyrinetNetwork::cut_stalled(Index index) {
  const Switch& at = switches_[index];
  for (Index output = at.first_port; output < at.first_port + at.ports; ++output)
    if (stalled(channels_[output])) cut_connection(output);
}

/// What has gone on ends in a bad tail; the rest is swallowed, in silence if something has gone on.
void MyrinetNetwork::cut_connection(Index output) {
  Channel& channel = channels_[output];
  const Index passage = channel.current;
  const Index input = channel.feed;
  const Count crossed = channel.run_end;
  const Count first = passages_[passage].first;
  const Count taken = crossed + channel.shift - passages_[channel.source].first;
  assert(!channel.running && !channel.dead && !channel.to_host && now() >= channel.clear_at);
  Packet& packet = packets_[passages_[passage].packet];
  if (packet.stalled_from == none) packet.stalled_from = input;
  if (crossed == first) {
    forget_last(channel);
    channel.current = none;
    drop_passage(passage);
  } else {
    silence(output);
    channel.current = none;
    remember(output, now(), crossed, crossed + 1);
    channel.run_end = crossed + 1;
    channel.clear_at = now() + flit_;
    shorten(output, passage, crossed + 1 - first, Loss::deadlock);
    if (channel.out != none && !channels_[channel.out].running) try_to_send(channel.out);
    watch(output);
  }
  sink_reason_[input] = Loss::deadlock;
  begin_sending(first_sink_ + input, input, taken);
  set_free(output, channels_[input].at);
}

}  // namespace morgana
