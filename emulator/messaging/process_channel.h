#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/operations/operation.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Shipment::channel of a message between two ranks: the connection of the two, whichever way it goes, where
/// the transport has one for each two processes.
inline std::uint64_t channel_between(const Transport& transport, Rank a, Rank b) {
  if (!transport.connects_processes()) return 0;
  const auto [low, high] =
      std::minmax({static_cast<std::uint32_t>(index(a)), static_cast<std::uint32_t>(index(b))});
  return std::uint64_t{low} << 32 | high;
}

}  // namespace morgana
