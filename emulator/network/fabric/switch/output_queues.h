#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/network/fabric/arbiter.h"
#include "emulator/network/fabric/links.h"
#include "emulator/network/fabric/packet.h"

namespace morgana::fabric {

/// The queues at a switch's outputs, one for each group of virtual channels, and what each output sends.
class OutputQueues {
 public:
  /// @param packets  must outlive it. @param exist  otherwise there are none
  OutputQueues(Packets& packets, bool exist, unsigned ports, unsigned groups)
      : packets_(packets), groups_(groups), queues_(exist ? std::size_t{ports} * groups : 0) {
    if (!exist) return;
    filled_.resize(ports);
    sending_.resize(ports);
  }

  bool exist() const { return !queues_.empty(); }
  Slot first(PortNumber output, unsigned group) const { return queue(output, group).line.first; }
  /// The last of a queue that is not empty.
  Slot last(PortNumber output, unsigned group) const { return queue(output, group).line.last; }
  /// The groups whose queues hold something.
  GroupSet filled(PortNumber output) const { return filled_[output]; }
  bool is_filled(PortNumber output, unsigned group) const { return (filled_[output] & only(group)) != 0; }
  /// In a queue, not started.
  Bytes queued(PortNumber output, unsigned group) const { return Bytes(queue(output, group).bytes); }

  void push(Slot slot) {
    const Packet& packet = packets_[slot];
    Queue& to = queues_[packet.output * groups_ + packet.group];
    to.before_last = to.line.last;
    to.line.push(packets_, slot);
    to.bytes += packet.size.count();
    ++to.packets;
    filled_[packet.output] |= only(packet.group);
  }
  /// Takes the first packet out of a queue that is not empty.
  Slot pop(PortNumber output, unsigned group) {
    Queue& from = queues_[output * groups_ + group];
    const Slot slot = from.line.first;
    from.line.pop(packets_);
    from.bytes -= packets_[slot].size.count();
    --from.packets;
    if (from.line.empty()) filled_[output] &= ~only(group);
    return slot;
  }
  /// Puts a packet in the place of the last one of its queue, which is not empty.
  void replace_last(Slot slot) {
    const Packet& packet = packets_[slot];
    Queue& in = queues_[packet.output * groups_ + packet.group];
    in.bytes += packet.size.count() - packets_[in.line.last].size.count();
    in.line.replace_last(packets_, in.before_last, slot);
  }
  /// A packet that the output sends from now on.
  void send(const Packet& packet, SimTime until) {
    sending_[packet.output] = {until, packet.size, packet.group};
  }
  /// Until when the output sends its packet, or has sent the last one.
  SimTime sends_until(PortNumber output) const { return sending_[output].until; }
  bool sends(PortNumber output, unsigned group, SimTime now) const {
    return sending_[output].until > now && sending_[output].group == group;
  }
  PortNumber longest_sender() const {
    return static_cast<PortNumber>(std::ranges::max_element(sending_, {}, &Sending::until) -
                                   sending_.begin());
  }
  /// Of a group, with the one that is being sent.
  Bytes held(PortNumber output, unsigned group, SimTime now) const {
    return queued(output, group) + (sends(output, group, now) ? sending_[output].size : Bytes(0));
  }
  /// Whether a packet, once routed, finds space: by the limits of its queue alone. @param most_packets  0:
  /// any
  bool has_space(const Packet& packet, Bytes size, std::int64_t most_packets, SimTime now) const {
    const Queue& its = queue(packet.output, packet.group);
    const bool sending = sends(packet.output, packet.group, now);
    const std::int64_t in_sending = sending ? sending_[packet.output].size.count() : 0;
    return !(most_packets > 0 && its.packets + (sending ? 1 : 0) >= most_packets) &&
           !(size > Bytes(0) && its.bytes + in_sending + packet.size.count() > size.count());
  }
  /// Calls visit(queue) for each.
  template <typename Visit>
  void for_each(Visit visit) const {
    for (const Queue& one : queues_) visit(one.line);
  }

 private:
  struct Queue {
    PacketQueue line;
    Slot before_last = no_packet;         // in `line`, where it holds two or more
    std::int64_t bytes = 0, packets = 0;  // not started
  };
  /// The packet that an output sends, or sent last.
  struct Sending {
    SimTime until;
    Bytes size{0};
    std::uint32_t group = 0;
  };
  const Queue& queue(PortNumber output, unsigned group) const { return queues_[output * groups_ + group]; }

  Packets& packets_;
  unsigned groups_;
  std::vector<Queue> queues_;     // by output and group; or none
  std::vector<GroupSet> filled_;  // by output
  std::vector<Sending> sending_;  // likewise
};

}  // namespace morgana::fabric
