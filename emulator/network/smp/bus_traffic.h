#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"

namespace morgana::smp {

/// What one cache line costs, in times.
struct LineCosts {
  SimTime cycle;      ///< of the bus, > 0; it is granted at whole multiples of it
  SimTime occupancy;  ///< of the bus by one line, a multiple of the cycle, > 0
  SimTime miss;       ///< from the grant until the processor has the line, at least the occupancy
  SimTime work;       ///< of the processor on a line that it has, before it misses the next one
};

/// One processor's walk over cache lines, each of which it misses.
struct MissStream {
  std::uint32_t processor;
  std::int64_t lines;  ///< not yet granted; 0: all are, and the stream ends `at`
  SimTime at;          ///< when the processor is ready for its next line
};

/// The walks that are under way and the bus that they share: from one grant to the next, without events. The
/// rules are those of SharedBus. Where the grants repeat themselves, whole rounds are taken at once, with the
/// same result.
class BusTraffic {
 public:
  explicit BusTraffic(const LineCosts& costs) : costs_(costs) {}

  /// A processor that is not walking begins to.
  void begin(std::uint32_t processor, std::int64_t lines, SimTime at);
  /// Carries out all grants before `until`, but none at or after the first end of a stream.
  void grant_before(SimTime until);
  /// Takes out the streams that end at or before `until`: of one time, by processor.
  /// @return the processors, the earliest end first
  std::vector<std::uint32_t> take_ended(SimTime until);
  /// When the next stream ends; the time's maximum if none has been granted all its lines.
  SimTime next_end() const;
  bool idle() const { return streams_.empty(); }

 private:
  SimTime on_the_beat(SimTime at) const;
  const MissStream* next_granted(SimTime& grant) const;
  bool same_but_later(const BusTraffic& earlier) const;
  void take_rounds(const BusTraffic& earlier, SimTime until);

  LineCosts costs_;
  std::vector<MissStream> streams_;  // by processor
  SimTime free_;                     // from when on the bus is free
  std::uint32_t last_ = 0;           // processor that had the bus
};

}  // namespace morgana::smp
