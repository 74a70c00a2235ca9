#pragma once

#include <array>
#include <cstdint>

#include "emulator/transport/ece/engine.h"

namespace morgana {

/// What the protocol did so far, on the connections of one pair or of all.
struct EceCounters {
  std::uint64_t data = 0;                               ///< SDs sent for the first time
  std::uint64_t again_by_stat = 0, again_by_ustat = 0;  ///< SDs sent again; by LSTAT, too
  std::uint64_t late = 0;        ///< SDs that the change of mode sent once more (Retransmit3)
  std::uint64_t suppressed = 0;  ///< repetitions that the poll stamps prevented
  std::uint64_t polls = 0, stats = 0, lstats = 0, ustats = 0;
  std::uint64_t changes = 0;     ///< of the sender's mode
  std::uint64_t missing = 0;     ///< monitoring cells
  std::uint64_t duplicates = 0;  ///< SDs that came again: copies and repetitions
  std::uint64_t user_bytes = 0;  ///< in SDs sent for the first time
  std::uint64_t given_up = 0;    ///< messages
  /// Of each connection: cells of all kinds sent, and how many came through; of the sent ones, SDs.
  struct OfPath {
    std::uint64_t cells = 0, carried = 0, data = 0;
  };
  std::array<OfPath, ece::paths> path = {};

  OfPath& of(ece::Path which) { return path[static_cast<std::size_t>(which)]; }
  const OfPath& of(ece::Path which) const { return path[static_cast<std::size_t>(which)]; }

  EceCounters& operator+=(const EceCounters& other);
};

}  // namespace morgana
