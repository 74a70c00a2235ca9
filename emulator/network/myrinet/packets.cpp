// Packets and passages: where they are kept, and what is told about them.
#include <cassert>

#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {

/// @param header  stays valid as long as the packet
MyrinetNetwork::Index MyrinetNetwork::new_packet(const Unit& unit, Header header) {
  Index index = free_packet_;
  if (index == none) {
    index = static_cast<Index>(packets_.size());
    packets_.emplace_back();
  } else {
    free_packet_ = packets_[index].next;
  }
  Packet& packet = packets_[index];
  packet = {};
  packet.unit = unit;
  packet.header = header.data();
  packet.header_length = static_cast<std::uint32_t>(header.size());
  packet.total = static_cast<Count>(header.size()) + parameters_.type_bytes + unit.size.count() + 1;
  return index;
}

MyrinetNetwork::Index MyrinetNetwork::new_passage(Index packet, Count first, Count length,
                                                  std::uint32_t position) {
  Index index = free_passage_;
  if (index == none) {
    index = static_cast<Index>(passages_.size());
    passages_.emplace_back();
  } else {
    free_passage_ = passages_[index].next;
  }
  Passage& passage = passages_[index];
  passage = {};
  passage.packet = packet;
  passage.first = first;
  passage.length = length;
  passage.position = position;
  ++packets_[packet].pieces;
  return index;
}

void MyrinetNetwork::drop_passage(Index index) {
  const Index packet = passages_[index].packet;
  passages_[index].next = free_passage_;
  free_passage_ = index;
  --packets_[packet].pieces;
  free_packet_if_done(packet);
}

void MyrinetNetwork::free_packet_if_done(Index index) {
  Packet& packet = packets_[index];
  if (packet.pieces > 0 || !packet.departed || !packet.settled) return;
  packet.next = free_packet_;
  free_packet_ = index;
}

void MyrinetNetwork::append(Channel& channel, Index passage) {
  if (channel.front == none) {
    channel.front = passage;
  } else {
    passages_[channel.back].next = passage;
  }
  channel.back = passage;
}

// The listener may inject, so that these come last wherever they are called, or at least where no
// reference into packets_ is held.

void MyrinetNetwork::report_departed(Index index) {
  const Unit unit = packets_[index].unit;
  packets_[index].departed = true;
  const std::optional<myrinet::LossPlace> lost = packets_[index].lost_before_departure;
  listener_->unit_departed(unit.id, unit.from);
  if (lost) report_lost(index, lost->why, lost->channel);
}

void MyrinetNetwork::report_delivered(Index index) {
  const Unit unit = packets_[index].unit;
  packets_[index].settled = true;
  ++totals_.delivered;
  free_packet_if_done(index);
  listener_->unit_delivered(unit.id, unit.to);
}

/// @param channel  the dead one; else the one whose receiver has lost it
void MyrinetNetwork::report_lost(Index index, Loss why, Index channel) {
  Packet& packet = packets_[index];
  if (!packet.departed) {
    packet.lost_before_departure = {why, channel};
    return;
  }
  assert(!packet.settled);
  last_loss_ = {why, channel};
  const UnitId id = packet.unit.id;
  packet.settled = true;
  ++totals_.lost[static_cast<std::size_t>(why)];
  free_packet_if_done(index);
  listener_->unit_lost(id);
}

/// What stands at the front of a passage is a byte of its route; else its type, or a bad tail alone.
bool MyrinetNetwork::has_first_byte(const Passage& passage) const {
  return passage.position < packets_[passage.packet].header_length &&
         !(passage.bad_tail && passage.length == 1);
}

RouteByte MyrinetNetwork::first_byte(const Passage& passage) const {
  return packets_[passage.packet].header[passage.position];
}

bool MyrinetNetwork::starts_with_mark(const Passage& passage) const {
  return has_first_byte(passage) && first_byte(passage) == in_transit_mark;
}

}  // namespace morgana
