#pragma once

#include <string>
#include <vector>

#include "emulator/network/atm/topology.h"
#include "emulator/platform/networks.h"

namespace morgana {

/// How the switches of an ATM network are joined. `listed`: as network.trunks says.
enum class AtmShape : std::uint8_t { chain, ring, listed, star };

/// A topology as it is written.
struct AtmTopologySettings {
  atm::Link link;  ///< of hosts and trunks that say nothing else
  std::uint32_t switches = 1;
  AtmShape shape = AtmShape::chain;
  std::vector<std::string> trunks;    ///< "0-1", "1-2 at 622.08 Mb/s over 5 us"; listed only
  std::vector<std::string> hosts_at;  ///< by host: "0", "2 at 100 Mb/s"; empty: spread from first to last
};

/// What is wrong with it, whatever the number of hosts: text that can't be read, switches that there are not,
/// switches with hosts that no trunks join.
std::optional<Complaint> check(const AtmTopologySettings& settings);

/// @param hosts  more than are listed is an error that names the first host without a switch; fewer are not
/// @throws Error as check
atm::Topology topology_of(const AtmTopologySettings& settings, std::size_t hosts);

}  // namespace morgana
