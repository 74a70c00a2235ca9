#include "emulator/transport/congestion/new_reno.h"

#include <algorithm>
#include <limits>

namespace morgana {
namespace {

constexpr Bytes without_end{std::numeric_limits<std::int64_t>::max() / 4};

}  // namespace

NewReno::NewReno(const WindowParameters& parameters)
    : parameters_(parameters),
      window_(parameters.segment * parameters.initial),
      threshold_(parameters.slow_start > 0 ? parameters.segment * parameters.slow_start : without_end) {}

void NewReno::acknowledged(const Acknowledged& what) {
  if (!what.grows) return;
  if (in_slow_start()) return grow_in_slow_start(what.bytes);
  counted_ += what.bytes;
  if (counted_ < window_) return;
  counted_ -= window_;
  window_ += parameters_.segment;
}

void NewReno::grow_in_slow_start(Bytes acknowledged) {
  window_ += std::min(acknowledged, parameters_.segment * parameters_.byte_counting);
}

Bytes NewReno::half_of(Bytes in_flight) const {
  return std::max(Bytes(in_flight.count() / 2), 2 * parameters_.segment);
}

void NewReno::cut_to(Bytes window) {
  window_ = threshold_ = window;
  counted_ = Bytes();
}

void NewReno::congested(SimTime, Bytes in_flight, Congestion) {
  cut_to(half_of(in_flight));
}

void NewReno::timed_out(SimTime, Bytes in_flight, bool again) {
  if (!again) threshold_ = half_of(in_flight);
  window_ = parameters_.segment;
  counted_ = Bytes();
}

void NewReno::recovered(Bytes in_flight) {
  window_ = std::min(threshold_, std::max(in_flight, parameters_.segment) + parameters_.segment);
}

void NewReno::rested() {
  window_ = std::min(window_, parameters_.segment * parameters_.initial);
}

}  // namespace morgana
