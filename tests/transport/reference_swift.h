#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/congestion/swift.h"

namespace morgana::testing {

/// Algorithm 1 of Swift's paper, line by line and by its names, with the target delay of its section 3.5.
class ReferenceSwift {
 public:
  ReferenceSwift(const SwiftParameters& parameters, Bytes packet)
      : p_(parameters), packet_(packet), cwnd_(parameters.first_window) {}

  void acknowledged(const FlowFeedback& ack) {
    rtt_ = ack.round_trip;
    const double cwnd_prev = cwnd_;
    const bool can_decrease = may_decrease(ack.now);
    retransmit_cnt_ = 0;
    const double target_delay = TargetDelay(ack.hops);
    const auto delay = static_cast<double>(ack.delay.ps());
    const double num_acked = static_cast<double>(ack.returned.count()) / static_cast<double>(packet_.count());
    if (delay < target_delay) {
      if (cwnd_ >= 1)
        cwnd_ = cwnd_ + p_.increase * num_acked / cwnd_;
      else
        cwnd_ = cwnd_ + p_.increase * num_acked;
    } else if (can_decrease) {
      cwnd_ = cwnd_ * std::max(1 - p_.decrease * (delay - target_delay) / delay, 1 - p_.most_decrease);
    }
    finish(ack.now, cwnd_prev);
  }

  void repeats(SimTime now, CongestionControl::Repetition why) {
    const double cwnd_prev = cwnd_;
    const bool can_decrease = may_decrease(now);
    if (why == CongestionControl::Repetition::by_timeout) {
      ++retransmit_cnt_;
      if (retransmit_cnt_ >= p_.timeouts_to_least)
        cwnd_ = p_.least_window;
      else if (can_decrease)
        cwnd_ = cwnd_ * (1 - p_.most_decrease);
    } else {
      retransmit_cnt_ = 0;
      if (can_decrease) cwnd_ = cwnd_ * (1 - p_.most_decrease);
    }
    finish(now, cwnd_prev);
  }

  void sent(SimTime now) {
    pacing_delay_ends_ =
        cwnd_ < 1 ? now + SimTime::from_ps(std::llround(static_cast<double>(rtt_.ps()) / cwnd_)) : now;
  }

  double TargetDelay(unsigned hops) const {
    const auto fs_range = static_cast<double>(p_.flow_range.ps());
    const double alpha = fs_range / (1 / std::sqrt(p_.flow_least) - 1 / std::sqrt(p_.flow_most));
    const double beta = -alpha / std::sqrt(p_.flow_most);
    const double of_flows = std::max(0.0, std::min(alpha / std::sqrt(cwnd_) + beta, fs_range));
    return static_cast<double>(p_.base_target.ps()) + hops * static_cast<double>(p_.hop_target.ps()) +
           of_flows;
  }

  double cwnd() const { return cwnd_; }
  SimTime may_send() const { return pacing_delay_ends_; }

 private:
  bool may_decrease(SimTime now) const { return !has_decreased_ || now - t_last_decrease_ >= rtt_; }
  void finish(SimTime now, double cwnd_prev) {
    cwnd_ = std::min(std::max(p_.least_window, cwnd_), p_.most_window);
    if (cwnd_ >= cwnd_prev) return;
    has_decreased_ = true;
    t_last_decrease_ = now;
  }

  SwiftParameters p_;
  Bytes packet_;
  double cwnd_;
  SimTime rtt_, t_last_decrease_, pacing_delay_ends_;
  bool has_decreased_ = false;
  unsigned retransmit_cnt_ = 0;
};

}  // namespace morgana::testing
