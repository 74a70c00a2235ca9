#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/time.h"

namespace morgana {

/// Which rank delays a run, and how much it would save if it did not: answered by further runs in which the
/// computing of slow ranks is scaled so that it takes as long as the median rank's.
struct StragglerReport {
  /// One of the ranks that compute longest.
  struct Slow {
    std::size_t rank = 0;
    SimTime computes;
    SimTime end;  ///< of the run in which this rank alone is at the median
  };
  SimTime end;             ///< of the run itself
  SimTime median;          ///< of all ranks' computing; of an even number of ranks, the lower one
  std::vector<Slow> slow;  ///< longer than the median; the longest first
  std::size_t above = 0;   ///< how many ranks compute longer than the median
  SimTime all_end;         ///< of the run in which all of them are at the median; of one, that one's

  /// The one without which the run ends first; null if none lets it end earlier.
  const Slow* straggler() const;
};

/// In a sentence or two.
std::string straggler_text(const StragglerReport& report);
/// Times in whole picoseconds; what is saved may be negative.
nlohmann::ordered_json straggler_json(const StragglerReport& report);

}  // namespace morgana
