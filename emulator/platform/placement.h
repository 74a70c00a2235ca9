#pragma once

#include <cstdint>
#include <functional>
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

/// The group of each host, of so many hosts. @throws Error for a network without switches
using HostGroups = std::function<std::vector<std::uint32_t>(std::size_t hosts)>;

/// Where hosts.count is auto, block has as many hosts as it fills, and a list as many as it names; Placement
/// says it of the others.
/// @param platform  its name, for messages
/// @param ports  for how many hosts the network has ports; 0: for any number
/// @param groups  is called only for placements by groups
/// @throws Error if there are too few processors or a listed host is not there, saying which key to set
PlacedRanks place(std::size_t ranks, const Placement& placement, const HostParameters& hosts,
                  const std::string& platform, std::size_t ports = 0, const HostGroups& groups = {});

/// The host of each rank where hosts are taken in another order than that of their numbers: random, by_group,
/// over_groups.
/// @param hosts  that there are. @param most  ranks on a host: exactly so many, as far as there are ranks,
/// where placement.per_host says it; else at most
std::vector<HostId> place_in_order(std::size_t ranks, const Placement& placement, std::size_t hosts,
                                   std::size_t most, const HostGroups& groups);
inline bool has_an_order(const Placement& placement) {
  return placement.kind >= Placement::Kind::random;
}

/// Groups of a platform's hosts. @param nics  ports of the network of each host
HostGroups host_groups(const Platform& platform, std::size_t nics, const Placement& placement);

}  // namespace morgana
