#include "emulator/network/myrinet/deadlock_timers.h"

#include <algorithm>

namespace morgana::myrinet {

void DeadlockTimers::arm(Index index, Time since) {
  if (timeout_ == 0) return;
  const Time at = since + timeout_;
  if (at >= expires_[index]) return;
  expires_[index] = at;
  agenda_.schedule_late(at, WormEvent::patience_ends, index);
}

Time DeadlockTimers::still_since(const Channel& output) const {
  const Time clear = output.running ? runs_.end_of_run(output) : output.clear_at;
  return std::max(output.stalled_since, clear);
}

}  // namespace morgana::myrinet
