#pragma once

#include <cstdint>

namespace morgana::assured {

/// What a sending half has done.
struct SenderCounters {
  std::uint64_t data = 0;                               ///< SDs sent for the first time
  std::uint64_t again_by_stat = 0, again_by_ustat = 0;  ///< SDs sent again, by what asked for them
  std::uint64_t suppressed = 0;  ///< missing SDs of a status that had been sent again since its POLL
  std::uint64_t polls = 0;
  std::uint64_t refused = 0;  ///< STAT and USTAT that don't fit the state
};

/// What a receiving half has done.
struct ReceiverCounters {
  std::uint64_t duplicates = 0;     ///< SDs that had come before
  std::uint64_t beyond_window = 0;  ///< SDs from VR(MR) on
  std::uint64_t stats = 0, ustats = 0;
  std::uint64_t stat_cells = 0;  ///< frames that the STATs took, where one may take several
  std::uint64_t refused = 0;     ///< POLLs that don't fit the state
};

/// What a protocol of assured data transfer did so far, on one connection or over all.
struct Counters {
  std::uint64_t data = 0;                               ///< SDs sent for the first time
  std::uint64_t again_by_stat = 0, again_by_ustat = 0;  ///< SDs sent again, by what asked for them
  std::uint64_t suppressed = 0;                         ///< repetitions that the poll stamps prevented
  std::uint64_t polls = 0, stats = 0, ustats = 0;
  std::uint64_t duplicates = 0;  ///< SDs that came again: useless
  std::uint64_t user_bytes = 0;  ///< in SDs sent for the first time
  std::uint64_t given_up = 0;    ///< messages

  void add(const SenderCounters& sender, const ReceiverCounters& receiver);
  Counters& operator+=(const Counters& other);
};

/// What went over one of a connection's channels. A frame of several cells is lost if one of them is.
struct PathCounters {
  std::uint64_t cells = 0;              ///< of all frames that were sent
  std::uint64_t data = 0;               ///< SDs that were sent
  std::uint64_t carried = 0, lost = 0;  ///< frames that came through, and that did not

  PathCounters& operator+=(const PathCounters& other);
};

/// The share of the octets of so many cells that carries nothing new for the user.
double overhead(std::uint64_t cells, std::uint64_t user_bytes);

}  // namespace morgana::assured
