#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/network/fabric/core.h"
#include "emulator/network/fabric/switch/output_queues.h"
#include "emulator/network/fabric/switch/switch_memory.h"

namespace morgana::fabric {

/// The pause frames that a switch sends, and what they are noted to be caused by: what the packets of each
/// account of its memory wait for. docs/fabric.md, "Shared buffers, pauses, marks".
class SwitchPauses {
 public:
  /// @param core  must outlive it. @param first_channel  of the switch's outputs
  SwitchPauses(const Core& core, CableChannel first_channel, unsigned ports, unsigned groups)
      : core_(core),
        first_channel_(first_channel),
        ports_(ports),
        waiting_(std::size_t{ports} * groups * ports) {}

  /// A routed packet of an account waits for its output from now on, or no longer.
  void join(std::size_t account, const Packet& packet) {
    waiting_[account * ports_ + packet.output] += packet.size.count();
  }
  void leave(std::size_t account, const Packet& packet) {
    waiting_[account * ports_ + packet.output] -= packet.size.count();
  }
  /// Starts a pause frame that the output owes: it tells the other end what the input of that number wants.
  void start_frame(PortNumber output, SwitchMemory& memory, const OutputQueues& queues, SimTime now);

 private:
  void note_pause(unsigned group, PortNumber congested, CableChannel paused, SimTime effect,
                  const OutputQueues& queues);
  PortNumber fullest_output(std::size_t account, const OutputQueues& queues) const;
  std::optional<CableChannel> cause_of(PortNumber output, unsigned traffic_class, const OutputQueues& queues);

  const Core& core_;
  CableChannel first_channel_;
  unsigned ports_;
  std::vector<std::int64_t> waiting_;  // bytes of each account that wait for an output
};

}  // namespace morgana::fabric
