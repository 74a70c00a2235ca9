#include "emulator/transport/congestion/nscc.h"

#include <algorithm>
#include <cmath>

namespace morgana {
namespace {

// What the constants are given for: 100 Gb/s and 12 us.
constexpr double reference_round_trip = 12e6;
constexpr double reference_product = 150'000;
constexpr double byte_at_one_bit = 8e12;

double in_picoseconds(SimTime time) {
  return static_cast<double>(time.ps());
}

double in_bytes(Bytes bytes) {
  return static_cast<double>(bytes.count());
}

SimTime as_time(double picoseconds) {
  return SimTime::from_ps(std::llround(picoseconds));
}

}  // namespace

Nscc::Nscc(const NsccParameters& parameters, BitRate line_rate, Bytes packet, Bytes payload)
    : parameters_(parameters),
      line_rate_(static_cast<double>(line_rate.bits_per_second())),
      packet_(in_bytes(packet)),
      payload_(in_bytes(payload)),
      scale_(line_rate_ / byte_at_one_bit * in_picoseconds(parameters.base_round_trip) / reference_product),
      target_(parameters.target * in_picoseconds(parameters.base_round_trip)),
      base_(in_picoseconds(parameters.base_round_trip)),
      most_window_factor_(parameters.most_window * line_rate_ / byte_at_one_bit),
      window_(most()) {
  bound();
}

void Nscc::bound() {
  window_ = std::max(std::min(window_, most()), packet_);
}

/// @return the packet's delay
double Nscc::take_delay(const FlowFeedback& feedback) {
  if (feedback.round_trip == SimTime()) return average_delay_;
  const double measured = in_picoseconds(feedback.round_trip);
  base_ = std::min(base_, measured);
  const double delay = measured - base_;
  const bool is_old_queue = !feedback.marked && delay > target_;
  average_delay_ += parameters_.delay_gain * ((is_old_queue ? base_ / 4 : delay) - average_delay_);
  return delay;
}

void Nscc::acknowledged(const FlowFeedback& feedback) {
  const double delay = take_delay(feedback), bytes = in_bytes(feedback.returned);
  achieved_ += bytes;
  adjusting_ += bytes;
  ignored_ += bytes;
  if (quick_adapt({feedback.now, feedback.marked, false, delay, feedback.under_way})) return;
  if (!feedback.marked)
    increase(bytes, delay);
  else if (delay >= target_)
    decrease(feedback.now);
  bound();
  adjust(feedback.now);
}

void Nscc::increase(double bytes, double delay) {
  if (delay >= target_) {
    growth_ += parameters_.fair * scale_ * payload_ * bytes;
    return;
  }
  if (delay < in_picoseconds(parameters_.fast_below)) {
    calm_ += bytes;
    grows_fast_ = grows_fast_ || calm_ > window_;
  } else {
    calm_ = 0;
    grows_fast_ = false;
  }
  if (grows_fast_)
    window_ += parameters_.fast * scale_ * bytes;
  else
    growth_ +=
        parameters_.proportional * scale_ * payload_ * bytes * (target_ - delay) / reference_round_trip;
}

void Nscc::decrease(SimTime now) {
  calm_ = 0;
  grows_fast_ = false;
  if (average_delay_ <= target_ || now - decreased_ <= as_time(base_)) return;
  window_ *= std::max(1 - parameters_.decrease * (average_delay_ - target_) / average_delay_,
                      1 - parameters_.most_decrease);
  decreased_ = now;
}

void Nscc::adjust(SimTime now) {
  const SimTime since = now - adjusted_, period = parameters_.base_round_trip;
  if (adjusting_ <= parameters_.adjust_packets * packet_ && since <= period) return;
  window_ += growth_ / window_;
  growth_ = adjusting_ = 0;
  if (since >= period) {
    window_ += parameters_.eta * scale_ * payload_;
    adjusted_ = now;
  }
  bound();
}

void Nscc::trimmed(const TrimFeedback& feedback) {
  const double bytes = in_bytes(feedback.packet);
  if (feedback.round_trip != SimTime()) base_ = std::min(base_, in_picoseconds(feedback.round_trip));
  ignored_ += bytes;
  average_delay_ += parameters_.delay_gain * (in_picoseconds(parameters_.base_round_trip) - average_delay_);
  wants_quick_adapt_ = true;
  if (quick_adapt({feedback.now, true, true, 0, feedback.under_way})) return;
  if (feedback.credited) return;
  window_ -= bytes;
  bound();
}

/// @return whether that is all that the feedback does
bool Nscc::quick_adapt(const Signal& signal) {
  bool is_all = false;
  if (ignored_ < to_ignore_ && signal.marked) {
    is_all = true;
  } else if (!period_end_ || signal.now > *period_end_) {
    const bool is_wanted =
        wants_quick_adapt_ || signal.trimmed || signal.delay > parameters_.quick_adapt_delay * target_;
    if (period_end_ && is_wanted &&
        achieved_ < std::ldexp(most(), -static_cast<int>(parameters_.quick_adapt_gate))) {
      window_ = std::max(achieved_, packet_);
      to_ignore_ = in_bytes(signal.under_way);
      ignored_ = 0;
      wants_quick_adapt_ = false;
      is_all = true;
    }
    achieved_ = 0;
    period_end_ = signal.now + as_time(base_ + target_);
  }
  if (is_all) growth_ = adjusting_ = 0;
  return is_all;
}

void Nscc::repeats(SimTime, Repetition why) {
  if (why != Repetition::by_timeout) return;
  window_ -= packet_;
  bound();
}

BitRate Nscc::rate(SimTime) {
  return BitRate(std::llround(std::min(line_rate_, byte_at_one_bit * window_ / base_)));
}

}  // namespace morgana
