#include "emulator/transport/congestion/cubic.h"

#include <algorithm>
#include <cmath>

namespace morgana {
namespace {

double in_seconds(SimTime time) {
  return static_cast<double>(time.ps()) * 1e-12;
}

}  // namespace

Cubic::Cubic(const WindowParameters& window, const CubicParameters& parameters)
    : NewReno(window), cubic_(parameters), segments_(in_segments(window_)) {}

double Cubic::in_segments(Bytes bytes) const {
  return static_cast<double>(bytes.count()) / static_cast<double>(parameters_.segment.count());
}

double Cubic::cubic(double seconds) const {
  const double from_inflection = seconds - inflection_;
  return cubic_.aggressiveness * from_inflection * from_inflection * from_inflection + most_;
}

void Cubic::begin_epoch(SimTime now) {
  epoch_ = now;
  estimate_ = segments_;
  if (!after_timeout_ && segments_ < most_) {
    inflection_ = std::cbrt((most_ - segments_) / cubic_.aggressiveness);
  } else {
    inflection_ = 0;
    most_ = segments_;
  }
  after_timeout_ = false;
}

void Cubic::acknowledged(const Acknowledged& what) {
  if (!what.grows) {
    if (!idle_since_) idle_since_ = what.now;
    return;
  }
  if (epoch_ && idle_since_) *epoch_ += what.now - *idle_since_;
  idle_since_.reset();
  if (in_slow_start()) {
    grow_in_slow_start(what.bytes);
    segments_ = in_segments(window_);
    return;
  }
  if (!epoch_) begin_epoch(what.now);
  const double t = in_seconds(what.now - *epoch_), count = in_segments(what.bytes);
  const double friendly = estimate_ >= prior_ ? 1 : 3 * (1 - cubic_.decrease) / (1 + cubic_.decrease);
  estimate_ += friendly * count / segments_;
  if (cubic(t) < estimate_) {
    segments_ = std::max(segments_, estimate_);
  } else {
    const double target = std::clamp(cubic(t + in_seconds(what.round_trip)), segments_, 1.5 * segments_);
    segments_ += (target - segments_) / segments_ * count;
  }
  window_ = Bytes(static_cast<std::int64_t>(segments_ * static_cast<double>(parameters_.segment.count())));
}

/// @return the threshold after it
Bytes Cubic::decrease(Bytes in_flight) {
  epoch_.reset();
  prior_ = segments_;
  const bool sinks = cubic_.fast_convergence && segments_ < most_;
  most_ = sinks ? segments_ * (1 + cubic_.decrease) / 2 : segments_;
  const auto less = static_cast<std::int64_t>(static_cast<double>(in_flight.count()) * cubic_.decrease);
  return std::max(Bytes(less), 2 * parameters_.segment);
}

void Cubic::congested(SimTime, Bytes in_flight, Congestion) {
  cut_to(decrease(in_flight));
  after_timeout_ = false;
  segments_ = in_segments(window_);
}

void Cubic::timed_out(SimTime, Bytes in_flight, bool again) {
  if (!again) threshold_ = decrease(in_flight);
  epoch_.reset();
  after_timeout_ = true;
  begin_with(parameters_.segment);
}

void Cubic::recovered(Bytes in_flight) {
  NewReno::recovered(in_flight);
  segments_ = in_segments(window_);
}

void Cubic::rested() {
  const Bytes before = window_;
  NewReno::rested();
  if (window_ != before) segments_ = in_segments(window_);
}

void Cubic::begin_with(Bytes window) {
  window_ = window;
  segments_ = in_segments(window_);
}

}  // namespace morgana
