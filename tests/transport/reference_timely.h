#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/congestion/timely.h"

namespace morgana::testing {

/// Algorithm 1 of TIMELY's paper, line by line and by its names, for each completion of a segment, and the
/// gaps between segments of its section 4.1. Rates are in bits per second, times in picoseconds.
class ReferenceTimely {
 public:
  ReferenceTimely(const TimelyParameters& parameters, BitRate line_rate)
      : p_(parameters),
        line_rate_(static_cast<double>(line_rate.bits_per_second())),
        rate_(line_rate_),
        segment_(parameters.segment.count()) {}

  /// An acknowledgement: a completion event where a whole segment has come since the last one.
  void acknowledged(const FlowFeedback& ack) {
    if (p_.change == TimelyParameters::Change::round_trip) return in_round_trips(ack);
    if (ack.place < completed_ + segment_) return;
    completed_ = ack.place;
    update(static_cast<double>(ack.round_trip.ps()));
  }

  void sent(SimTime now, Bytes size) {
    if (left_of_segment_ <= 0) {
      segment_begins_ = now;
      left_of_segment_ = segment_;
      sent_of_segment_ = 0;
    }
    left_of_segment_ -= size.count();
    sent_of_segment_ += size.count();
    if (left_of_segment_ > 0)
      next_ = now;
    else
      next_ = segment_begins_ +
              SimTime::from_ps(std::llround(8e12 * static_cast<double>(sent_of_segment_) / rate_));
  }

  double rate() const { return rate_; }
  SimTime may_send() const { return next_; }

 private:
  void update(double new_rtt) {
    if (!has_prev_rtt_) prev_rtt_ = new_rtt;
    has_prev_rtt_ = true;
    const double new_rtt_diff = new_rtt - prev_rtt_;
    prev_rtt_ = new_rtt;
    rtt_diff_ = (1 - p_.gain) * rtt_diff_ + p_.gain * new_rtt_diff;
    const double normalized_gradient = rtt_diff_ / static_cast<double>(p_.least_round_trip.ps());
    if (normalized_gradient < 0)
      ++negative_;
    else
      negative_ = 0;
    rate_ = new_rate(new_rtt, normalized_gradient);
    const auto least = static_cast<double>(p_.least_rate.bits_per_second());
    if (rate_ < least) rate_ = least;
    if (rate_ > line_rate_) rate_ = line_rate_;
  }

  /// With a change each round trip, as the header of Timely says.
  void in_round_trips(const FlowFeedback& ack) {
    const auto rtt = static_cast<double>(ack.round_trip.ps());
    if (ack.place <= round_ends_) return;
    round_ends_ = ack.sent;
    if (!has_prev_rtt_) {
      has_prev_rtt_ = true;
      prev_rtt_ = rtt;
      return;
    }
    rtt_diff_ = (1 - p_.gain) * rtt_diff_ + p_.gain * (rtt - prev_rtt_);
    prev_rtt_ = rtt;
    const double gradient = rtt_diff_ / static_cast<double>(p_.least_round_trip.ps());
    const auto t_low = static_cast<double>(p_.low.ps()), t_high = static_cast<double>(p_.high.ps());
    if (rtt < t_low || (rtt <= t_high && gradient <= 0)) {
      const double n = increases_ < p_.active_after ? 1 : p_.active_steps;
      ++increases_;
      rate_ += n * static_cast<double>(p_.step.bits_per_second());
    } else {
      increases_ = 0;
      rate_ *= rtt > t_high ? 1 - p_.decrease * (1 - t_high / rtt) : 1 - p_.decrease * gradient;
    }
    rate_ = std::min(std::max(rate_, static_cast<double>(p_.least_rate.bits_per_second())), line_rate_);
  }

  double new_rate(double new_rtt, double normalized_gradient) const {
    const auto t_low = static_cast<double>(p_.low.ps()), t_high = static_cast<double>(p_.high.ps()),
               delta = static_cast<double>(p_.step.bits_per_second());
    if (new_rtt < t_low) return rate_ + delta;
    if (new_rtt > t_high) return rate_ * (1 - p_.decrease * (1 - t_high / new_rtt));
    if (normalized_gradient <= 0) {
      const double n = negative_ >= p_.active_after ? p_.active_steps : 1;
      return rate_ + n * delta;
    }
    return rate_ * (1 - p_.decrease * normalized_gradient);
  }

  TimelyParameters p_;
  double line_rate_, rate_;
  std::int64_t segment_, completed_ = 0, left_of_segment_ = 0, sent_of_segment_ = 0;
  SimTime segment_begins_, next_;
  bool has_prev_rtt_ = false;
  double prev_rtt_ = 0, rtt_diff_ = 0;
  unsigned negative_ = 0;
  std::int64_t round_ends_ = 0;
  unsigned increases_ = 0;
};

}  // namespace morgana::testing
