#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/cells.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// The timers' usual values are those of ITU-T Q.2130, table 5.
struct SscopParameters {
  Bytes frame{65528};           ///< user data in one SD, 1 to 65528
  std::uint32_t window = 1024;  ///< SDs that a receiver accepts from the next in order on, 1 to 2^23 - 1
  /// Elements of a STAT's list, odd and at least 3 (Q.2110: 67).
  std::uint32_t longest_list = 67;
  /// A POLL goes after so many SDs, besides the timer (MaxPD; Q.2130: 25); 0: by the timer only, as in the
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

  /// @throws Error if one is out of range
  void check() const;
};

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

/// Reliable, ordered messages over ATM: the service specific connection oriented protocol over AAL5. Losses
/// are found by gaps in the numbers (USTAT) and by polls (STAT), never by a time-out on data. One connection
/// for each ordered pair of hosts, set up before the program starts; host n is at port n.
/// docs/atm-protocols.md states the choices made where the standard leaves freedom.
///
/// Sources: ITU-T Q.2110, 1994; Q.2130, 1994; J. Vila i Sallent: A Network Architecture for Supporting
/// Parallel Computing over ATM, 1997, section 5.1.
class Sscop : public Transport {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error as SscopParameters::check
  Sscop(EventQueue& events, CellNetwork& network, std::size_t hosts, const SscopParameters& parameters);
  ~Sscop() override;
  void send(const Shipment& shipment) override;
  bool returns() const override { return true; }
  std::string how_lost() const override;
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  SscopCounters counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
