#pragma once

#include <array>
#include <cstdint>

#include "emulator/transport/assured/counters.h"
#include "emulator/transport/ece/engine.h"

namespace morgana {

/// What the protocol did so far, on the connections of one pair or of all. An SD is a cell, and those sent
/// again by LSTAT count as by STAT.
struct EceCounters : assured::Counters {
  std::uint64_t late = 0;  ///< SDs that the change of mode sent once more (Retransmit3)
  std::uint64_t lstats = 0;
  std::uint64_t changes = 0;  ///< of the sender's mode
  std::uint64_t missing = 0;  ///< monitoring cells
  std::array<assured::PathCounters, ece::paths> path = {};

  const assured::PathCounters& of(ece::Path which) const { return path[ece::number_of(which)]; }

  EceCounters& operator+=(const EceCounters& other);
};

}  // namespace morgana
