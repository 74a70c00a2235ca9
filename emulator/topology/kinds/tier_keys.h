#pragma once

#include <cstdint>

#include "emulator/schema/schema.h"

namespace morgana::topology {

/// network.leaves and network.spines, of topologies whose hosts hang on leaves below spines: of the whole
/// network, or of each of its pods or groups.
struct TierSizes {
  std::uint32_t leaves = 0;  ///< 0: as the topology usually has
  std::uint32_t spines = 0;
};
const Table<TierSizes>& tier_table();

/// network.oversubscription, of topologies that can follow it by the number of their uplinks.
Key subscription_key();
/// 0: it is left open.
double oversubscription(const Settings& settings);
/// The uplinks of a leaf at that oversubscription. @param factor  > 0
/// @param hosts  of a leaf. @param trunk_speed  rate of a trunk over that of a host's link
/// @param cables  to each switch above, of which uplinks are a multiple. @param change  keys to change else
/// @throws TopologyError where no number of uplinks is that
unsigned uplinks_for(double factor, unsigned hosts, double trunk_speed, unsigned cables, const char* change);

}  // namespace morgana::topology
