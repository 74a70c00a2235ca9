#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/transport/ece/pdu.h"

namespace morgana::ece {

/// The receiver's half of the Latency Monitoring Engine: which mode the latencies of the ordinary connection
/// ask for, with hysteresis, and which monitoring cells are missing. All times are the sender's.
class LatencyMonitor {
 public:
  struct Limits {
    SimTime upper, lower;  ///< T_M, T_m
    SimTime interval;      ///< T_LME
    SimTime missing;       ///< T_L
  };
  /// @param first  when the first monitoring cell is to be sent
  LatencyMonitor(const Limits& limits, SimTime first) : limits_(limits), expected_(first) {}

  LatencyMode mode() const { return mode_; }

  /// A monitored cell took so long. @return whether the mode changes by it
  bool measured(std::int64_t microseconds) {
    const SimTime latency = microseconds * stamp_unit;
    if (mode_ == LatencyMode::low ? latency <= limits_.upper : latency >= limits_.lower) return false;
    mode_ = mode_ == LatencyMode::low ? LatencyMode::high : LatencyMode::low;
    return true;
  }

  /// A monitoring cell came that was sent then: those before it have come or are lost. (Stamps are rounded;
  /// half an interval tells one from the next.)
  void came(SimTime sent) {
    const SimTime latest = sent + SimTime::from_ps(limits_.interval.ps() / 2);
    while (expected_ <= latest) expected_ += limits_.interval;
  }
  /// From then on the next monitoring cell is missing.
  SimTime missing_at() const { return expected_ + limits_.missing; }
  /// It is. The mode is high now. @return when that cell was to be sent
  SimTime missed() {
    const SimTime sent = expected_;
    expected_ += limits_.interval;
    mode_ = LatencyMode::high;
    return sent;
  }

 private:
  Limits limits_;
  SimTime expected_;  ///< when the next monitoring cell is sent
  LatencyMode mode_ = LatencyMode::low;
};

}  // namespace morgana::ece
