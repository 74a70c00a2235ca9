#include "emulator/transport/congestion/timely.h"

#include <algorithm>
#include <cmath>

namespace morgana {
namespace {

double in_ps(SimTime time) {
  return static_cast<double>(time.ps());
}

double bits(BitRate rate) {
  return static_cast<double>(rate.bits_per_second());
}

}  // namespace

Timely::Timely(const TimelyParameters& parameters, BitRate line_rate)
    : parameters_(parameters), line_rate_(bits(line_rate)), rate_(line_rate_) {}

void Timely::sent(SimTime now, Bytes size) {
  if (segment_ == Bytes()) began_ = now;
  segment_ += size;
  may_send_ = now;
  if (segment_ < parameters_.segment) return;
  constexpr double bit_picoseconds = 8e12;
  may_send_ = began_ +
              SimTime::from_ps(std::llround(bit_picoseconds * static_cast<double>(segment_.count()) / rate_));
  segment_ = Bytes();
}

void Timely::acknowledged(const FlowFeedback& feedback) {
  if (parameters_.change == TimelyParameters::Change::segment) {
    if (feedback.place - completed_ < parameters_.segment.count()) return;
    completed_ = feedback.place;
  } else {
    if (feedback.place <= completed_) return;
    completed_ = feedback.sent;
    if (last_round_trip_ == 0) {
      last_round_trip_ = in_ps(feedback.round_trip);
      return;
    }
  }
  complete(in_ps(feedback.round_trip));
}

void Timely::complete(double round_trip) {
  const double change = last_round_trip_ > 0 ? round_trip - last_round_trip_ : 0;
  last_round_trip_ = round_trip;
  difference_ = (1 - parameters_.gain) * difference_ + parameters_.gain * change;
  const double gradient = difference_ / in_ps(parameters_.least_round_trip);
  const double step = bits(parameters_.step), high = in_ps(parameters_.high);
  const bool low = round_trip < in_ps(parameters_.low);
  const bool grows = low || (round_trip <= high && gradient <= 0);
  bool active = false;
  if (parameters_.change == TimelyParameters::Change::segment) {
    steps_ = gradient < 0 ? steps_ + 1 : 0;
    active = !low && steps_ >= parameters_.active_after;
  } else {
    active = steps_ >= parameters_.active_after;
    steps_ = grows ? steps_ + 1 : 0;
  }
  if (grows)
    rate_ += active ? parameters_.active_steps * step : step;
  else if (round_trip > high)
    rate_ *= 1 - parameters_.decrease * (1 - high / round_trip);
  else
    rate_ *= 1 - parameters_.decrease * gradient;
  rate_ = std::min(std::max(rate_, bits(parameters_.least_rate)), line_rate_);
}

BitRate Timely::rate(SimTime) {
  return BitRate(std::llround(rate_));
}

}  // namespace morgana
