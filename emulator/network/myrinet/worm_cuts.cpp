#include "emulator/network/myrinet/worm_cuts.h"

#include <algorithm>

namespace morgana::myrinet {

WormCuts::WormCuts(Agenda agenda, WormChannels& channels, PacketStore& packets, FlitRuns& runs,
                   SlackBuffers& slack, Senders& senders, HostInterfaces& hosts)
    : agenda_(agenda),
      layout_(channels),
      channels_(channels.all()),
      packets_(packets),
      runs_(runs),
      slack_(slack),
      senders_(senders),
      hosts_(hosts) {}

void WormCuts::kill_channel(CableChannel channel, SimTime at) {
  any_failure_ = true;
  agenda_.schedule(at.ps(), WormEvent::channel_dies, channel);
}

void WormCuts::kill_cable(SwitchPort end, SimTime at) {
  const Index one_way = layout_.switches()[end.at].first_port + end.port;
  kill_channel(one_way, at);
  if (layout_.input_at(one_way) != none) kill_channel(layout_.input_at(one_way), at);
}

void WormCuts::kill_switch(SwitchId id, SimTime at) {
  for (std::uint32_t port = 0; port < layout_.switches()[id].ports; ++port)
    kill_cable({id, static_cast<PortNumber>(port)}, at);
}

void WormCuts::die(Index index) {
  Channel& channel = channels_[index];
  if (channel.dead) return;
  const Count crossed = runs_.started_before_now(channel);
  channel.dead = true;
  channel.dead_since = agenda_.now();
  channel.carried_in_life = crossed;
  if (channel.stopped) channel.stopped_for += agenda_.now() - channel.stopped_since;
  channel.stopped = false;
  if (channel.current != none && crossed < packets_.end(channel.current)) {
    if (channel.running) runs_.end_last(index, crossed);
    Passage& passage = packets_.passage(channel.current);
    if (crossed == passage.first) {
      passage.mark_at = never;
      if (!channel.to_host) packets_.forget_last(channel);
    } else {
      sever(index, crossed);
    }
  }
  senders_.try_to_send(index);
}

/// What has crossed ends in a bad tail; the rest is another packet for the sender, which vanishes in silence.
void WormCuts::sever(Index index, Count crossed) {
  Channel& channel = channels_[index];
  const Index foremost = channel.current;
  const Passage before = packets_.passage(foremost);
  const Time clear =
      channel.running ? channel.run_start + (crossed - channel.run_first) * runs_.flit() : channel.clear_at;
  const Time tail = std::max(agenda_.now(), clear);
  senders_.shorten_follower(index, crossed);
  runs_.remember(index, tail, crossed, crossed + 1);
  shorten(index, foremost, crossed + 1 - before.first, UnitLoss::dead_channel);
  if (packets_.packet(before.packet).died_on == none) packets_.packet(before.packet).died_on = index;
  channel.current = packets_.add_passage(before.packet, before.first, before.length, before.position, before);
  packets_.passage(channel.current).silent = true;
  silence(index);
  if (channel.to_host) hosts_.all_sent_to_host(foremost, tail + runs_.flit());
  senders_.try_to_send_follower(index);
  slack_.watch(index);
}

void WormCuts::break_off(Index output) {
  Channel& channel = channels_[output];
  const Index passage = channel.current;
  const Count crossed = channel.run_end;
  const Count first = packets_.passage(passage).first;
  if (crossed == first) {
    packets_.forget_last(channel);
    channel.current = none;
    packets_.drop_passage(passage);
    return;
  }
  silence(output);
  channel.current = none;
  runs_.remember(output, agenda_.now(), crossed, crossed + 1);
  channel.run_end = crossed + 1;
  channel.clear_at = agenda_.now() + runs_.flit();
  shorten(output, passage, crossed + 1 - first, UnitLoss::deadlock);
  senders_.try_to_send_follower(output);
  slack_.watch(output);
}

/// A packet has become shorter, here and on all channels that it reaches into.
void WormCuts::shorten(Index index, Index cut_passage, Count length, UnitLoss why) {
  Passage& passage = packets_.passage(cut_passage);
  passage.length = length;
  passage.bad_tail = true;
  passage.cut_by = why;
  if (channels_[index].to_host) hosts_.expect_first_four(index, cut_passage);
  const Index out = channels_[index].out;
  if (out == none || channels_[out].source != cut_passage || channels_[out].current == none) return;
  const Channel& next = channels_[out];
  const Index follower = next.current;
  const Count end = passage.first + length - next.shift;
  if (next.running && next.run_end > end) senders_.plan_end(out, end);
  Passage& behind = packets_.passage(follower);
  if (next.dead) {
    behind.length = end - behind.first;
    behind.bad_tail = true;
    behind.cut_by = why;
  } else {
    shorten(out, follower, end - behind.first, why);
  }
}

/// What is sent on this channel, and behind it, has no fate of its own any more.
void WormCuts::silence(Index index) {
  const Channel& channel = channels_[index];
  if (channel.source == none) return;
  packets_.passage(channel.source).silent = true;
  if (channels_[channel.feed].current == channel.source) silence(channel.feed);
}

}  // namespace morgana::myrinet
