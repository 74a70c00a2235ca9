#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "emulator/network/cell_faults.h"

namespace morgana {

/// "server 1 at 10 ms", "cable 0-1 at 10 ms" (between two servers), "station 3 at 1 s", of overlay.faults.
/// @param hosts  that servers join; nothing: not known yet, numbers are taken as they are
/// @throws Error naming the item
std::vector<CellFault> overlay_faults(const std::vector<std::string>& items, std::optional<std::size_t> hosts,
                                      std::size_t stations);

}  // namespace morgana
