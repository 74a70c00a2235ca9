#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/ece/engine.h"

namespace morgana {

/// Usual values: the thesis, Table 6.2.
struct EceParameters {
  /// Stamps count microseconds.
  static constexpr SimTime least_monitoring = SimTime::from_ps(10'000'000);

  ece::LatencyEngine engine = ece::LatencyEngine::switching;
  /// A PC-PDU of whatever comes without its packing, 1 to 32 B.
  Bytes element{8};
  std::uint32_t window = 1U << 20;  ///< SDs that a receiver accepts from the next in order on, 1 to 2^31 - 1
  /// T_LME: between monitoring cells, at least `least_monitoring`
  SimTime monitoring = SimTime::from_ps(100'000'000'000);
  std::uint32_t polls = 1;                              ///< N_POLL: each n-th monitoring is a POLL, 1 to 1000
  SimTime missing = SimTime::from_ps(100'000'000'000);  ///< T_L
  SimTime upper = SimTime::from_ps(100'000'000);        ///< T_M, whole microseconds
  SimTime lower = SimTime::from_ps(90'000'000);         ///< T_m, the same, below T_M
  /// After so long without an answer the connections are released.
  SimTime no_response = SimTime::from_ps(7'000'000'000'000);
  /// Repetitions of one SD after which the load is called unstable and the connections are released; 0:
  /// never.
  std::uint32_t tries = 0;
  bool stream = false;  ///< a message's first cells may be taken out before the others have come
  /// What the clock that goes slowest loses in a second, and the fastest one gains; below 1 ms.
  SimTime drift;
  /// Between the cells that carry the sender's time, at least `least_monitoring`; zero: there are none.
  SimTime resynchronisation;
  std::uint32_t first = 0;  ///< the first SD's number

  /// T_POLL
  SimTime poll() const { return monitoring * std::int64_t{polls}; }
  /// @throws Error if one is out of range
  void check() const;
};

}  // namespace morgana
