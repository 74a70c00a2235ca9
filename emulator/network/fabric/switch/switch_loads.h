#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "emulator/network/fabric/core.h"
#include "emulator/network/fabric/switch/load_history.h"

namespace morgana::fabric {

/// The loads of a switch's outputs, for routings: as they are, and for other switches as they were before
/// anything happened at an instant, or as late as FabricParameters::loads says.
class SwitchLoads {
 public:
  /// @param core  must outlive it. @param first_channel  of the switch's outputs
  SwitchLoads(const Core& core, CableChannel first_channel, unsigned ports)
      : core_(core), first_channel_(first_channel), before_(core.looks_at_other_switches ? ports : 0) {
    if (core.looks_at_other_switches && core.parameters.loads.is_late())
      history_.emplace(core.parameters.loads, ports);
  }

  /// OutputLoads::wait of an output that so many bytes wait for.
  SimTime load(PortNumber output, Bytes waiting, SimTime now) const;
  /// The same as other switches learn of it at `now`.
  SimTime seen_by_others(PortNumber output, Bytes waiting, SimTime now) const;
  /// Before a packet joins those that wait for the output, or starts there.
  void keep(PortNumber output, Bytes waiting, SimTime now) {
    if (!before_.empty() && before_[output].at != now) note(output, waiting, now);
  }
  /// Before something else changes at the output at this instant.
  void keep_before(PortNumber output, Bytes waiting, SimTime now) {
    keep_history(output, waiting, now - SimTime::from_ps(1), now);
  }
  /// Units of credit are back at an output from then on.
  void credits_come(PortNumber output, SimTime at, std::int64_t units) {
    if (history_) history_->give(output, at, units);
  }

 private:
  /// Before anything happened at an instant.
  struct Load {
    SimTime at = SimTime::from_ps(-1);
    SimTime wait;
  };
  static constexpr SimTime load_when_down = SimTime::from_ps(1'000'000'000'000);

  void note(PortNumber output, Bytes waiting, SimTime now);
  LoadHistory::State state(PortNumber output, Bytes waiting, SimTime until, SimTime now) const;
  void keep_history(PortNumber output, Bytes waiting, SimTime until, SimTime now);
  SimTime late_load(PortNumber output, Bytes waiting, SimTime now) const;
  CableChannel channel(PortNumber output) const { return first_channel_ + output; }

  const Core& core_;
  CableChannel first_channel_;
  std::vector<Load> before_;            // by output; only if the routing asks other switches
  std::optional<LoadHistory> history_;  // where others learn of loads late
};

}  // namespace morgana::fabric
