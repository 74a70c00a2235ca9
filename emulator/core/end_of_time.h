#pragma once

#include "emulator/core/event_queue.h"

namespace morgana {

/// @throws Error: what was computed lies after the end of simulated time (EventQueue::latest)
[[noreturn]] void refuse_time_past_end();

/// For models that work out the future without events, which would notice it: the number of picoseconds as a
/// time. @throws Error if it lies after the end of simulated time
inline SimTime time_before_end(__int128 ps) {
  if (ps > EventQueue::latest.ps()) refuse_time_past_end();
  return SimTime::from_ps(static_cast<std::int64_t>(ps));
}

}  // namespace morgana
