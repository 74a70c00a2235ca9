#include "emulator/interface/am2/channel_table.h"

#include <cassert>

namespace morgana::am2 {

PeerNumber ChannelTable::number_of(PortId port) {
  const auto place = static_cast<std::size_t>(port);
  if (place >= number_by_port_.size()) number_by_port_.resize(place + 1);
  if (number_by_port_[place] == 0) {
    Row& row = peers_.emplace_back();
    row.port = port;
    row.send.resize(static_cast<std::size_t>(parameters_.channels));
    row.receive.resize(static_cast<std::size_t>(parameters_.channels));
    number_by_port_[place] = static_cast<PeerNumber>(peers_.size());
  }
  return number_by_port_[place] - 1;
}

void ChannelTable::occupy(PeerNumber peer, Packet& packet) {
  Row& row = peers_[peer];
  const auto channel =
      std::find_if(row.send.begin(), row.send.end(), [](const SendChannel& one) { return !one.in_use; });
  assert(channel != row.send.end());
  packet.channel = static_cast<std::uint32_t>(channel - row.send.begin());
  packet.sequence = channel->next_sequence;
  packet.session = channel->session;
  channel->in_use = channel->waits = true;
  channel->retries = 0;
  channel->feedback = false;
  channel->unacknowledged = packet;
  ++row.in_use;
  ++in_use_;
}

void ChannelTable::release(PeerNumber peer, SendChannel& channel) {
  Row& row = peers_[peer];
  std::erase(again_, Place(peer, place_of(row, channel)));
  channel.in_use = channel.waits = channel.feedback = false;
  --row.in_use;
  --in_use_;
}

SendChannel* ChannelTable::answered_by(const Packet& answer) {
  SendChannel& channel = peers_[number_of(answer.from)].send[answer.channel];
  const bool current =
      channel.in_use && answer.session == channel.session && answer.sequence == channel.next_sequence;
  return current ? &channel : nullptr;
}

void ChannelTable::repeat(PeerNumber peer, SendChannel& channel) {
  ++channel.retries;
  channel.unacknowledged.retries = channel.retries;
  channel.unacknowledged.again = true;
  channel.waits = true;
  again_.emplace_back(peer, place_of(peers_[peer], channel));
}

bool ChannelTable::end_session(const Packet& packet) {
  ReceiveChannel& channel = receiving(packet);
  const bool accepted = channel.session == packet.session && channel.expected != packet.sequence;
  channel.session = packet.session + 1;
  channel.expected = false;
  return accepted;
}

}  // namespace morgana::am2
