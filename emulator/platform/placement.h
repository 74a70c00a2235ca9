#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/platform/platform.h"
#include "emulator/platform/sections.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Where each rank runs, and how many hosts there are.
struct PlacedRanks {
  std::vector<HostId> host_of;  ///< by rank
  std::size_t hosts = 1;        ///< at least 1
};

/// Fills hosts that are counted "auto" as needed.
/// @param platform  its name, for messages
/// @throws Error if there are too few processors or a listed host is not there, saying which key to set
PlacedRanks place(std::size_t ranks, const Placement& placement, const HostParameters& hosts,
                  const std::string& platform);

}  // namespace morgana
