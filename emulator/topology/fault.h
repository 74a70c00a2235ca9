#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// A part of a network that dies and stays dead.
struct NetworkFault {
  enum class Part : std::uint8_t { cable, a_switch } part = Part::cable;
  SwitchPort at;  ///< either end of the cable, a host's too; of a switch the port doesn't count
  SimTime when;   ///< >= 0
};

using NetworkFaults = std::vector<NetworkFault>;

/// When each channel dies; SimTime::max() for those that live on. A cable dies in both directions, a switch
/// with all its cables.
std::vector<SimTime> times_of_death(const SwitchGraph& graph, const NetworkFaults& faults);

}  // namespace morgana
