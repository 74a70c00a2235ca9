#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/congestion/nscc.h"

namespace morgana::testing {

/// NSCC as its header has it, one quadrant of the two signals after the other.
class ReferenceNscc {
 public:
  ReferenceNscc(const NsccParameters& parameters, BitRate line_rate, Bytes packet, Bytes payload)
      : p_(parameters),
        C_(static_cast<double>(line_rate.bits_per_second()) / 8e12),  // bytes in a picosecond
        P_(static_cast<double>(packet.count())),
        M_(static_cast<double>(payload.count())),
        T_(static_cast<double>(parameters.base_round_trip.ps())),
        R_(T_),
        D_(parameters.target * T_),
        a_(C_ * T_ / (0.0125 * 12e6)) {
    w_ = into_bounds(W());
  }

  void acknowledged(const FlowFeedback& ack) {
    const auto n = static_cast<double>(ack.returned.count());
    const auto now = static_cast<double>(ack.now.ps());
    double d = g_;
    if (ack.round_trip.ps() != 0) {
      const auto r = static_cast<double>(ack.round_trip.ps());
      if (r < R_) R_ = r;
      d = r - R_;
      double x = d;
      if (!ack.marked && d > D_) x = R_ / 4;
      g_ = g_ + p_.delay_gain * (x - g_);
    }
    achieved_ += n;
    adjusting_ += n;
    ignored_ += n;
    if (quick_adapt(now, ack.marked, d, ack.under_way)) return;
    if (!ack.marked && d >= D_) growth_ += p_.fair * a_ * M_ * n;
    if (!ack.marked && d < D_) proportional_increase(d, n);
    if (ack.marked && d >= D_) multiplicative_decrease(now);
    w_ = into_bounds(w_);
    if (adjusting_ > p_.adjust_packets * P_ || now - last_eta_ > T_) {
      w_ += growth_ / w_;
      growth_ = 0;
      adjusting_ = 0;
      if (now - last_eta_ >= T_) {
        w_ += p_.eta * a_ * M_;
        last_eta_ = now;
      }
    }
    w_ = into_bounds(w_);
  }

  void trimmed(const TrimFeedback& nack) {
    const auto n = static_cast<double>(nack.packet.count());
    if (nack.round_trip.ps() != 0) R_ = std::min(R_, static_cast<double>(nack.round_trip.ps()));
    ignored_ += n;
    g_ = g_ + p_.delay_gain * (T_ - g_);
    wanted_ = true;
    if (!quick_adapt(static_cast<double>(nack.now.ps()), true, 0, nack.under_way) && !nack.credited)
      w_ = into_bounds(w_ - n);
  }

  void timeout() { w_ = into_bounds(w_ - P_); }
  double w() const { return w_; }
  double g() const { return g_; }
  unsigned quick_adapts = 0, decreases = 0, fast_increases = 0;  ///< that happened

 private:
  double W() const { return p_.most_window * C_ * R_; }
  double into_bounds(double w) const { return std::max(P_, std::min(w, W())); }

  void proportional_increase(double d, double n) {
    if (d >= static_cast<double>(p_.fast_below.ps())) {
      calm_ = 0;
      is_fast_ = false;
    } else {
      calm_ += n;
      if (calm_ > w_) is_fast_ = true;
    }
    if (is_fast_) {
      w_ += p_.fast * a_ * n;
      ++fast_increases;
    } else {
      growth_ += p_.proportional * a_ * M_ * n * (D_ - d) / 12e6;
    }
  }

  void multiplicative_decrease(double now) {
    calm_ = 0;
    is_fast_ = false;
    if (g_ <= D_) return;
    if (now - last_decrease_ <= std::round(R_)) return;
    w_ = w_ * std::max(1 - p_.decrease * (g_ - D_) / g_, 1 - p_.most_decrease);
    last_decrease_ = now;
    ++decreases;
  }

  bool quick_adapt(double now, bool marked, double d, Bytes under_way) {
    if (marked && ignored_ < to_ignore_) {
      growth_ = adjusting_ = 0;
      return true;
    }
    if (has_period_ && now <= period_end_) return false;
    bool acts = false;
    if (has_period_ && (wanted_ || d > p_.quick_adapt_delay * D_) &&
        achieved_ < W() / std::pow(2, p_.quick_adapt_gate)) {
      w_ = std::max(P_, achieved_);
      to_ignore_ = static_cast<double>(under_way.count());
      ignored_ = 0;
      wanted_ = false;
      growth_ = adjusting_ = 0;
      acts = true;
      ++quick_adapts;
    }
    achieved_ = 0;
    has_period_ = true;
    period_end_ = now + std::round(R_ + D_);
    return acts;
  }

  NsccParameters p_;
  double C_, P_, M_, T_, R_, D_, a_, w_ = 0, g_ = 0;
  double achieved_ = 0, adjusting_ = 0, growth_ = 0, calm_ = 0, ignored_ = 0, to_ignore_ = 0;
  double last_eta_ = 0, last_decrease_ = 0, period_end_ = 0;
  bool is_fast_ = false, wanted_ = false, has_period_ = false;
};

}  // namespace morgana::testing
