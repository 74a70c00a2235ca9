// Channels and switches that die.
#include <algorithm>
#include <cassert>

#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {

void MyrinetNetwork::kill_channel(CableChannel channel, SimTime at) {
  dies_ = true;
  schedule(at.ps(), channel_dies, channel);
}

void MyrinetNetwork::kill_cable(SwitchPort end, SimTime at) {
  const Index one_way = switches_[end.at].first_port + end.port;
  kill_channel(one_way, at);
  if (input_at_[one_way] != none) kill_channel(input_at_[one_way], at);
}

void MyrinetNetwork::kill_switch(SwitchId id, SimTime at) {
  for (std::uint32_t port = 0; port < switches_[id].ports; ++port)
    kill_cable({id, static_cast<PortNumber>(port)}, at);
}

void MyrinetNetwork::inject_faults(const NetworkFaults& faults) {
  for (const NetworkFault& fault : faults) {
    if (fault.part == NetworkFault::Part::cable)
      kill_cable(fault.at, fault.when);
    else
      kill_switch(fault.at.at, fault.when);
  }
}

void MyrinetNetwork::die(Index index) {
  Channel& channel = channels_[index];
  if (channel.dead) return;
  const Count crossed = started_before_now(channel);
  channel.dead = true;
  channel.dead_since = now();
  channel.carried_in_life = crossed;
  if (channel.stopped) channel.stopped_for += now() - channel.stopped_since;
  channel.stopped = false;
  if (channel.current != none && crossed < passage_end(channel)) {
    if (channel.running) end_last_run(index, crossed);
    if (crossed == passages_[channel.current].first) {
      passages_[channel.current].mark_at = never;
      if (!channel.to_host) forget_last(channel);
    } else {
      sever(index, crossed);
    }
  }
  try_to_send(index);
}

/// Of the packet that the sender was about to send, nothing ever comes.
void MyrinetNetwork::forget_last(Channel& channel) {
  assert(channel.back == channel.current);
  Index previous = none;
  for (Index place = channel.front; place != channel.back; place = passages_[place].next) previous = place;
  if (previous == none) {
    channel.front = none;
  } else {
    passages_[previous].next = none;
  }
  channel.back = previous;
}

/// What has crossed goes on with a bad tail; the rest is another packet for the sender, which vanishes in
/// silence.
void MyrinetNetwork::sever(Index index, Count crossed) {
  Channel& channel = channels_[index];
  const Index foremost = channel.current;
  const Passage before = passages_[foremost];
  const Time clear =
      channel.running ? channel.run_start + (crossed - channel.run_first) * flit_ : channel.clear_at;
  const Time tail = std::max(now(), clear);
  shorten_follower(index, crossed);
  remember(index, tail, crossed, crossed + 1);
  shorten(index, foremost, crossed + 1 - before.first, Loss::dead_channel);
  if (packets_[before.packet].died_on == none) packets_[before.packet].died_on = index;
  channel.current = new_passage(before.packet, before.first, before.length, before.position);
  passages_[channel.current].silent = true;
  passages_[channel.current].bad_tail = before.bad_tail;
  passages_[channel.current].cut_by = before.cut_by;
  silence(index);
  if (channel.to_host) all_sent_to_host(foremost, tail + flit_);
  if (channel.out != none && !channels_[channel.out].running) try_to_send(channel.out);
  watch(index);
}

/// A packet has become shorter, here and on all channels that it reaches into.
void MyrinetNetwork::shorten(Index index, Index cut_passage, Count length, Loss why) {
  Passage& passage = passages_[cut_passage];
  passage.length = length;
  passage.bad_tail = true;
  passage.cut_by = why;
  if (program_ != nullptr && channels_[index].to_host) foresee_first_four(index, cut_passage);
  const Index out = channels_[index].out;
  if (out == none || channels_[out].source != cut_passage || channels_[out].current == none) return;
  const Channel& next = channels_[out];
  const Index follower = next.current;
  const Count end = passage.first + length - next.shift;
  if (next.running && next.run_end > end) plan_end(out, end);
  if (next.dead) {
    passages_[follower].length = end - passages_[follower].first;
    passages_[follower].bad_tail = true;
    passages_[follower].cut_by = why;
  } else {
    shorten(out, follower, end - passages_[follower].first, why);
  }
}

/// What is sent on this channel, and behind it, has no fate of its own any more.
void MyrinetNetwork::silence(Index index) {
  const Channel& channel = channels_[index];
  if (channel.source == none) return;
  passages_[channel.source].silent = true;
  if (channels_[channel.feed].current == channel.source) {
    silence(channel.feed);
  }
}

}  // namespace morgana
