#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// A part of a network that fails.
struct NetworkFault {
  enum class Part : std::uint8_t { cable, a_switch } part = Part::cable;
  SwitchPort at;  ///< either end of the cable, a host's too; of a switch the port doesn't count
  SimTime when;   ///< >= 0
  SimTime until = SimTime::max();  ///< it works again from then on; SimTime::max(): never
};

using NetworkFaults = std::vector<NetworkFault>;

/// When each channel fails first; SimTime::max() for those that never do. A cable fails in both directions, a
/// switch with all its cables.
std::vector<SimTime> times_of_death(const SwitchGraph& graph, const NetworkFaults& faults);

/// When each channel is down.
class Outages {
 public:
  Outages() = default;
  Outages(const SwitchGraph& graph, const NetworkFaults& faults);

  bool any() const { return !times_.empty(); }
  bool is_down(CableChannel channel, SimTime at) const;
  /// When it goes down next, strictly after a time at which it is not; SimTime::max(): never.
  SimTime next_down(CableChannel channel, SimTime after) const;
  /// When anything goes down or comes back, in order, each time once.
  const std::vector<SimTime>& changes() const { return changes_; }

 private:
  struct Span {
    SimTime from, until;  ///< `until` is not in it
  };
  std::vector<std::vector<Span>> times_;  // by channel: apart from each other, in order
  std::vector<SimTime> changes_;
};

}  // namespace morgana
