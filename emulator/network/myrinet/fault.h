#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// A part of a Myrinet that dies and stays dead.
struct MyrinetFault {
  enum class Part : std::uint8_t { cable, a_switch } part = Part::cable;
  SwitchPort at;  ///< either end of the cable, a host's too; of a switch the port doesn't count
  SimTime when;   ///< >= 0
};

using MyrinetFaults = std::vector<MyrinetFault>;

}  // namespace morgana
