#pragma once

#include <optional>

#include "emulator/transport/congestion/congestion_control.h"

namespace morgana {

/// Windows are in packets. What has no source is chosen here: Kumar et al. print no full set of values.
struct SwiftParameters {
  SimTime base_target = SimTime::from_ps(25'000'000);  ///< more than 0
  SimTime hop_target = SimTime::from_ps(1'000'000);    ///< hbar: in addition, for each switch on the way
  SimTime flow_range = SimTime::from_ps(40'000'000);   ///< fs_range: the most that small windows add
  double flow_least = 0.1;         ///< fs_min_cwnd: a window that adds fs_range; more than 0
  double flow_most = 100;          ///< fs_max_cwnd: a window that adds nothing; more than fs_min_cwnd
  double increase = 1;             ///< ai: packets a round trip, more than 0
  double decrease = 0.8;           ///< beta: more than 0
  double most_decrease = 0.5;      ///< max_mdf: the share that a decrease takes at most; 0 .. 1, not 1
  double first_window = 10;        ///< more than 0
  double least_window = 0.01;      ///< min_cwnd, more than 0
  double most_window = 256;        ///< max_cwnd, at least min_cwnd
  unsigned timeouts_to_least = 5;  ///< RETX_RESET_THRESHOLD, at least 1
};

/// Swift: Kumar et al., "Swift: Delay is Simple and Effective for Congestion Control in the Datacenter",
/// SIGCOMM 2020, sections 3.1 to 3.5: the window of the fabric. There is none of end hosts: their delays are
/// not part of its input.
///
/// The window w is a double, in packets of the size P that the flow's full packets have on the link; at first
/// w = first_window. r is the round trip that the last acknowledgement has measured, at first 0. All times
/// are doubles in picoseconds.
///
/// Target delay: base_target + hops hop_target + min(max(0, a / sqrt(w) + b), fs_range), with a = fs_range /
/// (1 / sqrt(fs_min_cwnd) - 1 / sqrt(fs_max_cwnd)) and b = -a / sqrt(fs_max_cwnd).
///
/// A decrease is allowed if there was none before, or the last one was at least r ago.
///   - Acknowledgement of n bytes, a = n / P packets: r is set first. The count of timeouts is 0. If delay <
///     target: w grows by ai a / w if w >= 1, otherwise by ai a. Otherwise, if a decrease is allowed: w = w
///     max(1 - beta (delay - target) / delay, 1 - max_mdf).
///   - Repetition after a timeout: the count of timeouts grows by 1. If it is timeouts_to_least or more, w =
///     least_window; otherwise, if a decrease is allowed, w = w (1 - max_mdf).
///   - Repetition for the receiver: the count of timeouts is 0; if a decrease is allowed, w = w (1 -
///     max_mdf).
/// After each of them w is brought into least_window .. most_window. If w is less than before, this was a
/// decrease.
///
/// Pace: if w < 1, the flow's next packet may start r / w after the last one, to the nearest picosecond.
/// Otherwise there is no pace. The window is the whole bytes of w P.
class Swift final : public CongestionControl {
 public:
  /// @param parameters  must outlive it @param line_rate  of the flow's first link @param packet  P, > 0
  Swift(const SwiftParameters& parameters, BitRate line_rate, Bytes packet);

  void sent(SimTime now, Bytes size) override;
  void acknowledged(const FlowFeedback& feedback) override;
  void repeats(SimTime now, Repetition why) override;
  SimTime may_send() const override { return may_send_; }
  BitRate rate(SimTime now) override;
  Bytes window() const override;
  double packets() const { return window_; }
  /// Picoseconds.
  double target(unsigned hops) const;

 private:
  bool may_decrease(SimTime now) const;
  void set_window(double window, SimTime now);

  const SwiftParameters& parameters_;
  double line_rate_, packet_;
  double flow_scale_, flow_offset_;  // a, b
  double window_;
  unsigned timeouts_ = 0;
  SimTime round_trip_;
  std::optional<SimTime> decreased_;
  SimTime may_send_;
};

}  // namespace morgana
