#pragma once

#include <algorithm>

#include "emulator/core/time.h"

namespace morgana::tcp {

/// How long TCP waits for an acknowledgement. Source: RFC 6298.
///
/// The first sample R: SRTT = R, RTTVAR = R / 2. Every later one: RTTVAR = (3 RTTVAR + |SRTT - R|) / 4, then
/// SRTT = (7 SRTT + R) / 8; each to whole picoseconds, downwards. After each the timeout is SRTT + 4 RTTVAR,
/// at least `least`, at most `most`. (RFC 6298's clock granularity is 0.)
class RoundTrip {
 public:
  RoundTrip(SimTime first, SimTime least, SimTime most) : least_(least), most_(most), timeout_(first) {}

  void sample(SimTime took);
  /// The timer has run out.
  void back_off() { timeout_ = std::min(timeout_ + timeout_, most_); }
  /// RFC 6298, 5.7: a SYN had to be repeated; data waits for at least this from now on.
  void at_least(SimTime timeout) { timeout_ = std::max(timeout_, timeout); }

  SimTime timeout() const { return timeout_; }
  /// 0 before the first sample.
  SimTime smoothed() const { return smoothed_; }

 private:
  SimTime least_, most_, timeout_;
  SimTime smoothed_, variation_;
  bool measured_ = false;
};

}  // namespace morgana::tcp
