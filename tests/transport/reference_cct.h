#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/cct.h"

namespace morgana::testing {

/// The rules of Cct's header, written down plainly: each multiple of the timer is a step of its own.
class ReferenceCct {
 public:
  ReferenceCct(const CctParameters& parameters, BitRate line_rate)
      : parameters_(parameters),
        line_rate_(line_rate.bits_per_second()),
        index_(parameters.least),
        next_timer_(parameters.timer) {}

  /// Rounded once, as a whole: b + (8 S / C) (1 + c * step / 8), in picoseconds.
  void sent(SimTime now, Bytes size) {
    run_timer(now);
    const __int128 picobits = static_cast<__int128>(8 * size.count()) * 1'000'000'000'000;
    const __int128 eighths = picobits * (8 + index_ * parameters_.step);
    const __int128 divisor = static_cast<__int128>(8) * line_rate_;
    may_send_ = now + SimTime::from_ps(static_cast<std::int64_t>((2 * eighths + divisor) / (2 * divisor)));
  }
  void notified(SimTime now) {
    run_timer(now);
    index_ = std::min<std::int64_t>(parameters_.limit, index_ + parameters_.increase);
  }
  SimTime may_send() const { return may_send_; }
  std::int64_t index(SimTime now) {
    run_timer(now);
    return index_;
  }
  /// The line rate's share: packets and gaps together take (8 + c * step) / 8 times what the packets take.
  double rate(SimTime now) {
    run_timer(now);
    return static_cast<double>(line_rate_) * 8 / static_cast<double>(8 + index_ * parameters_.step);
  }

 private:
  void run_timer(SimTime now) {
    for (; next_timer_ <= now; next_timer_ += parameters_.timer)
      if (index_ > parameters_.least) --index_;
  }

  CctParameters parameters_;
  std::int64_t line_rate_;
  std::int64_t index_;  // c
  SimTime next_timer_;
  SimTime may_send_;
};

}  // namespace morgana::testing
