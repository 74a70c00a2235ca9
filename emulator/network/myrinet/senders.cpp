#include "emulator/network/myrinet/senders.h"

#include <algorithm>
#include <cassert>

namespace morgana::myrinet {

Senders::Senders(Agenda agenda, WormChannels& channels, PacketStore& packets, FlitRuns& runs,
                 SlackBuffers& slack, DeadlockTimers& timers, ChannelLoads& loads, Time cable,
                 SenderListener& listener)
    : agenda_(agenda),
      layout_(channels),
      channels_(channels.all()),
      packets_(packets),
      runs_(runs),
      slack_(slack),
      timers_(timers),
      loads_(loads),
      cable_(cable),
      listener_(listener) {}

void Senders::hand_to(Index index, Index passage) {
  channels_[index].current = passage;
  loads_.carries(index, packets_.packet_of(passage).unit);
}

/// How far a run that starts now with flit `next` goes as far as is known: to the packet's end, or to the
/// first flit that isn't there in time.
Count Senders::planned_end(const Channel& channel, Count next) const {
  const Count packet_end = packets_.end(channel.current);
  if (channel.feed == none) return packet_end;
  const Count all = packet_end + channel.shift;
  return std::min(runs_.there_in_time(channel.feed, next + channel.shift, all), all) - channel.shift;
}

void Senders::plan_end(Index index, Count end) {
  Channel& channel = channels_[index];
  channel.run_end = end;
  if (!channel.dead) runs_.end_last(index, end);
  agenda_.schedule(runs_.end_of_run(channel), WormEvent::run_is_over, index);
}

void Senders::begin_run(Index index) {
  Channel& channel = channels_[index];
  const Time now = agenda_.now();
  const Count next = channel.run_end;
  const Count end = planned_end(channel, next);
  assert(end > next && now >= channel.clear_at && !channel.running);
  channel.run_start = now;
  channel.run_first = next;
  channel.run_end = end;
  channel.running = true;
  agenda_.schedule(runs_.end_of_run(channel), WormEvent::run_is_over, index);
  if (channel.dead) return;
  runs_.remember(index, now, next, end);
  Passage& passage = packets_.passage(channel.current);
  if (next == passage.first) {
    if (!channel.to_host) {
      agenda_.schedule(now + cable_, WormEvent::header_arrives, index);
    } else if (packets_.starts_with_mark(passage)) {
      passage.mark_at = now + cable_;
      agenda_.schedule(now + cable_, WormEvent::mark_is_there, channel.current);
    }
  }
  if (!channel.to_host) {
    slack_.watch(index);
  } else {
    listener_.run_to_host_begins(index);
  }
  try_to_send_follower(index);
}

void Senders::try_to_send(Index index) {
  const Channel& channel = channels_[index];
  if (channel.current == none || channel.running || channel.stopped) return;
  const Count next = channel.run_end;
  if (next == packets_.end(channel.current)) return;
  Time at = channel.clear_at;
  if (channel.feed != none) at = std::max(at, runs_.arrival(channel.feed, next + channel.shift));
  if (at == never) return;
  if (at > agenda_.now()) return agenda_.schedule(at, WormEvent::may_start, index);
  begin_run(index);
  if (channel.feed != none) slack_.watch(channel.feed);
}

void Senders::try_to_send_follower(Index index) {
  const Index out = channels_[index].out;
  if (out != none && !channels_[out].running) try_to_send(out);
}

void Senders::run_ends(Index index) {
  Channel& channel = channels_[index];
  if (!channel.running || runs_.end_of_run(channel) != agenda_.now()) return;
  channel.running = false;
  channel.clear_at = agenda_.now();
  if (channel.run_end == packets_.end(channel.current)) {
    const Index passage = channel.current;
    channel.current = none;
    return listener_.passage_sent(index, passage);
  }
  try_to_send(index);
  if (channel.running) return;
  if (!channel.dead) shorten_follower(index, channel.run_end);
  slack_.watch(channel.feed);
}

void Senders::hear(Index index, bool stop) {
  Channel& channel = channels_[index];
  if (channel.dead || channel.stopped == stop) return;
  const Time now = agenda_.now();
  channel.stopped = stop;
  if (stop) {
    channel.stopped_since = now;
    channel.stalled_since = now;
    cut(index);
    if (channel.current != none && !layout_.sent_from_host(index) && DeadlockTimers::applies_to(channel))
      timers_.arm(channels_[channel.feed].at, timers_.still_since(channel));
  } else {
    channel.stopped_for += now - channel.stopped_since;
    try_to_send(index);
  }
}

/// The sender stops: what it would have started now or later, it doesn't.
void Senders::cut(Index index) {
  Channel& channel = channels_[index];
  if (!channel.running) return;
  const Count end = runs_.started_before_now(channel);
  if (end == channel.run_end) return;
  if (end > channel.run_first)
    channel.clear_at = channel.run_start + (end - channel.run_first) * runs_.flit();
  channel.run_end = end;
  channel.running = false;
  runs_.end_last(index, end);
  // No mark is under way where no flit of its packet is.
  Passage& passage = packets_.passage(channel.current);
  if (channel.to_host && end == passage.first) passage.mark_at = never;
  shorten_follower(index, end);
  if (channel.feed != none) slack_.watch(channel.feed);
}

void Senders::shorten_follower(Index index, Count end) {
  const Index out = channels_[index].out;
  if (out == none || channels_[out].current == none || !channels_[out].running) return;
  const Channel& follower = channels_[out];
  if (follower.run_end + follower.shift > end) plan_end(out, end - follower.shift);
}

}  // namespace morgana::myrinet
