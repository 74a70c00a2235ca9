#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "emulator/interface/am2/channel.h"
#include "emulator/interface/am2/endpoint_send_queues.h"
#include "emulator/interface/am2/parameters.h"

namespace morgana::am2 {

/// The send and receive tables of a NIC: the logical channels to and from each peer. Stop and wait: a send
/// channel is in use from a packet's first copy until its ACK, or until the packet is given up or taken back.
class ChannelTable {
 public:
  /// @param parameters  must outlive it
  explicit ChannelTable(const Parameters& parameters) : parameters_(parameters) {}

  /// A peer's number; peers are numbered from 0 in the order in which they are first asked for.
  PeerNumber number_of(PortId port);
  PortId port_of(PeerNumber peer) const { return peers_[peer].port; }
  std::size_t peers() const { return peers_.size(); }

  /// Whether a send channel to the peer is free.
  bool has_free(PeerNumber peer) const { return peers_[peer].in_use < parameters_.channels; }
  /// Send channels in use, of all peers.
  std::int64_t in_use() const { return in_use_; }
  /// Gives a packet the first free channel to its peer, and writes the channel's numbers into it. The packet
  /// is on its way to the network (SendChannel::waits).
  void occupy(PeerNumber peer, Packet& packet);
  /// The channel is free again; a repetition that waits for it is forgotten.
  void release(PeerNumber peer, SendChannel& channel);
  /// The send channel that a packet has been given.
  SendChannel& channel_of(const Packet& packet) { return peers_[number_of(packet.to)].send[packet.channel]; }
  /// The send channel that an ACK or NACK answers; null where its packet has been acknowledged before, as
  /// duplicates are answered, too.
  SendChannel* answered_by(const Packet& answer);
  /// Calls visit(peer, channel) for each send channel in use; visit() may release it.
  template <class Visit>
  void for_each_in_use(Visit&& visit) {
    for (std::size_t peer = 0; peer < peers_.size(); ++peer) {
      if (peers_[peer].in_use == 0) continue;
      for (SendChannel& channel : peers_[peer].send)
        if (channel.in_use) visit(static_cast<PeerNumber>(peer), channel);
    }
  }
  /// Whether all send channels in use are such.
  template <class Are>
  bool all_in_use(Are&& are) const {
    return std::all_of(peers_.begin(), peers_.end(), [&](const Row& row) {
      return row.in_use == 0 ||
             std::all_of(row.send.begin(), row.send.end(),
                         [&](const SendChannel& channel) { return !channel.in_use || are(channel); });
    });
  }

  /// The channel's packet is to be sent again.
  void repeat(PeerNumber peer, SendChannel& channel);
  /// The first packet that is to be sent again and for which has_room(payload); it is no longer in line. Null
  /// if there is none.
  template <class HasRoom>
  const Packet* next_repetition(HasRoom&& has_room) {
    const auto place = std::find_if(again_.begin(), again_.end(), [&](const Place& one) {
      return has_room(at(one).unacknowledged.payload);
    });
    if (place == again_.end()) return nullptr;
    const Packet* const packet = &at(*place).unacknowledged;
    again_.erase(place);
    return packet;
  }
  template <class HasRoom>
  bool has_repetition(HasRoom&& has_room) const {
    return std::any_of(again_.begin(), again_.end(), [&](const Place& one) {
      return has_room(peers_[one.first].send[one.second].unacknowledged.payload);
    });
  }
  bool repeats() const { return !again_.empty(); }

  /// The receive channel by which a packet has come.
  ReceiveChannel& receiving(const Packet& packet) {
    return peers_[number_of(packet.from)].receive[packet.channel];
  }
  /// The sender has given a packet's send channel up, which begins a new session.
  void end_session(SendChannel& channel) const {
    channel.next_sequence = false;
    ++channel.session;
  }
  /// The same at the receiver. @return whether the packet had been accepted
  bool end_session(const Packet& packet);

 private:
  struct Row {  // of one peer, in both tables
    PortId port{};
    std::int64_t in_use = 0;
    std::vector<SendChannel> send;
    std::vector<ReceiveChannel> receive;
  };
  using Place = std::pair<PeerNumber, std::uint32_t>;  // a peer's channel
  SendChannel& at(const Place& place) { return peers_[place.first].send[place.second]; }
  static std::uint32_t place_of(const Row& row, const SendChannel& channel) {
    return static_cast<std::uint32_t>(&channel - row.send.data());
  }

  const Parameters& parameters_;
  std::deque<Row> peers_;                   // a deque: the host may add to it while it is visited
  std::vector<PeerNumber> number_by_port_;  // and 1; 0: none yet
  std::deque<Place> again_;
  std::int64_t in_use_ = 0;
};

}  // namespace morgana::am2
