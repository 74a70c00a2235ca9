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

}  // namespace morgana::topology
