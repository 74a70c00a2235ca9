// The slack buffers of switch inputs: stop and go.
#include <algorithm>
#include <cassert>

#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {

/// Flits that have left the buffer until now, now included.
MyrinetNetwork::Count MyrinetNetwork::removed(const Channel& input) const {
  assert(input.front != none);
  if (input.input != Input::sending) return passages_[input.front].first;
  const Channel& output = channels_[input.out];
  return started(output) + output.shift;
}

/// Foresees when the buffer may next cross a threshold, and has it looked at then. To be called whenever what
/// fills or empties it changes. In time is enough: a look that finds nothing foresees again.
void MyrinetNetwork::watch(Index index) {
  const Channel& input = channels_[index];
  if (input.to_host || input.dead) return;
  if (input.front == none) {
    if (input.stop_sent) check_at(index, now());
    return;
  }
  const bool emptying = input.input == Input::sending && channels_[input.out].running;
  if (!emptying) {
    // Another look follows when the header arrives, and when routing ends.
    if (input.input == Input::idle && !input.stop_sent) return;
    const Count out = removed(input);
    if (input.stop_sent) {
      if (arrived(index) - out < parameters_.go_below) check_at(index, now());
      return;
    }
    const Time full = arrival(index, out + parameters_.stop_above);
    if (full == never) return;
    if (input.input == Input::routing && full >= channels_[input.out].granted_at + routing_) return;
    return check_at(index, std::max(full, now()));
  }
  // As flits come no faster than they go, only a flit that comes before the next one goes adds anything.
  const Channel& output = channels_[input.out];
  const Count in = arrived(index);
  const Count out = removed(input);
  const Time next_out = output.run_start + (out - output.shift - output.run_first) * flit_;
  if (input.stop_sent) {
    const Count over = in - out - parameters_.go_below;
    if (over < 0) return check_at(index, now());
    // Where the run ends before, there will be another look.
    if (out - output.shift + over < output.run_end) check_at(index, next_out + over * flit_);
    return;
  }
  if (in - out > parameters_.stop_above) return check_at(index, now());
  if (in - out < parameters_.stop_above) return;
  const Time next_in = arrival(index, in);
  if (next_in < next_out) check_at(index, next_in);
}

void MyrinetNetwork::check_at(Index index, Time when) {
  Channel& input = channels_[index];
  if (when >= input.check_at) return;
  input.check_at = when;
  schedule_late(when, thresholds_are_checked, index);
}

void MyrinetNetwork::check(Index index) {
  Channel& input = channels_[index];
  if (input.check_at != now()) return;
  input.check_at = never;
  // It will be dropped in this instant, which empties the buffer: only the instant's outcome counts.
  if (overdue(input) || (input.input == Input::sending && stalled(channels_[input.out])))
    return check_at(index, now());
  const Count in = arrived(index);
  const Count held = input.front == none ? 0 : in - removed(input);
  assert(held >= 0 && held <= parameters_.slack);
  if (input.stop_sent ? held < parameters_.go_below : held > parameters_.stop_above) {
    input.stop_sent = !input.stop_sent;
    schedule(now() + control_, input.stop_sent ? stop_arrives : go_arrives, index);
  }
  watch(index);
}

void MyrinetNetwork::stop_towards(PortId host, bool stop) {
  const Index arriving = hosts_[static_cast<std::size_t>(host)].arriving;
  assert(arriving != none);
  schedule(now() + control_, stop ? stop_arrives : go_arrives, arriving);
}

/// What the receiver has said reaches the sender.
void MyrinetNetwork::hear(Index index, bool stop) {
  Channel& channel = channels_[index];
  if (channel.dead || channel.stopped == stop) return;
  channel.stopped = stop;
  if (stop) {
    channel.stopped_since = now();
    channel.stalled_since = now();
    cut(index);
    if (channel.current != none && !sent_from_host(index) && runs_out_of_patience(channel))
      arm_timer(channels_[channel.feed].at, still_since(channel));
  } else {
    channel.stopped_for += now() - channel.stopped_since;
    try_to_send(index);
  }
}

}  // namespace morgana
