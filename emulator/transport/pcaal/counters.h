#pragma once

#include <cstdint>

#include "emulator/transport/assured/counters.h"

namespace morgana {

/// What the protocol did so far, on one connection or over all. An SD is a cell.
struct PcAalCounters : assured::Counters {
  std::uint64_t stat_cells = 0;
  std::uint64_t cells_lost = 0;
  std::uint64_t cells = 0;  ///< of all frames
};

}  // namespace morgana
