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
        line_rate_(line_rate),
        index_(parameters.least),
        next_timer_(parameters.timer) {}

  /// W is in whole picoseconds, as it is on links (docs/fabric.md); W * c * step / 8 is rounded by itself.
  void sent(SimTime now, Bytes size) {
    run_timer(now);
    const SimTime packet = line_rate_.time_for(size);
    const std::int64_t eighths = packet.ps() * index_ * parameters_.step;
    const std::int64_t rest = eighths % 8;
    may_send_ = now + packet + SimTime::from_ps(eighths / 8 + (rest >= 4 ? 1 : 0));
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
    return static_cast<double>(line_rate_.bits_per_second()) * 8 /
           static_cast<double>(8 + index_ * parameters_.step);
  }

 private:
  void run_timer(SimTime now) {
    for (; next_timer_ <= now; next_timer_ += parameters_.timer)
      if (index_ > parameters_.least) --index_;
  }

  CctParameters parameters_;
  BitRate line_rate_;
  std::int64_t index_;  // c
  SimTime next_timer_;
  SimTime may_send_;
};

}  // namespace morgana::testing
