#include "emulator/transport/congestion/swift.h"

#include <algorithm>
#include <cmath>

namespace morgana {
namespace {

double picoseconds(SimTime time) {
  return static_cast<double>(time.ps());
}

}  // namespace

Swift::Swift(const SwiftParameters& parameters, BitRate line_rate, Bytes packet)
    : parameters_(parameters),
      line_rate_(static_cast<double>(line_rate.bits_per_second())),
      packet_(static_cast<double>(packet.count())),
      flow_scale_(picoseconds(parameters.flow_range) /
                  (1 / std::sqrt(parameters.flow_least) - 1 / std::sqrt(parameters.flow_most))),
      flow_offset_(-flow_scale_ / std::sqrt(parameters.flow_most)),
      window_(parameters.first_window) {}

double Swift::target(unsigned hops) const {
  const double of_flows =
      std::clamp(flow_scale_ / std::sqrt(window_) + flow_offset_, 0.0, picoseconds(parameters_.flow_range));
  return picoseconds(parameters_.base_target) + hops * picoseconds(parameters_.hop_target) + of_flows;
}

void Swift::sent(SimTime now, Bytes) {
  may_send_ = window_ < 1 ? now + SimTime::from_ps(std::llround(picoseconds(round_trip_) / window_)) : now;
}

void Swift::acknowledged(const FlowFeedback& feedback) {
  round_trip_ = feedback.round_trip;
  timeouts_ = 0;
  const double delay = picoseconds(feedback.delay), wanted = target(feedback.hops);
  double window = window_;
  if (delay < wanted) {
    const double packets = static_cast<double>(feedback.returned.count()) / packet_;
    window += window >= 1 ? parameters_.increase * packets / window : parameters_.increase * packets;
  } else if (may_decrease(feedback.now)) {
    window *= std::max(1 - parameters_.decrease * (delay - wanted) / delay, 1 - parameters_.most_decrease);
  }
  set_window(window, feedback.now);
}

void Swift::repeats(SimTime now, Repetition why) {
  timeouts_ = why == Repetition::by_timeout ? timeouts_ + 1 : 0;
  if (timeouts_ >= parameters_.timeouts_to_least) return set_window(parameters_.least_window, now);
  if (may_decrease(now)) set_window(window_ * (1 - parameters_.most_decrease), now);
}

bool Swift::may_decrease(SimTime now) const {
  return !decreased_ || now - *decreased_ >= round_trip_;
}

void Swift::set_window(double window, SimTime now) {
  const double before = window_;
  window_ = std::clamp(window, parameters_.least_window, parameters_.most_window);
  if (window_ < before) decreased_ = now;
}

BitRate Swift::rate(SimTime) {
  if (round_trip_ == SimTime()) return BitRate(std::llround(line_rate_));
  constexpr double bit_picoseconds = 8e12;
  return BitRate(
      std::llround(std::min(line_rate_, bit_picoseconds * window_ * packet_ / picoseconds(round_trip_))));
}

Bytes Swift::window() const {
  return Bytes(static_cast<std::int64_t>(window_ * packet_));
}

}  // namespace morgana
