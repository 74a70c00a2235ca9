#pragma once

#include <cstdint>

namespace morgana {

/// What the protocol did so far, on one connection or over all.
struct SscopCounters {
  std::uint64_t data = 0;                               ///< SDs sent for the first time
  std::uint64_t again_by_stat = 0, again_by_ustat = 0;  ///< SDs sent again, by what asked for them
  std::uint64_t suppressed = 0;                         ///< repetitions that the poll stamps prevented
  std::uint64_t polls = 0, stats = 0, ustats = 0;
  std::uint64_t duplicates = 0;  ///< SDs that came again
  std::uint64_t frames_lost = 0;
  std::uint64_t cells = 0;       ///< of all frames
  std::uint64_t user_bytes = 0;  ///< in SDs sent for the first time
  std::uint64_t given_up = 0;    ///< messages

  SscopCounters& operator+=(const SscopCounters& other);
};

}  // namespace morgana
