#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/network/fabric/packet.h"

namespace morgana::fabric {

/// What every start changes of a switch's ports: how much waits for each as an output, when each has read its
/// packet as an input, and which queue of the inputs an output serves next.
class PortStates {
 public:
  /// @param gap  behind each packet on a link. @param serves_inputs  outputs choose among queues at inputs
  PortStates(unsigned ports, unsigned groups, bool serves_inputs, Bytes gap)
      : groups_(groups),
        gap_(gap),
        ports_(ports),
        next_queue_(serves_inputs && groups > 1 ? std::size_t{ports} * groups : 0) {}

  /// A routed packet waits for its output from now on, or no longer.
  void await(const Packet& packet) {
    Port& output = ports_[packet.output];
    ++output.waiting;
    output.waiting_bytes += (packet.size + gap_).count();
    ++waiting_;
  }
  void leave(const Packet& packet) {
    Port& output = ports_[packet.output];
    --output.waiting;
    output.waiting_bytes -= (packet.size + gap_).count();
    --waiting_;
  }
  /// Packets that wait for any output.
  std::int64_t waiting() const { return waiting_; }
  bool is_awaited(PortNumber output) const { return ports_[output].waiting != 0; }
  /// Of all packets that wait for an output, gaps included.
  Bytes waiting_for(PortNumber output) const { return Bytes(ports_[output].waiting_bytes); }

  /// When the input has sent its packet on.
  SimTime& input_free(PortNumber input) { return ports_[input].input_free; }
  SimTime input_free(PortNumber input) const { return ports_[input].input_free; }
  /// Round robin: the queue at the inputs from which on the output looks for the group's next packet.
  std::uint32_t& next_queue(PortNumber output, unsigned group) {
    return groups_ == 1 ? ports_[output].next_queue : next_queue_[output * groups_ + group];
  }

 private:
  /// Half a cache line.
  struct alignas(32) Port {
    std::int64_t waiting_bytes = 0;
    std::uint32_t waiting = 0;     // packets
    std::uint32_t next_queue = 0;  // where there is one group
    SimTime input_free;
  };

  unsigned groups_;
  Bytes gap_;
  std::int64_t waiting_ = 0;
  std::vector<Port> ports_;
  std::vector<std::uint32_t> next_queue_;  // by output and group; none if there is one group
};

}  // namespace morgana::fabric
