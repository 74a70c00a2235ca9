#include "emulator/network/myrinet/send_queues.h"

namespace morgana::myrinet {

void SendQueues::add_local(PacketStore& packets, Index packet) {
  if (first_local_ == none) {
    first_local_ = packet;
  } else {
    packets.packet(last_local_).next = packet;
  }
  last_local_ = packet;
  ++locals_;
}

void SendQueues::add_in_transit(PacketStore& packets, Index index) {
  Passage& passage = packets.passage(index);
  const auto before = [&packets](Index a, Index b) {
    const Passage &first = packets.passage(a), &second = packets.passage(b);
    return first.ready != second.ready ? first.ready < second.ready : first.order < second.order;
  };
  if (first_in_transit_ == none || before(index, first_in_transit_)) {
    passage.next = first_in_transit_;
    if (first_in_transit_ == none) last_in_transit_ = index;
    first_in_transit_ = index;
    return;
  }
  Index previous = last_in_transit_;
  if (before(index, previous)) {
    previous = first_in_transit_;
    while (before(packets.passage(previous).next, index)) previous = packets.passage(previous).next;
  }
  passage.next = packets.passage(previous).next;
  packets.passage(previous).next = index;
  if (previous == last_in_transit_) last_in_transit_ = index;
}

bool SendQueues::choose_local(std::int64_t priority_threshold) {
  const bool local = first_in_transit_ == none || (claim_ > 0 && claim_ >= priority_threshold);
  claim_ = local ? 0 : claim_ + locals_;
  return local;
}

Index SendQueues::take_local(PacketStore& packets) {
  const Index packet = first_local_;
  first_local_ = packets.packet(packet).next;
  --locals_;
  return packet;
}

Index SendQueues::take_in_transit(PacketStore& packets) {
  const Index passage = first_in_transit_;
  first_in_transit_ = packets.passage(passage).next;
  return passage;
}

}  // namespace morgana::myrinet
