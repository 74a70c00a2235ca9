// What the firmware does with packets that come.
#include <algorithm>

#include "emulator/interface/am2/firmware.h"

namespace morgana::am2 {

void Firmware::take_in() {
  const Packet packet = received_.front();
  received_.pop_front();
  if (packet.type != PacketType::data || parameters_.is_short(packet.payload))
    buffers_.give_back(size_of(packet));
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
  if (!parameters_.is_short(packet.payload)) buffers_.give_back(size_of(packet));
}

Bytes Firmware::size_of(const Packet& packet) const {
  return packet.type == PacketType::data ? buffers_.size_of_data(packet.payload) : buffers_.size_of_control();
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
    return !parameters_.is_short(packet.payload) && packet.from == copy.from &&
           packet.channel == copy.channel && packet.session == copy.session;
  };
  return (delivering_ && is_it(*delivering_)) || std::any_of(accepted_.begin(), accepted_.end(), is_it);
}

void Firmware::accept(const Packet& packet) {
  ReceiveChannel& channel = channels_.receiving(packet);
  if (packet.session != channel.session) return leave_buffer(packet);
  const bool duplicate = packet.sequence != channel.expected;
  const EndpointNumber number = number_of(packet.ends.to);
  Endpoint& endpoint = this->endpoint(number);
  const bool resident = frames_.is_resident(number);
  std::int64_t& entries = endpoint.entries[packet.ends.reply ? 1 : 0];
  // Of a copy that the network has doubled both get the same answer: a sender that knows of the NACK may have
  // given the sequence number to another packet already.
  const bool room = resident && entries < parameters_.receive_queue && packet.timestamp > channel.refused;
  if (duplicate ? !is_being_stored(packet) : !room || parameters_.is_short(packet.payload))
    answer(packet, duplicate || room ? PacketType::ack : PacketType::nack);
  if (duplicate) ++counters_.duplicates;
  if (!duplicate && !resident) frames_.want(number);
  if (!duplicate && !room) channel.refused = std::max(channel.refused, packet.timestamp);
  if (duplicate || !room) return leave_buffer(packet);
  channel.expected = !channel.expected;
  ++entries;
  ++endpoint.arriving;
  frames_.use(number);
  accepted_.push_back(packet);
  deliver_next();
}

/// A short message is where the host sees it, when those before it are.
void Firmware::deliver_next() {
  while (!delivering_ && !accepted_.empty()) {
    const Packet packet = accepted_.front();
    accepted_.pop_front();
    if (parameters_.is_short(packet.payload)) {
      arrived(packet);
      continue;
    }
    delivering_ = packet;
    to_host_.start(packet.payload);
  }
}

void Firmware::arrived(const Packet& packet) {
  const EndpointNumber number = number_of(packet.ends.to);
  --endpoint(number).arriving;
  frames_.moved(number);
  leave_buffer(packet);
  if (!parameters_.is_short(packet.payload)) answer(packet, PacketType::ack);
  if (!surroundings_.delivered(packet)) consumed(packet.ends);
}

void Firmware::acknowledged(const Packet& packet) {
  SendChannel* const channel = channels_.answered_by(packet);
  if (channel == nullptr) return;
  channel->next_sequence = !channel->next_sequence;
  frames_.moved(number_of(channel->unacknowledged.ends.from));
  release(channels_.number_of(packet.from), *channel);
  frames_.unload_what_is_flushed();
}

/// The packet stays in the table until the scan, or until its endpoint is unloaded; what counts is that the
/// peer lives, and whether all older answers have come.
void Firmware::refused(const Packet& packet) {
  SendChannel* const channel = channels_.answered_by(packet);
  if (channel == nullptr) return;
  channel->retries = 0;
  channel->feedback = packet.timestamp == channel->unacknowledged.timestamp;
  frames_.unload_what_is_flushed();
}

}  // namespace morgana::am2
