#pragma once

#include <optional>

#include "emulator/transport/congestion/congestion_control.h"

namespace morgana {

/// Defaults are those of the Ultra Ethernet Consortium's simulator (htsim).
struct NsccParameters {
  SimTime base_round_trip = SimTime::from_ps(12'000'000);  ///< T: the longest one without queues, more than 0
  double target = 0.75;      ///< D: queueing delay that flows aim at, in T; more than 0
  double most_window = 1.5;  ///< in bandwidth-delay products, more than 0; a flow begins with it
  double proportional = 4;   ///< packets by which a window grows in an empty network, for each a b
  double fair = 5;           ///< packets by which every window grows above the target, for each a
  double eta = 0.15;         ///< packets by which every window grows each adjustment period, for each a
  double fast = 0.25;        ///< share of what is acknowledged that is added where there is no queue
  SimTime fast_below = SimTime::from_ps(1'000'000);  ///< a delay less than this is no queue
  double decrease = 0.8;          ///< gamma: weight of the delay in excess of the target; more than 0
  double most_decrease = 0.5;     ///< the share that a decrease takes at most; 0 .. 1, not 1
  double delay_gain = 0.0125;     ///< of the average delay; more than 0, at most 1
  unsigned quick_adapt_gate = 3;  ///< quick adapt: less than the most window divided by 2 to this has come
  double quick_adapt_delay = 4;   ///< and nothing was trimmed: a delay of so many targets
  unsigned adjust_packets = 8;    ///< what has grown is added after so many packets, or T
};

/// NSCC, network-signalled congestion control: the sender's control of Ultra Ethernet (Ultra Ethernet
/// Specification 1.0, CMS), with the constants of the Consortium's simulator. Two signals: marks
/// (ECN) and the queueing delay, which is the round trip in excess of the base one.
///
/// All values are doubles, times in picoseconds, sizes in bytes on the flow's first link. C is its rate, P
/// the size of a full packet there, M its payload. R is the base round trip: T, or the least round trip that
/// was measured if that is less. D = target T. W = most_window C R. a = C T / (100 Gb/s 12 us). The window w
/// is W at first.
///
/// An acknowledgement of n bytes, whose packet had the round trip r if that was measured:
///   - R = min(R, r). Delay d = r - R, or the average g where r is not measured. If r is measured, g = g + G
///     (x - g), G = delay_gain, with x = R / 4 if the packet was not marked and d > D, otherwise x = d.
///   - The counts "achieved", "adjusting" and "ignored" grow by n.
///   - Quick adapt (below). If it acts or ignores the acknowledgement, nothing else happens.
///   - Not marked, d >= D (fair increase): growth += fair a M n.
///   - Not marked, d < D (proportional increase): if d < fast_below, the count "calm" grows by n, and if it
///     is then more than w, or the last acknowledgement was such a one, w += fast a n and nothing else (fast
///     increase); otherwise, where d >= fast_below, calm = 0. Without fast increase growth += proportional a
///     M n (D - d) / 12 us.
///   - Marked, d >= D (multiplicative decrease): calm = 0 and fast increase ends; if g > D and the last
///     decrease was more than R ago, w = w max(1 - decrease (g - D) / g, 1 - most_decrease).
///   - Marked, d < D: nothing; the sender takes another way.
///   - w is brought into P .. W. If adjusting > adjust_packets P, or the last addition of eta was more than T
///     ago: w += growth / w; growth = 0; adjusting = 0; if the last addition of eta was T ago or more,
///     w += eta a M. w is brought into P .. W.
///
/// A trimmed packet of n bytes, whether its header came marked or not: R = min(R, r) if its round trip r
/// until the NACK was measured; ignored += n; g = g + G (T - g); a quick adapt is wanted. Quick adapt; if it
/// neither acts nor ignores, w = min(W, max(P, w - n)), except where the receiver's credit sees to its link.
///
/// Quick adapt, once in a round trip and a target: if the feedback is marked or of a trimmed packet and
/// ignored < to ignore, it is ignored. Otherwise, if the period has ended (the first one ends at once): if it
/// was not the first, and a quick adapt is wanted, or d > quick_adapt_delay D, and achieved < W / 2^gate:
/// w = max(P, achieved), to ignore = what is under way, ignored = 0, nothing is wanted any more: it acts.
/// achieved = 0, and the next period ends R + D later. Where it acts or ignores, growth and adjusting are 0.
///
/// A timeout: w = max(P, w - P).
class Nscc final : public CongestionControl {
 public:
  /// @param parameters  must outlive it @param line_rate  C @param packet  P @param payload  M
  Nscc(const NsccParameters& parameters, BitRate line_rate, Bytes packet, Bytes payload);

  void sent(SimTime, Bytes) override {}
  void acknowledged(const FlowFeedback& feedback) override;
  void trimmed(const TrimFeedback& feedback) override;
  void repeats(SimTime now, Repetition why) override;
  SimTime may_send() const override { return {}; }
  BitRate rate(SimTime now) override;
  Bytes window() const override { return Bytes(static_cast<std::int64_t>(window_)); }
  double average_delay() const { return average_delay_; }

 private:
  struct Signal {
    SimTime now;
    bool marked = false, trimmed = false;
    double delay = 0;
    Bytes under_way;
  };
  double most() const { return most_window_factor_ * base_; }
  void bound();
  double take_delay(const FlowFeedback& feedback);
  bool quick_adapt(const Signal& signal);
  void increase(double bytes, double delay);
  void decrease(SimTime now);
  void adjust(SimTime now);

  const NsccParameters& parameters_;
  double line_rate_, packet_, payload_;
  double scale_;               // a
  double target_;              // D
  double base_;                // R
  double most_window_factor_;  // W / R
  double window_;
  double average_delay_ = 0;  // g
  double achieved_ = 0, adjusting_ = 0, growth_ = 0, calm_ = 0;
  double ignored_ = 0, to_ignore_ = 0;
  bool grows_fast_ = false, wants_quick_adapt_ = false;
  std::optional<SimTime> period_end_;
  SimTime decreased_, adjusted_;
};

}  // namespace morgana
