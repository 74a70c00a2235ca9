#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/fabric/arbiter.h"
#include "emulator/network/fabric/packet.h"

namespace morgana::fabric {

/// Chooses among the packets at inputs that an output may take next: one for each group of virtual channels.
/// docs/fabric.md, "Arbitration".
class InputArbiter {
 public:
  /// A packet that may go, and the queue whose first it is.
  struct Candidate {
    Slot packet = no_packet;
    std::uint32_t queue = 0;
    std::uint64_t number = 0;  ///< of the packet, as are
    unsigned group = 0;
    PortNumber input = 0;
  };

  InputArbiter(InputArbitration arbitration, unsigned groups)
      : by_age_(arbitration == InputArbitration::oldest), candidates_(groups) {}

  /// For another output, or another time.
  void begin() { proposed_ = 0; }
  /// @param next  the queue that is the group's first, round robin
  void propose(const Candidate& candidate, std::uint32_t next) {
    const GroupSet group = only(candidate.group);
    Candidate& best = candidates_[candidate.group];
    // Round robin those from `next` on come first, then those below it.
    if ((proposed_ & group) == 0 ||
        (by_age_ ? candidate.number < best.number : candidate.queue - next < best.queue - next))
      best = candidate;
    proposed_ |= group;
  }
  /// The groups that have a candidate since begin(), and that.
  GroupSet proposed() const { return proposed_; }
  const Candidate& chosen(unsigned group) const { return candidates_[group]; }

 private:
  bool by_age_;
  GroupSet proposed_ = 0;
  std::vector<Candidate> candidates_;  // by group
};

/// The arbiters of a switch's outputs for groups of virtual channels.
class OutputLanes {
 public:
  OutputLanes(const FabricParameters& parameters, unsigned ports, unsigned groups)
      : lanes_(groups > 1 ? ports : 0, LaneArbiter(parameters, groups)) {}
  /// As LaneArbiter::take.
  template <typename Size>
  unsigned take(PortNumber output, GroupSet ready, Size size) {
    return lanes_.empty() ? 0 : lanes_[output].take(ready, size);
  }

 private:
  std::vector<LaneArbiter> lanes_;  // by output; none if there is one group
};

}  // namespace morgana::fabric
