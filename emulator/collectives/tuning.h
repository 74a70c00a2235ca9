#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace morgana {

/// How a platform's library carries out collectives.
struct CollectiveTuning {
  /// Which algorithm carries out each kind where the platform does not leave it to MPICH's thresholds:
  /// "allreduce" -> "recursive-doubling".
  std::map<std::string, std::string> algorithm;
  /// When nonblocking collectives go on.
  enum class Progress : std::uint8_t {
    in_calls,      ///< while their rank is in a call of the library, on the rank's processor
    asynchronous,  ///< at all times, on a processor that each rank has for this alone
  };
  Progress progress = Progress::in_calls;
};

}  // namespace morgana
