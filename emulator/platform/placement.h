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

/// Where hosts.count is auto, block has as many hosts as it fills, and a list as many as it names; Placement
/// says it of the others.
/// @param platform  its name, for messages
/// @param ports  for how many hosts the network has ports; 0: for any number
/// @throws Error if there are too few processors or a listed host is not there, saying which key to set
PlacedRanks place(std::size_t ranks, const Placement& placement, const HostParameters& hosts,
                  const std::string& platform, std::size_t ports = 0);

}  // namespace morgana
