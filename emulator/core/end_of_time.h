#pragma once

#include "emulator/core/error.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/units.h"

namespace morgana {

/// What happens or lasts would lie after the end of simulated time (EventQueue::latest).
class TimePastEnd : public Error {
 public:
  using Error::Error;
};

/// @throws TimePastEnd
[[noreturn]] void refuse_time_past_end();

/// For models that work out the future without events, which would notice it: the number of picoseconds as a
/// time. @throws TimePastEnd if it lies after the end of simulated time
inline SimTime time_before_end(__int128 ps) {
  if (ps > EventQueue::latest.ps()) refuse_time_past_end();
  return SimTime::from_ps(static_cast<std::int64_t>(ps));
}

/// For sums of two such times, which can't overflow: @throws TimePastEnd as well
inline SimTime time_before_end(SimTime sum) {
  if (sum > EventQueue::latest) refuse_time_past_end();
  return sum;
}

/// ByteCost::time_for of a size that is a program's choice, and as large as it likes. @throws TimePastEnd
inline SimTime time_before_end(ByteCost cost, Bytes size) {
  return time_before_end((static_cast<__int128>(size.count()) * cost.fs() + 500) / 1000);
}

}  // namespace morgana
