#include "emulator/network/myrinet/slack_buffers.h"

#include <algorithm>
#include <cassert>

namespace morgana::myrinet {

SlackBuffers::SlackBuffers(Agenda agenda, std::span<Channel> channels, const PacketStore& packets,
                           const FlitRuns& runs, const DeadlockTimers& timers,
                           const MyrinetParameters& parameters)
    : agenda_(agenda),
      channels_(channels),
      packets_(packets),
      runs_(runs),
      timers_(timers),
      slack_(parameters.slack),
      stop_above_(parameters.stop_above),
      go_below_(parameters.go_below),
      control_(parameters.control.ps()),
      routing_(parameters.routing.ps()) {}

Count SlackBuffers::removed(const Channel& input) const {
  assert(input.front != none);
  if (input.input != Input::sending) return packets_.passage(input.front).first;
  const Channel& output = channels_[input.out];
  return runs_.started(output) + output.shift;
}

void SlackBuffers::watch(Index index) {
  const Channel& input = channels_[index];
  if (input.to_host || input.dead) return;
  if (input.front == none) {
    if (input.stop_sent) check_at(index, agenda_.now());
    return;
  }
  const bool emptying = input.input == Input::sending && channels_[input.out].running;
  if (!emptying) {
    // Another look follows when the header arrives, and when routing ends.
    if (input.input == Input::idle && !input.stop_sent) return;
    const Count out = removed(input);
    if (input.stop_sent) {
      if (runs_.arrived(index) - out < go_below_) check_at(index, agenda_.now());
      return;
    }
    const Time full = runs_.arrival(index, out + stop_above_);
    if (full == never) return;
    if (input.input == Input::routing && full >= channels_[input.out].granted_at + routing_) return;
    return check_at(index, std::max(full, agenda_.now()));
  }
  // As flits come no faster than they go, only a flit that comes before the next one goes adds anything.
  const Channel& output = channels_[input.out];
  const Count in = runs_.arrived(index);
  const Count out = removed(input);
  const Time next_out = output.run_start + (out - output.shift - output.run_first) * runs_.flit();
  if (input.stop_sent) {
    const Count over = in - out - go_below_;
    if (over < 0) return check_at(index, agenda_.now());
    // Where the run ends before, there will be another look.
    if (out - output.shift + over < output.run_end) check_at(index, next_out + over * runs_.flit());
    return;
  }
  if (in - out > stop_above_) return check_at(index, agenda_.now());
  if (in - out < stop_above_) return;
  const Time next_in = runs_.arrival(index, in);
  if (next_in < next_out) check_at(index, next_in);
}

void SlackBuffers::check_at(Index index, Time when) {
  Channel& input = channels_[index];
  if (when >= input.check_at) return;
  input.check_at = when;
  agenda_.schedule_late(when, WormEvent::thresholds_are_checked, index);
}

void SlackBuffers::check(Index index) {
  Channel& input = channels_[index];
  if (input.check_at != agenda_.now()) return;
  input.check_at = never;
  // It will be dropped in this instant, which empties the buffer: only the instant's outcome counts.
  if (timers_.overdue(input) || (input.input == Input::sending && timers_.stalled(channels_[input.out])))
    return check_at(index, agenda_.now());
  const Count in = runs_.arrived(index);
  const Count held = input.front == none ? 0 : in - removed(input);
  assert(held >= 0 && held <= slack_);
  if (input.stop_sent ? held < go_below_ : held > stop_above_) {
    input.stop_sent = !input.stop_sent;
    send_signal(index, input.stop_sent);
  }
  watch(index);
}

void SlackBuffers::send_signal(Index channel, bool stop) {
  agenda_.schedule(agenda_.now() + control_, stop ? WormEvent::stop_arrives : WormEvent::go_arrives, channel);
}

}  // namespace morgana::myrinet
