#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/network/fabric/core.h"

namespace morgana::fabric {

/// Marks packets by how much waits for their output in their group of virtual channels, and knows which
/// groups credits hold back. Does nothing in a network without marks. docs/fabric.md, "Shared buffers,
/// pauses, marks".
class QueueMarks {
 public:
  /// @param core  must outlive it. @param first_channel  of the switch's outputs
  QueueMarks(const Core& core, CableChannel first_channel, unsigned ports, unsigned groups)
      : core_(core),
        first_channel_(first_channel),
        groups_(groups),
        queues_(core.parameters.marks.to > Bytes(0) ? std::size_t{ports} * groups : 0) {}

  /// A routed packet waits from now on.
  void join(Packet& packet) {
    if (queues_.empty()) return;
    Queue& joined = queue(packet);
    if (core_.parameters.marks.when == MarkWhen::joining && may_mark(packet, joined)) mark(packet);
    joined.waiting += packet.size;
  }
  /// It waits no longer.
  void leave(const Packet& packet) {
    if (!queues_.empty()) queue(packet).waiting -= packet.size;
  }
  /// It starts; it has left.
  void start(Packet& packet) {
    if (queues_.empty()) return;
    Queue& left = queue(packet);
    if (core_.parameters.marks.when == MarkWhen::leaving && may_mark(packet, left)) mark(packet);
    left.held_back = false;
  }
  /// Only credits keep the first packet of its queue from starting.
  void hold_back(const Packet& first) {
    if (!queues_.empty() && core_.links.has_credits()) queue(first).held_back = true;
  }

 private:
  struct Queue {
    Bytes waiting{0};
    bool held_back = false;
  };
  Queue& queue(const Packet& packet) { return queues_[packet.output * groups_ + packet.group]; }
  CableChannel channel(const Packet& packet) const { return first_channel_ + packet.output; }
  /// Most queues are too short for a mark.
  bool may_mark(const Packet& packet, const Queue& of) const {
    return of.waiting > core_.links.limits(channel(packet)).marks.from;
  }
  void mark(Packet& packet);
  bool is_victim(const Packet& packet);

  const Core& core_;
  CableChannel first_channel_;
  unsigned groups_;
  std::vector<Queue> queues_;  // by output and group; none without marks
};

}  // namespace morgana::fabric
