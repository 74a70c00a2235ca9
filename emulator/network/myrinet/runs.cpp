// Flits on channels, run by run.
#include <algorithm>
#include <cassert>

#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {
using myrinet::long_ago;

/// Flits that the sender has started until now, now included.
MyrinetNetwork::Count MyrinetNetwork::started(const Channel& channel) const {
  if (!channel.running) return channel.run_end;
  return std::min(channel.run_end, channel.run_first + (now() - channel.run_start) / flit_ + 1);
}

MyrinetNetwork::Count MyrinetNetwork::started_before_now(const Channel& channel) const {
  if (!channel.running) return channel.run_end;
  return std::min(channel.run_end, channel.run_first + (now() - channel.run_start + flit_ - 1) / flit_);
}

MyrinetNetwork::Count MyrinetNetwork::passage_end(const Channel& channel) const {
  const Passage& passage = passages_[channel.current];
  return passage.first + passage.length;
}

/// When a flit arrives at the channel's receiver, as far as is known: `never` if its start is not planned,
/// some time in the past if it has been there for long.
MyrinetNetwork::Time MyrinetNetwork::arrival(Index index, Count flit) const {
  const Channel& channel = channels_[index];
  const Run* runs = &runs_[index * run_room_];
  if (channel.arrivals == 0) return flit < channel.arrived_before ? long_ago : never;
  if (flit >= runs[channel.arrivals - 1].end) return never;
  for (std::uint32_t place = channel.arrivals; place-- > 0;) {
    if (flit < runs[place].first) continue;
    return runs[place].start + (flit - runs[place].first) * flit_ + cable_;
  }
  return long_ago;
}

/// Flits that have arrived at the receiver until now, now included.
MyrinetNetwork::Count MyrinetNetwork::arrived(Index index) const {
  const Channel& channel = channels_[index];
  const Run* runs = &runs_[index * run_room_];
  for (std::uint32_t place = channel.arrivals; place-- > 0;) {
    const Time since = now() - cable_ - runs[place].start;
    if (since >= 0) return std::min(runs[place].end, runs[place].first + since / flit_ + 1);
  }
  return channel.arrivals > 0 ? runs[0].first : channel.arrived_before;
}

void MyrinetNetwork::remember(Index index, Time start, Count first, Count end) {
  Channel& channel = channels_[index];
  Run* runs = &runs_[index * run_room_];
  if (channel.arrivals > 0) {
    Run& last = runs[channel.arrivals - 1];
    assert(last.end == first);
    if (last.start + (last.end - last.first) * flit_ == start) {
      last.end = end;
      return;
    }
    std::uint32_t over = 0;  // all their flits have arrived
    while (over < channel.arrivals &&
           runs[over].start + (runs[over].end - runs[over].first - 1) * flit_ + cable_ <= now())
      ++over;
    if (over > 0) {
      std::copy(runs + over, runs + channel.arrivals, runs);
      channel.arrivals -= over;
    }
  }
  assert(channel.arrivals < run_room_);
  runs[channel.arrivals++] = {start, first, end};
}

void MyrinetNetwork::end_last_run(Index index, Count end) {
  Channel& channel = channels_[index];
  Run& last = runs_[index * run_room_ + channel.arrivals - 1];
  last.end = end;
  if (last.first < end) return;
  --channel.arrivals;
  channel.arrived_before = end;
}

/// How far a run that starts now with flit `next` goes on as far as is known: to the packet's end, or to the
/// first flit that isn't there in time.
MyrinetNetwork::Count MyrinetNetwork::planned_end(const Channel& channel, Count next) const {
  const Count packet_end = passage_end(channel);
  if (channel.feed == none) return packet_end;
  const Channel& feed = channels_[channel.feed];
  const Run* runs = &runs_[channel.feed * run_room_];
  const Count from = next + channel.shift;
  const Count all = packet_end + channel.shift;
  Count end = feed.arrivals > 0 ? runs[0].first : feed.arrived_before;
  for (std::uint32_t place = 0; place < feed.arrivals && end < all; ++place) {
    const Run& run = runs[place];
    if (run.first > from && now() + (run.first - from) * flit_ < run.start + cable_) break;
    end = run.end;
  }
  return std::min(end, all) - channel.shift;
}

/// Gives the present run another end, which lies ahead.
void MyrinetNetwork::plan_end(Index index, Count end) {
  Channel& channel = channels_[index];
  channel.run_end = end;
  if (!channel.dead) end_last_run(index, end);
  schedule(channel.run_start + (end - channel.run_first) * flit_, run_is_over, index);
}

void MyrinetNetwork::begin_run(Index index) {
  Channel& channel = channels_[index];
  const Count next = channel.run_end;
  const Count end = planned_end(channel, next);
  assert(end > next && now() >= channel.clear_at && !channel.running);
  channel.run_start = now();
  channel.run_first = next;
  channel.run_end = end;
  channel.running = true;
  schedule(now() + (end - next) * flit_, run_is_over, index);
  if (channel.dead) return;
  remember(index, now(), next, end);
  const Passage& passage = passages_[channel.current];
  if (next == passage.first) {
    if (!channel.to_host) {
      schedule(now() + cable_, header_arrives, index);
    } else if (starts_with_mark(passage)) {
      passages_[channel.current].mark_at = now() + cable_;
      schedule(now() + cable_, mark_is_there, channel.current);
    }
  }
  if (!channel.to_host) {
    watch(index);
  } else if (program_ != nullptr) {
    foresee_first_four(index, channel.current);
  }
  if (channel.out != none && !channels_[channel.out].running) try_to_send(channel.out);
}

/// Goes on with the packet that the channel is to carry, if it may; if it only has to wait for a time that is
/// known, it is tried again then.
void MyrinetNetwork::try_to_send(Index index) {
  Channel& channel = channels_[index];
  if (channel.current == none || channel.running || channel.stopped) return;
  const Count next = channel.run_end;
  if (next == passage_end(channel)) return;
  Time at = channel.clear_at;
  if (channel.feed != none) at = std::max(at, arrival(channel.feed, next + channel.shift));
  if (at == never) return;
  if (at > now()) return schedule(at, may_start, index);
  begin_run(index);
  if (channel.feed != none) watch(channel.feed);
}

void MyrinetNetwork::run_ends(Index index) {
  Channel& channel = channels_[index];
  if (!channel.running || channel.run_start + (channel.run_end - channel.run_first) * flit_ != now()) return;
  channel.running = false;
  channel.clear_at = now();
  if (channel.run_end == passage_end(channel)) return finish(index);
  try_to_send(index);
  if (channel.running) return;
  if (!channel.dead) shorten_follower(index, channel.run_end);
  watch(channel.feed);
}

/// The sender stops: what it would have started now or later, it doesn't.
void MyrinetNetwork::cut(Index index) {
  Channel& channel = channels_[index];
  if (!channel.running) return;
  const Count end = started_before_now(channel);
  if (end == channel.run_end) return;
  if (end > channel.run_first) channel.clear_at = channel.run_start + (end - channel.run_first) * flit_;
  channel.run_end = end;
  channel.running = false;
  end_last_run(index, end);
  // No mark is under way where no flit of its packet is.
  if (channel.to_host && end == passages_[channel.current].first) passages_[channel.current].mark_at = never;
  shorten_follower(index, end);
  if (channel.feed != none) watch(channel.feed);
}

/// The channel that this one feeds was planned to go on with flits that now don't come as planned.
void MyrinetNetwork::shorten_follower(Index index, Count end) {
  const Index out = channels_[index].out;
  if (out == none || channels_[out].current == none || !channels_[out].running) return;
  const Channel& follower = channels_[out];
  if (follower.run_end + follower.shift > end) plan_end(out, end - follower.shift);
}

/// The packet's last flit has left, and the wire is clear of it.
void MyrinetNetwork::finish(Index index) {
  Channel& channel = channels_[index];
  const Index passage = channel.current;
  const Index packet = passages_[passage].packet;
  const bool vanished = channel.dead && now() - flit_ >= channel.dead_since;
  const bool silent = passages_[passage].silent;
  Loss why = is_sink(index) ? sink_reason_[index - first_sink_] : Loss::dead_channel;
  const bool bad_tail = passages_[passage].bad_tail;
  if (bad_tail && is_sink(index)) why = passages_[passage].cut_by;
  if (vanished && !is_sink(index) && packets_[packet].died_on == none) packets_[packet].died_on = index;
  channel.current = none;
  if (vanished) {
    drop_passage(passage);
  } else {
    if (corrupts_ ? corrupts_(packets_[packet].unit.id, CableChannel{index})
                  : parameters_.corruption > 0 && corruption_.chance(parameters_.corruption))
      packets_[packet].corrupted = true;
    if (channel.to_host) all_sent_to_host(passage, now());
  }
  if (sent_from_host(index)) {
    sent_by_host(index, packet);
  } else {
    sent_by_switch(index);
  }
  if (!vanished || silent) return;
  Index where = index - first_sink_;
  if (why == Loss::dead_channel) where = packets_[packet].died_on;
  if (bad_tail && why == Loss::deadlock) where = packets_[packet].stalled_from;
  report_lost(packet, why, where);
}

}  // namespace morgana
