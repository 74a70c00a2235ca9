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
[[noreturn, gnu::cold]] void refuse_time_past_end();

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
  // Almost always: a division of 128 bits is a call that takes ten times as long.
  std::int64_t fs = 0;
  if (!__builtin_mul_overflow(size.count(), cost.fs(), &fs) && !__builtin_add_overflow(fs, 500, &fs))
    return SimTime::from_ps(fs / 1000);
  return time_before_end((static_cast<__int128>(size.count()) * cost.fs() + 500) / 1000);
}

}  // namespace morgana
