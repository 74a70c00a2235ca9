#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "emulator/schema/schema.h"

namespace morgana::topology {

/// A key whose value lists numbers: "4, 4, 2", or shorter "4x4x2".
/// @param items  what is counted: "switches"
Key count_list_key(std::string_view name, std::string_view fallback, std::string_view items,
                   std::string_view meaning);

/// The numbers that such a key lists, or its fallback. At most 16 of them, each from 1 to 16384.
/// @throws TopologyError naming the key
std::vector<unsigned> count_list(const Settings& settings, const Key& key);

/// network.parallel-cables: how many cables join two switches of a tier or dimension.
Key parallel_cables_key();
/// One number for each place: the only one said holds for all; where none is said, 1.
/// @param places  "dimension" or "level", for errors
std::vector<unsigned> parallel_cables(const Settings& settings, std::size_t count, std::string_view places);

}  // namespace morgana::topology
