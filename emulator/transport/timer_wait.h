#pragma once

#include <algorithm>

#include "emulator/core/time.h"

namespace morgana {

/// How long a message that a connection carries waits for the connection's retransmission timer: from the
/// last data that the connection sent, or from the last acknowledgement of something new, until the timer
/// runs out and the connection sends again.
class TimerWait {
 public:
  TimerWait() = default;
  /// @param since  when the message was handed to the connection; what was before does not count
  explicit TimerWait(SimTime since) : since_(since) {}
  /// The timer ran out at `until`; the connection had stood still since `from`.
  void add(SimTime from, SimTime until) { total_ += std::max(until - std::max(from, since_), SimTime()); }
  SimTime total() const { return total_; }

 private:
  SimTime since_, total_;
};

}  // namespace morgana
