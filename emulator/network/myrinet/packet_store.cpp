#include "emulator/network/myrinet/packet_store.h"

#include <cassert>

namespace morgana::myrinet {

Index PacketStore::add(const Unit& unit, Header header) {
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
  packet.total = static_cast<Count>(header.size()) + type_bytes_ + unit.size.count() + 1;
  return index;
}

Index PacketStore::add_with_own_header(const Unit& unit, Header header) {
  const Index packet = add(unit, header);
  if (own_headers_.size() <= packet) own_headers_.resize(packet + 1);
  own_headers_[packet].assign(header.begin(), header.end());
  packets_[packet].header = own_headers_[packet].data();
  return packet;
}

Index PacketStore::add_passage(Index packet, Count first, Count length, std::uint32_t position) {
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

Index PacketStore::add_passage(Index packet, Count first, Count length, std::uint32_t position,
                               const Passage& like) {
  const bool silent = like.silent, bad_tail = like.bad_tail;
  const UnitLoss cut_by = like.cut_by;
  const Index index = add_passage(packet, first, length, position);
  Passage& passage = passages_[index];
  passage.silent = silent;
  passage.bad_tail = bad_tail;
  passage.cut_by = cut_by;
  return index;
}

void PacketStore::drop_passage(Index index) {
  const Index packet = passages_[index].packet;
  passages_[index].next = free_passage_;
  free_passage_ = index;
  --packets_[packet].pieces;
  free_if_done(packet);
}

void PacketStore::free_if_done(Index index) {
  Packet& packet = packets_[index];
  if (packet.pieces > 0 || !packet.departed || !packet.settled) return;
  packet.next = free_packet_;
  free_packet_ = index;
}

void PacketStore::append(Channel& channel, Index passage) {
  if (channel.front == none) {
    channel.front = passage;
  } else {
    passages_[channel.back].next = passage;
  }
  channel.back = passage;
}

void PacketStore::forget_last(Channel& channel) {
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

}  // namespace morgana::myrinet
