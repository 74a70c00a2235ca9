#pragma once

#include <optional>

#include "emulator/transport/congestion/new_reno.h"

namespace morgana {

/// Defaults: RFC 9438.
struct CubicParameters {
  double aggressiveness = 0.4;  ///< C, segments a cubic second, more than 0
  double decrease = 0.7;        ///< beta, more than 0, less than 1
  bool fast_convergence = true;
};

/// CUBIC: RFC 9438 (Ha, Rhee, Xu: CUBIC, 2008). Slow start, first window and rests are NewReno's; windows
/// are counted in segments w = W / S, as doubles, times in seconds. HyStart is not part of it.
///
///   - Congestion avoidance, at an acknowledgement of n bytes at `now` that may grow the window. If no epoch
///     runs, one begins now: w_epoch = w_est = w, and if w < w_max then K = cbrt((w_max - w) / C), otherwise
///     K = 0 and w_max = w. After a timeout, without a loss or mark since, it is the latter in any case. With
///     t = now - the epoch's begin, r the smoothed round trip and cubic(t) = C (t - K)^3 + w_max:
///     - w_est grows by a (n / S) / w, with a = 1 if w_est >= w_prior, else 3 (1 - beta) / (1 + beta);
///     - if cubic(t) < w_est: w = w_est, if that is more than w (the Reno-friendly region); otherwise w grows
///       by (target - w) / w (n / S), with target = cubic(t + r), at least w, at most 1.5 w.
///   (RFC 9438 grows w once an acknowledgement; with n / S it is once a segment, as Linux does, and delayed
///   acknowledgements make it no slower.)
///   - Acknowledgements that may not grow the window: from the first one until one that may, time does not
///     count: the epoch's begin is later by it (RFC 9438, 5.8).
///   - Loss or mark: the epoch ends; w_prior = w; w_max = w (1 + beta) / 2 if w < w_max and fast_convergence,
///     else w; T = W = max(in_flight beta, 2 S).
///   - Timeout: likewise, but W = S; again: the epoch ends, W = S.
/// A rest ends no epoch. w_max and w_prior are 0 at first; W is S w, to whole bytes, downwards, T of
/// in_flight beta likewise.
class Cubic final : public NewReno {
 public:
  /// @param window, parameters  must outlive it
  Cubic(const WindowParameters& window, const CubicParameters& parameters);

  void acknowledged(const Acknowledged& what) override;
  void congested(SimTime now, Bytes in_flight, Congestion why) override;
  void timed_out(SimTime now, Bytes in_flight, bool again) override;
  void recovered(Bytes in_flight) override;
  void rested() override;
  void begin_with(Bytes window) override;

 private:
  double in_segments(Bytes bytes) const;
  Bytes decrease(Bytes in_flight);
  void begin_epoch(SimTime now);
  double cubic(double seconds) const;

  const CubicParameters& cubic_;
  double segments_;                       // w; window_ is its whole bytes
  double most_ = 0, prior_ = 0;           // w_max, w_prior
  double estimate_ = 0, inflection_ = 0;  // w_est, K
  std::optional<SimTime> epoch_;
  std::optional<SimTime> idle_since_;
  bool after_timeout_ = false;
};

}  // namespace morgana
