#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "emulator/core/time.h"

namespace morgana {

/// Collectives of an execution trace that are carried out alike.
struct CollectiveUse {
  std::string what;         ///< "ALL_REDUCE of 128.0 MiB on 8 ranks by ring simple"
  std::uint64_t times = 0;  ///< how many there were, > 0
  SimTime total, longest;   ///< from when the last member entered it until the last one left it
  SimTime late;             ///< added up: from when a member entered it, in the mean, until the last one did
  /// Bytes that cross each rank's link, as nccl-tests count them for busbw (size times bus_factor()), added
  /// up; 0 where nccl-tests have no such collective.
  double bus_bytes = 0;
};

/// Where the time of an execution trace's ranks goes, in the mean. Computing: at least one of its streams
/// computes (on GPUs; on CPUs where a rank has no GPU). Communicating: it has entered a collective and not
/// left it, or a message of its own is under way. The four add up to the time of the longest rank.
struct ExecutionUse {
  SimTime computing;  ///< and nothing else
  SimTime hidden;     ///< communication behind computing
  SimTime exposed;    ///< communication alone
  SimTime idle;       ///< neither
  std::vector<CollectiveUse> collectives;
  SimTime working{};  ///< of `exposed`: the rank adds up or copies what its collectives bring

  SimTime total() const { return computing + hidden + exposed + idle; }
};

/// "computing 5.154 ms (89.0 %), communication 635.1 us exposed (11.0 %) and 0 s hidden behind computing,
/// idle 0 s"
std::string execution_text(const ExecutionUse& use);
/// A table of the collectives, those that took most time first, with a heading; at most `most` rows. Empty
/// if there were none.
std::string collectives_text(const ExecutionUse& use, std::size_t most = 12);
/// The same as sentences, for pages: "ALL_REDUCE of ...: 4 times, 689.4 us on average ...".
std::vector<std::string> collective_lines(const ExecutionUse& use, std::size_t most = 12);
nlohmann::ordered_json execution_json(const ExecutionUse& use);

}  // namespace morgana
