#pragma once

#include "emulator/transport/congestion/window_control.h"

namespace morgana {

/// What TCP's windows begin with and grow by. Defaults: Linux.
struct WindowParameters {
  Bytes segment{1460};        ///< SMSS, more than 0
  std::int64_t initial = 10;  ///< IW: segments, at least 1 (RFC 6928)
  std::int64_t byte_counting =
      2;                        ///< L: segments by which one acknowledgement lets slow start grow, at least 1
  std::int64_t slow_start = 0;  ///< segments below which a flow begins with slow start; 0: without end
};

/// TCP's window, as every TCP had it: RFC 5681, sections 3.1, 3.2 and 4.1, with appropriate byte counting
/// (RFC 3465). All in whole bytes; S is the segment.
///
///   - W = initial S, T = slow_start S, or without end.
///   - An acknowledgement of n bytes that may grow the window. W < T (slow start): W grows by min(n, L S).
///     Otherwise (congestion avoidance) n counts; what counted becomes less by W, and W then grows by S, if
///     it is W or more: once an acknowledgement at most. What counted is 0 after each loss, mark and timeout.
///   - Loss or mark: T = W = max(in_flight / 2, 2 S).
///   - Timeout: T = max(in_flight / 2, 2 S), but not again; W = S.
///   - Recovered: W = min(T, max(in_flight, S) + S) (RFC 6582, 3.2, step 3, option 1).
///   - Rested: W = min(W, initial S).
class NewReno : public WindowControl {
 public:
  /// @param parameters  must outlive it
  explicit NewReno(const WindowParameters& parameters);

  void acknowledged(const Acknowledged& what) override;
  void congested(SimTime now, Bytes in_flight, Congestion why) override;
  void timed_out(SimTime now, Bytes in_flight, bool again) override;
  void recovered(Bytes in_flight) override;
  void rested() override;
  void begin_with(Bytes window) override { window_ = window; }
  Bytes window() const override { return window_; }
  bool in_slow_start() const override { return window_ < threshold_; }
  Bytes threshold() const { return threshold_; }

 protected:
  void grow_in_slow_start(Bytes acknowledged);
  /// Both the window and the threshold.
  void cut_to(Bytes window);

  const WindowParameters& parameters_;
  Bytes window_, threshold_;

 private:
  Bytes half_of(Bytes in_flight) const;

  Bytes counted_;
};

}  // namespace morgana
