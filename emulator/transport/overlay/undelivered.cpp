// What becomes of packets that a hop does not bring on.
#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/transport/overlay/overlay.h"

namespace morgana {
using namespace overlay;

bool Overlay::is_failed(HostId at, HostId next) const {
  return failed_.contains({at, next});
}

/// Where the next server of a ring has failed, a packet that has not yet turned goes the other way from here
/// on.
/// @return whether it does
bool Overlay::goes_other_way(PacketSlot slot) {
  Packet& packet = packets_[slot];
  if (parameters_.shape != OverlayParameters::Shape::ring || packet.header.way != Way::shorter) return false;
  const HostId next = next_after(packet.at, packet.header);
  if (!is_server(next) || !is_failed(packet.at, next)) return false;
  const ServerNumber here = server_at(packet.at);
  const bool up = server_at(next) == (here + 1) % servers_.count();
  packet.header.way = up ? Way::downwards : Way::upwards;
  ++server_counters_[here].other_way;
  return true;
}

std::string Overlay::why_not(const Packet& packet) const {
  const auto name = [&](HostId host) {
    return is_server(host) ? "server " + std::to_string(server_at(host))
                           : "host " + std::to_string(index(host));
  };
  const std::string how = hops_->how_lost();
  return "from " + name(packet.at) + " to " + name(packet.next) + (how.empty() ? "" : ": " + how);
}

void Overlay::shipment_lost(MessageId id) {
  const auto slot = static_cast<PacketSlot>(id.number);
  if (packets_[slot].message == none) {
    signal_failed(slot);
    return packets_.give_back(slot);
  }
  end_copy(slot, true, std::nullopt);
}

// The slot stays taken, because the hops may still tell that what was in it has departed.
void Overlay::shipment_returned(MessageId id, Outcome why) {
  const auto old = static_cast<PacketSlot>(id.number);
  const Packet packet = packets_[old];
  failed_.insert({packet.at, packet.next});
  if (packet.message == none) return signal_failed(old);
  packets_[old].message = none;
  packets_[old].header.type = PacketType::returned;
  const PacketSlot slot = packets_.take(packet);
  Message& message = messages_[packet.message];
  const bool told = message.serial != packet.serial;
  if (!told && !message.failed()) message.why = why_not(packet);
  if (packet.header.type == PacketType::returned || !is_server(packet.at)) return end_copy(slot, false, why);
  if (parameters_.routing == OverlayParameters::Routing::alternative && goes_other_way(slot)) {
    packets_[slot].next = next_after(packet.at, packets_[slot].header);
    return hop(slot);
  }
  if (!told) message.why_returned = why;
  send_back(slot);
}

/// A server tells the origin that a packet will not come.
void Overlay::send_back(PacketSlot slot) {
  Packet& packet = packets_[slot];
  packet.header.type = PacketType::returned;
  packet.header.way = Way::shorter;
  std::swap(packet.header.origin, packet.header.destination);
  packet.bytes = Bytes(static_cast<std::int64_t>(header_octets));
  if (parameters_.routing == OverlayParameters::Routing::alternative) goes_other_way(slot);
  packet.next = next_after(packet.at, packet.header);
  hop(slot);
}

/// A packet, or one of its copies, has come, or will not.
void Overlay::end_copy(PacketSlot slot, bool lost, std::optional<Outcome> returned) {
  const Packet packet = packets_[slot];
  packets_.give_back(slot);
  Message& message = messages_[packet.message];
  if (message.serial != packet.serial) return;  // the other copies have come
  if (packet.header.type == PacketType::returned) {
    lost = false;
    returned = message.why_returned;
  }
  const bool fails = lost || returned;
  if (!message.copies.empty()) {
    std::uint8_t& copies = message.copies[packet.place];
    if (copies == Message::has_come) return;
    if (fails && --copies > 0) return;
    if (!fails) copies = Message::has_come;
  }
  if (fails && !message.failed() && message.why.empty()) message.why = why_not(packet);
  if (lost) message.lost = true;
  if (returned && !message.returned) message.returned = returned;
  decide(packet.message);
}

}  // namespace morgana
