#pragma once

#include "emulator/transport/congestion/congestion_control.h"

namespace morgana {

/// Defaults are those of the paper's tests at 10 Gb/s, as Zhu et al. ("ECN or Delay", CoNEXT 2016) list them,
/// but for least_rate, which is chosen.
struct TimelyParameters {
  /// When the rate changes.
  enum class Change : std::uint8_t {
    segment,    ///< with each completed segment (the paper)
    round_trip  ///< once a round trip, as in the ns-3 program of Li et al. (HPCC, SIGCOMM 2019)
  };
  Change change = Change::segment;
  Bytes segment{16'384};                                    ///< on the link, more than 0
  SimTime low = SimTime::from_ps(50'000'000);               ///< T_low
  SimTime high = SimTime::from_ps(500'000'000);             ///< T_high, more than 0, at least T_low
  SimTime least_round_trip = SimTime::from_ps(20'000'000);  ///< minRTT, more than 0
  BitRate step{10'000'000};                                 ///< delta (addstep), more than 0
  double decrease = 0.8;                                    ///< beta, more than 0, at most 1
  double gain = 0.875;                                      ///< alpha, more than 0, at most 1
  unsigned active_after =
      5;  ///< completions with a negative gradient before hyperactive increase; at least 1
  unsigned active_steps = 5;       ///< N: steps of hyperactive increase, at least 1
  BitRate least_rate{10'000'000};  ///< more than 0
};

/// TIMELY: Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, section 4
/// and Algorithm 1.
///
/// Rates are doubles in bits per second, times doubles in picoseconds. C is the line rate; the rate R is C at
/// first, and always within least_rate .. C.
///
/// Completion: an acknowledgement whose place is a segment or more beyond that of the last completion (at
/// first 0). Its round trip is r. All other acknowledgements do nothing.
///   1. d = (1 - alpha) d + alpha (r - p), p being r of the completion before, or r itself at the first; d is
///      0 at first. The gradient is g = d / minRTT. n grows by 1 if g < 0, otherwise n = 0.
///   2. r < T_low: R grows by delta. Otherwise r > T_high: R = R (1 - beta (1 - T_high / r)). Otherwise g <=
///      0: R grows by delta, or by N delta if n is active_after or more. Otherwise R = R (1 - beta g).
/// With a change each round trip a completion is an acknowledgement whose place is beyond what had been sent
/// at the last completion (at first 0); the first one changes nothing. n grows by 1 with each growth of R, by
/// either rule, and is 0 after a decrease; R grows by N delta if n was active_after or more before, also
/// below T_low. Losses and marks change nothing.
///
/// Pace: the packets of a segment go back to back. A segment ends with the packet that brings its bytes on
/// the link to `segment` or more, S in all; if it has begun at b, the next one may begin 8 S / R after b, to
/// the nearest picosecond, R being the rate when its last packet starts.
///
/// The paper does not say what becomes of rates below 0 or above the line's: they are brought into the range.
/// Its RTT leaves out the time that the segment takes on the line, and is that of its last packet here.
class Timely final : public CongestionControl {
 public:
  /// @param parameters  must outlive it @param line_rate  C, of the flow's first link
  Timely(const TimelyParameters& parameters, BitRate line_rate);

  void sent(SimTime now, Bytes size) override;
  void acknowledged(const FlowFeedback& feedback) override;
  SimTime may_send() const override { return may_send_; }
  BitRate rate(SimTime now) override;
  double bits_per_second() const { return rate_; }

 private:
  void complete(double round_trip);

  const TimelyParameters& parameters_;
  double line_rate_, rate_;
  std::int64_t completed_ = 0;  // place of the last completion
  double last_round_trip_ = 0;  // of the last completion; 0: there was none
  double difference_ = 0;       // d
  unsigned steps_ = 0;          // n
  Bytes segment_{};             // sent of the segment that has begun
  SimTime began_, may_send_;
};

}  // namespace morgana
