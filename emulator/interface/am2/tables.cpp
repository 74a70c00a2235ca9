// The firmware's send and receive tables: what an arriving packet does to them, and the scan.
#include <algorithm>
#include <cassert>

#include "emulator/interface/am2/firmware.h"

namespace morgana::am2 {

Counters& Counters::operator+=(const Counters& other) {
  packets += other.packets;
  repeated += other.repeated;
  acks += other.acks;
  nacks += other.nacks;
  duplicates += other.duplicates;
  returned += other.returned;
  unloads += other.unloads;
  faults += other.faults;
  return *this;
}

Peer& Firmware::peer(PortId port) {
  const auto place = static_cast<std::size_t>(port);
  if (place >= by_port_.size()) by_port_.resize(place + 1);
  if (by_port_[place] == nullptr) {
    Peer& peer = peers_.emplace_back();
    by_port_[place] = &peer;
    peer.port = port;
    peer.number = static_cast<PeerNumber>(peers_.size() - 1);
    peer.send.resize(static_cast<std::size_t>(parameters_.channels));
    peer.receive.resize(static_cast<std::size_t>(parameters_.channels));
  }
  return *by_port_[place];
}

/// An endpoint that finds a frame free was loaded when it was made.
Endpoint& Firmware::look_up(EndpointId id) {
  const auto [place, added] = endpoint_numbers_.try_emplace(static_cast<std::uint32_t>(id),
                                                            static_cast<EndpointNumber>(endpoints_.size()));
  if (added) {
    Endpoint& endpoint = endpoints_.emplace_back();
    endpoint.id = id;
    endpoint.number = place->second;
    if (frames_used_ < parameters_.frames) {
      ++frames_used_;
      endpoint.residency = Residency::resident;
      endpoint.last_use = ++uses_;
    }
  }
  return endpoints_[place->second];
}

bool Firmware::idle() const {
  const bool posted = std::any_of(endpoints_.begin(), endpoints_.end(), [](const Endpoint& endpoint) {
    return endpoint.waiting > 0 || endpoint.arriving > 0;
  });
  return !posted && in_use_ == 0 && ready_.empty() && again_.empty() && controls_.empty() && !fetching_ &&
         buffers_used_ == 0 && received_.empty() && held_ == Bytes();
}

void Firmware::take_in() {
  const Packet packet = received_.front();
  received_.pop_front();
  if (packet.type != PacketType::data || is_short(packet.payload)) held_ -= room_of(packet);
  stop_or_start_link();
  if (!received_.empty()) processor_.raise(finish_receive);
  switch (packet.type) {
    case PacketType::data:
      return accept(packet);
    case PacketType::ack:
      return acknowledged(packet);
    case PacketType::nack:
      return refused(packet);
  }
}

/// A short message is written to its endpoint, in the interface's memory; a longer one stays in its receive
/// buffer until the host DMA has stored it (section 5.2: store and forward), or it is refused.
void Firmware::leave_buffer(const Packet& packet) {
  if (is_short(packet.payload)) return;
  held_ -= room_of(packet);
  stop_or_start_link();
}

/// In the receive buffers, each of which holds one longer message, or short ones and ACKs side by side.
Bytes Firmware::room_of(const Packet& packet) const {
  Bytes taken = parameters_.control_size;
  if (packet.type == PacketType::data)
    taken = parameters_.header + (is_short(packet.payload) ? packet.payload : parameters_.largest_payload);
  return std::max(taken, Bytes(1));
}

/// Nobody knows the size of what comes next, so that the link goes on only while there is a whole buffer
/// left. That never waits for another interface: the host DMA and the processor empty the buffers.
void Firmware::stop_or_start_link() {
  const Bytes largest = parameters_.header + parameters_.largest_payload;
  const bool full = (held_.count() + largest.count() - 1) / largest.count() >= parameters_.receive_buffers;
  if (full != link_stopped_) surroundings_.stop_link(self_, full);
  link_stopped_ = full;
}

/// An ACK says that the packet has been written (section 4.4.4): a short one is in its endpoint at once, a
/// longer one when the host DMA has stored it.
void Firmware::answer(const Packet& packet, PacketType type) {
  Packet answer = packet;
  answer.from = self_;
  answer.to = packet.from;
  answer.type = type;
  answer.payload = Bytes();
  controls_.push_back(answer);
  if (!sending_) processor_.raise(start_send);
}

/// Whether the packet of which this is a copy waits for the host DMA, or is in it: then its ACK is still to
/// come.
bool Firmware::is_being_stored(const Packet& copy) const {
  const auto is_it = [&](const Packet& packet) {
    return !is_short(packet.payload) && packet.from == copy.from && packet.channel == copy.channel &&
           packet.session == copy.session;
  };
  return (delivering_ && is_it(*delivering_)) || std::any_of(accepted_.begin(), accepted_.end(), is_it);
}

void Firmware::accept(const Packet& packet) {
  ReceiveChannel& channel = peer(packet.from).receive[packet.channel];
  if (packet.session != channel.session) return leave_buffer(packet);
  const bool duplicate = packet.sequence != channel.expected;
  Endpoint& endpoint = this->endpoint(packet.ends.to);
  const bool resident = endpoint.residency == Residency::resident;
  std::int64_t& entries = endpoint.entries[packet.ends.reply ? 1 : 0];
  // Of a copy that the network has doubled both get the same answer: a sender that knows of the NACK may have
  // given the sequence number to another packet already.
  const bool room = resident && entries < parameters_.receive_queue && packet.timestamp > channel.refused;
  if (duplicate ? !is_being_stored(packet) : !room || is_short(packet.payload))
    answer(packet, duplicate || room ? PacketType::ack : PacketType::nack);
  if (duplicate) ++counters_.duplicates;
  if (!duplicate && !resident) want(endpoint);
  if (!duplicate && !room) channel.refused = std::max(channel.refused, packet.timestamp);
  if (duplicate || !room) return leave_buffer(packet);
  channel.expected = !channel.expected;
  ++entries;
  ++endpoint.arriving;
  endpoint.last_use = ++uses_;
  accepted_.push_back(packet);
  deliver_next();
}

/// A short message is where the host sees it, when those before it are.
void Firmware::deliver_next() {
  while (!delivering_ && !accepted_.empty()) {
    const Packet packet = accepted_.front();
    accepted_.pop_front();
    if (is_short(packet.payload)) {
      arrived(packet);
      continue;
    }
    delivering_ = packet;
    to_host_.start(packet.payload);
  }
}

void Firmware::arrived(const Packet& packet) {
  Endpoint& endpoint = this->endpoint(packet.ends.to);
  --endpoint.arriving;
  endpoint.moved = true;
  leave_buffer(packet);
  if (!is_short(packet.payload)) answer(packet, PacketType::ack);
  if (!surroundings_.delivered(packet)) consumed(packet.ends);
}

/// Nothing for an answer to a packet that has been acknowledged before: duplicates are answered, too.
SendChannel* Firmware::sending_channel(const Packet& answer) {
  SendChannel& channel = peer(answer.from).send[answer.channel];
  const bool current =
      channel.in_use && answer.session == channel.session && answer.sequence == channel.next_sequence;
  return current ? &channel : nullptr;
}

void Firmware::acknowledged(const Packet& packet) {
  SendChannel* channel = sending_channel(packet);
  if (channel == nullptr) return;
  channel->next_sequence = !channel->next_sequence;
  endpoint(channel->unacknowledged.ends.from).moved = true;
  release(peer(packet.from), *channel);
  unload_what_is_flushed();
}

/// The packet stays in the table until the scan, or until its endpoint is unloaded; what counts is that the
/// peer lives, and whether all older answers have come.
void Firmware::refused(const Packet& packet) {
  SendChannel* channel = sending_channel(packet);
  if (channel == nullptr) return;
  channel->retries = 0;
  channel->feedback = packet.timestamp == channel->unacknowledged.timestamp;
  unload_what_is_flushed();
}

void Firmware::occupy(Peer& peer, Endpoint& endpoint) {
  ++endpoint.outstanding;
  ++peer.unacknowledged;
  if (!has_channel(peer)) list_all(peer.number);
  if (in_use_++ == 0) events_.hold();
  start_clock();
}

void Firmware::release(Peer& peer, SendChannel& channel) {
  const PeerNumber number = peer.number;
  const auto place = static_cast<std::uint32_t>(&channel - peer.send.data());
  std::erase(again_, std::pair(number, place));
  channel.in_use = channel.waits = channel.feedback = false;
  --endpoint(channel.unacknowledged.ends.from).outstanding;
  if (peer.unacknowledged-- == parameters_.channels) list_all(number);
  if (--in_use_ == 0) events_.release();
  wake();
}

/// Scans are at whole quanta; those that would find all tables empty are left out.
void Firmware::start_clock() {
  if (clock_runs_) return;
  clock_runs_ = true;
  const std::int64_t quantum = parameters_.quantum.ps();
  events_.schedule_upkeep((events_.now().ps() / quantum + 1) * SimTime::from_ps(quantum), *this,
                          quantum_is_over);
}

void Firmware::handle(std::uint64_t what) {
  if (what == frame_is_taken) return take_frame();
  if (what == endpoint_is_loaded) return loaded();
  if (what == message_is_written) {
    const std::uint32_t message = written_.front();
    written_.pop_front();
    return surroundings_.written(message);
  }
  events_.upkeep_handled();
  if (what == eviction_is_due) {
    evictions_run_ = false;
    for (Endpoint& endpoint : endpoints_)
      if (endpoint.moved) evict(endpoint);
    return;
  }
  clock_runs_ = false;
  if (in_use_ == 0) return;
  start_clock();
  processor_.raise(scan);
}

/// A packet that was sent within half a quantum may still be answered.
void Firmware::scan_tables() {
  for (Peer& peer : peers_) {
    if (peer.unacknowledged == 0) continue;
    for (SendChannel& channel : peer.send) {
      if (!channel.in_use || channel.waits) continue;
      const Endpoint& endpoint = this->endpoint(channel.unacknowledged.ends.from);
      if (channel.feedback && endpoint.residency == Residency::unloading) continue;
      if (2 * (events_.now() - channel.unacknowledged.timestamp) < parameters_.quantum) continue;
      if (channel.retries == parameters_.tries) {
        give_up(peer, channel);
        continue;
      }
      ++channel.retries;
      channel.unacknowledged.retries = channel.retries;
      channel.unacknowledged.again = true;
      channel.waits = true;
      again_.emplace_back(peer.number, static_cast<std::uint32_t>(&channel - peer.send.data()));
    }
  }
  wake();
}

void Firmware::give_up(Peer& peer, SendChannel& channel) {
  const Packet packet = channel.unacknowledged;
  const bool accepted = surroundings_.end_session(packet);
  channel.next_sequence = false;
  ++channel.session;
  std::int64_t unsent = 0;
  if (!accepted) unsent = forget(packet);
  release(peer, channel);
  unload_what_is_flushed();
  if (accepted) return;
  ++counters_.returned;
  surroundings_.undeliverable(packet, unsent);
}

/// @return packets of its message that wait to be sent, or to be sent again, and never will be
std::int64_t Firmware::forget(const Packet& packet) {
  const EndpointNumber number = number_of(packet.ends.from);
  const PeerNumber peer = number_of(packet.to);
  Endpoint& endpoint = endpoints_[number];
  std::int64_t unsent = 0;
  endpoint.waiting -=
      static_cast<std::int64_t>(std::erase_if(endpoint.queues.at(peer).posted, [&](const Posted& posted) {
        if (posted.message != packet.message) return false;
        const std::int64_t left = (posted.bytes - posted.taken).count(),
                           room = parameters_.largest_payload.count();
        unsent += std::max<std::int64_t>((left + room - 1) / room, 1);
        return true;
      }));
  list(number, peer);
  return unsent;
}

bool Firmware::end_session(const Packet& packet) {
  ReceiveChannel& channel = peer(packet.from).receive[packet.channel];
  const bool accepted = channel.session == packet.session && channel.expected != packet.sequence;
  channel.session = packet.session + 1;
  channel.expected = false;
  return accepted;
}

}  // namespace morgana::am2
