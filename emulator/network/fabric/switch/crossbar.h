#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/network/fabric/arbiter.h"
#include "emulator/network/fabric/core.h"

namespace morgana::fabric {

/// The crossbar between queues at inputs and queues at outputs: one packet at a time to each output, as fast
/// as the faster one of the two cables times FabricParameters::speedup.
class Crossbar {
 public:
  /// @param ports  0: there is none
  Crossbar(unsigned ports, unsigned groups) : groups_(groups), outputs_(ports) {}

  bool exists() const { return !outputs_.empty(); }
  SimTime free_at(PortNumber output) const { return outputs_[output].free; }
  /// The group, of those that have a packet for the output, whose turn it is.
  unsigned take(PortNumber output, GroupSet ready) {
    const unsigned group = first_from(ready, outputs_[output].next_group);
    outputs_[output].next_group = static_cast<std::uint8_t>(group + 1 < groups_ ? group + 1 : 0);
    return group;
  }
  /// A packet starts through it towards a channel. @return when it is in the queue there, tail and all
  SimTime start(const Core& core, const Packet& packet, CableChannel out, SimTime now) {
    const BitRate faster = std::max(core.links.rate(out), core.links.rate(packet.came_by));
    const BitRate rate(faster.bits_per_second() * core.parameters.speedup);
    return outputs_[packet.output].free = std::max(now + rate.time_for(packet.size), packet.tail_ready);
  }

 private:
  struct Output {
    SimTime free;
    std::uint8_t next_group = 0;
  };
  unsigned groups_;
  std::vector<Output> outputs_;
};

}  // namespace morgana::fabric
