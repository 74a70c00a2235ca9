#include "emulator/transport/congestion/hpcc.h"

#include <algorithm>
#include <cmath>

namespace morgana {
namespace {

constexpr double bit_picoseconds = 8e12;  // of a byte a second

double count(Bytes bytes) {
  return static_cast<double>(bytes.count());
}

}  // namespace

Hpcc::Hpcc(const HpccParameters& parameters, BitRate line_rate)
    : parameters_(parameters),
      initial_(static_cast<double>(line_rate.bits_per_second()) *
               static_cast<double>(parameters.base_round_trip.ps()) / bit_picoseconds),
      increase_(initial_ * (1 - parameters.utilization) / static_cast<double>(parameters.flows)),
      least_(std::min(initial_, static_cast<double>(parameters.least_rate.bits_per_second()) *
                                    static_cast<double>(parameters.base_round_trip.ps()) / bit_picoseconds)),
      window_(initial_),
      reference_(initial_) {}

void Hpcc::sent(SimTime now, Bytes size) {
  may_send_ = now + SimTime::from_ps(std::llround(
                        count(size) * static_cast<double>(parameters_.base_round_trip.ps()) / window_));
}

BitRate Hpcc::rate(SimTime) {
  return BitRate(
      std::llround(bit_picoseconds * window_ / static_cast<double>(parameters_.base_round_trip.ps())));
}

void Hpcc::acknowledged(const FlowFeedback& feedback) {
  if (feedback.ports.empty()) return;
  if (is_another_way(feedback.ports)) {
    updated_at_ = feedback.sent;
  } else {
    measure(feedback.ports);
    const bool is_reference = feedback.place > updated_at_;
    compute_window(is_reference);
    if (is_reference) updated_at_ = feedback.sent;
  }
  last_ports_.assign(feedback.ports.begin(), feedback.ports.end());
}

bool Hpcc::is_another_way(std::span<const PortTelemetry> ports) const {
  return !std::equal(ports.begin(), ports.end(), last_ports_.begin(), last_ports_.end(),
                     [](const PortTelemetry& now, const PortTelemetry& last) {
                       return now.port == last.port && now.at > last.at;
                     });
}

void Hpcc::measure(std::span<const PortTelemetry> ports) {
  const auto base = static_cast<double>(parameters_.base_round_trip.ps());
  double greatest = 0, period = 0;
  for (std::size_t place = 0; place < ports.size(); ++place) {
    const PortTelemetry& now = ports[place];
    const PortTelemetry& last = last_ports_[place];
    const auto rate = static_cast<double>(now.rate.bits_per_second());
    const auto since = static_cast<double>((now.at - last.at).ps());
    const double used = bit_picoseconds * count(std::min(now.queue, last.queue)) / (rate * base) +
                        bit_picoseconds * count(now.sent - last.sent) / since / rate;
    if (used <= greatest) continue;
    greatest = used;
    period = std::min(since, base);
  }
  utilization_ = (1 - period / base) * utilization_ + period / base * greatest;
}

void Hpcc::compute_window(bool is_reference) {
  if (utilization_ >= parameters_.utilization || stage_ >= parameters_.stages) {
    window_ = reference_ / (utilization_ / parameters_.utilization) + increase_;
    if (is_reference) stage_ = 0;
  } else {
    window_ = reference_ + increase_;
    if (is_reference) ++stage_;
  }
  window_ = std::clamp(window_, least_, initial_);
  if (is_reference) reference_ = window_;
}

}  // namespace morgana
