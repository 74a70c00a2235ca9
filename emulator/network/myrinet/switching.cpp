// Switches: requests, grants, connections, and the packets that can't go anywhere.
#include <algorithm>
#include <bit>
#include <cassert>

#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {
namespace {

/// The first set bit behind `last`, cyclically; there is one.
RouteByte next_after(const std::uint64_t* mask, std::size_t words, RouteByte last) {
  const std::size_t word = last / 64;
  const unsigned bit = last % 64;
  const std::uint64_t behind = bit == 63 ? 0 : mask[word] & ~std::uint64_t{0} << (bit + 1);
  if (behind != 0) return static_cast<RouteByte>(word * 64 + static_cast<unsigned>(std::countr_zero(behind)));
  std::size_t at = word;
  do {
    at = at + 1 == words ? 0 : at + 1;
    if (mask[at] != 0)
      return static_cast<RouteByte>(at * 64 + static_cast<unsigned>(std::countr_zero(mask[at])));
  } while (at != word);
  assert(false);
  return 0;
}

bool any(const std::uint64_t* mask, std::size_t words) {
  return std::any_of(mask, mask + words, [](std::uint64_t word) { return word != 0; });
}

}  // namespace

void MyrinetNetwork::set_waiting(Index output, PortNumber port, bool waits) {
  std::uint64_t& word = waiting_[output * mask_words_ + port / 64];
  const std::uint64_t bit = std::uint64_t{1} << port % 64;
  word = waits ? word | bit : word & ~bit;
}

/// Is there a packet at the front that has not been looked at?
void MyrinetNetwork::look(Index index) {
  const Channel& input = channels_[index];
  if (input.input != Input::idle || input.front == none) return;
  if (arrival(index, passages_[input.front].first) <= now()) request(index);
}

void MyrinetNetwork::request(Index index) {
  Channel& input = channels_[index];
  const Passage& front = passages_[input.front];
  if (!has_first_byte(front) || first_byte(front) == in_transit_mark) return sink(index, Loss::route_used_up);
  const Switch& at = switches_[input.at];
  const int port = output_port(first_byte(front), input.port);  // a turn may lead below the first port
  if (port < 0 || port >= static_cast<int>(at.ports) ||
      channels_[at.first_port + static_cast<Index>(port)].at == none)
    return sink(index, Loss::no_such_port);
  const Index output = at.first_port + static_cast<Index>(port);
  input.input = Input::waiting;
  input.requested_at = now();
  input.wanted = output;
  set_waiting(output, input.port, true);
  if (parameters_.routing_unit == RoutingUnit::each_switch) {
    arbitrate_late(input.at);
  } else if (channels_[output].feed == none) {
    grant(output, input.at);
  } else if (channels_[output].granted_at == now()) {
    regrant(output, input.at);
  }
  if (input.input == Input::waiting) arm_timer(input.at, now());
  watch(index);
}

/// A free output takes the next of the inputs that wait for it.
void MyrinetNetwork::grant(Index output, Index at) {
  Channel& channel = channels_[output];
  channel.granted_before = channel.last_granted;
  const RouteByte port = next_after(&waiting_[output * mask_words_], mask_words_, channel.last_granted);
  hold(output, input_at_[switches_[at].first_port + port]);
  schedule(now() + routing_, routing_ends, output);
}

/// Another input has requested an output in the very instant in which it was granted: all requests of an
/// instant are equal, so it is granted again.
void MyrinetNetwork::regrant(Index output, Index at) {
  Channel& channel = channels_[output];
  const Index holder = channel.feed;
  Channel& input = channels_[holder];
  set_waiting(output, input.port, true);
  const RouteByte port = next_after(&waiting_[output * mask_words_], mask_words_, channel.granted_before);
  const Index winner = input_at_[switches_[at].first_port + port];
  if (winner == holder) return set_waiting(output, input.port, false);
  input.input = Input::waiting;
  input.out = none;
  hold(output, winner);
  arm_timer(at, input.requested_at);
  watch(holder);
}

void MyrinetNetwork::hold(Index output, Index index) {
  Channel& channel = channels_[output];
  Channel& input = channels_[index];
  set_waiting(output, input.port, false);
  channel.feed = index;
  channel.granted_at = now();
  channel.last_granted = input.port;
  input.input = Input::routing;
  input.out = output;
}

/// A packet that had the output goes elsewhere: it is for the next that waits; where a switch routes one
/// header at a time, its arbitration follows.
void MyrinetNetwork::set_free(Index output, Index at) {
  channels_[output].feed = channels_[output].source = none;
  if (parameters_.routing_unit == RoutingUnit::each_output &&
      any(&waiting_[output * mask_words_], mask_words_))
    grant(output, at);
}

/// The route byte leaves the buffer, and the flits behind it may follow.
void MyrinetNetwork::routed(Index output) {
  const Index input = channels_[output].feed;
  begin_sending(output, input, 1);
  if (parameters_.routing_unit == RoutingUnit::each_switch) arbitrate_late(channels_[input].at);
}

/// @param taken  flits of the packet that have left the input: its route byte; or, where a sink takes the
/// rest of a packet, all that have gone on, and no route is read any more
void MyrinetNetwork::begin_sending(Index output, Index index, Count taken) {
  Channel& channel = channels_[output];
  Channel& input = channels_[index];
  const Passage front = passages_[input.front];
  const Index passage = new_passage(front.packet, channel.run_end, front.length - taken,
                                    front.position + static_cast<std::uint32_t>(taken));
  passages_[passage].silent = front.silent;
  passages_[passage].bad_tail = front.bad_tail;
  passages_[passage].cut_by = front.cut_by;
  passages_[passage].channel = output;
  input.input = Input::sending;
  input.out = output;
  channel.feed = index;
  channel.source = input.front;
  channel.shift = front.first + taken - channel.run_end;
  hand_to(output, passage);
  if (!channel.dead && !channel.to_host) append(channel, passage);
  if (runs_out_of_patience(channel)) {
    channel.stalled_since = now();
    arm_timer(input.at, now());
  }
  try_to_send(output);
  if (!channel.running) watch(index);
}

/// The packet at the front is consumed as fast as it comes.
void MyrinetNetwork::sink(Index input, Loss why) {
  sink_reason_[input] = why;
  begin_sending(first_sink_ + input, input, 0);
}

/// A packet has passed: the output is free again, and so is the input.
void MyrinetNetwork::sent_by_switch(Index output) {
  Channel& channel = channels_[output];
  const Index index = channel.feed;
  Channel& input = channels_[index];
  const Index passed = input.front;
  input.front = passages_[passed].next;
  input.input = Input::idle;
  input.out = none;
  channel.feed = channel.source = none;
  drop_passage(passed);
  if (parameters_.routing_unit == RoutingUnit::each_switch) {
    arbitrate_late(input.at);
  } else if (!is_sink(output) && any(&waiting_[output * mask_words_], mask_words_)) {
    grant(output, input.at);
  }
  look(index);
  if (input.stop_sent) watch(index);
}

void MyrinetNetwork::arbitrate_late(Index at) {
  if (switches_[at].arbitrating_at == now()) return;
  switches_[at].arbitrating_at = now();
  schedule_late(now(), switch_arbitrates, at);
}

/// The switch's only routing unit, if free, takes the next of the inputs whose output is free.
void MyrinetNetwork::arbitrate(Index index) {
  Switch& at = switches_[index];
  if (at.unit_free_at > now()) return;
  if (at.timer_at == now()) cut_stalled(index);
  for (std::uint32_t step = 1; step <= at.ports; ++step) {
    const auto port = static_cast<RouteByte>((at.last_routed + step) % at.ports);
    const Index input = input_at_[at.first_port + port];
    if (input == none || channels_[input].input != Input::waiting) continue;
    const Index output = channels_[input].wanted;
    if (channels_[output].feed != none) continue;
    hold(output, input);
    at.last_routed = port;
    at.unit_free_at = now() + routing_;
    schedule(at.unit_free_at, routing_ends, output);
    return;
  }
}

}  // namespace morgana
