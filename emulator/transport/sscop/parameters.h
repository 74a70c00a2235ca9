#pragma once

#include <cstdint>

#include "emulator/network/cells.h"
#include "emulator/transport/pdu_work.h"

namespace morgana {

/// The timers' usual values are those of ITU-T Q.2130, table 5.
struct SscopParameters {
  Bytes frame{65528};           ///< user data in one SD, 1 to 65528
  std::uint32_t window = 1024;  ///< SDs that a receiver accepts from the next in order on, 1 to 2^23 - 1
  /// Elements of a STAT's list, odd and at least 3 (Q.2110: 67).
  std::uint32_t longest_list = 67;
  /// A POLL is sent after so many SDs and by the timer (MaxPD; Q.2130: 25); 0: by the timer only, as in the
  /// thesis.
  std::uint32_t poll_every = 25;
  SimTime poll = SimTime::from_ps(750'000'000'000);           ///< Timer_POLL
  SimTime keep_alive = SimTime::from_ps(2'000'000'000'000);   ///< Timer_KEEP-ALIVE
  SimTime no_response = SimTime::from_ps(7'000'000'000'000);  ///< Timer_NO-RESPONSE
  SimTime idle = SimTime::from_ps(15'000'000'000'000);        ///< Timer_IDLE
  /// Repetitions of one SD after which the load is called unstable and the connection is released; 0: never,
  /// as in Q.2110.
  std::uint32_t tries = 0;
  ServiceCategory category = ServiceCategory::ubr;
  std::uint32_t first = 0;  ///< the first SD's number, below 2^24
  PduCosts costs = {};      ///< of the hosts, for each frame

  /// @throws Error if one is out of range
  void check() const;
};

}  // namespace morgana
