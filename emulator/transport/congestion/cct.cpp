#include "emulator/transport/congestion/cct.h"

#include <algorithm>
#include <cmath>

namespace morgana {
namespace {

constexpr std::uint32_t parts_of_step = 8;

}  // namespace

Cct::Cct(const CctParameters& parameters, BitRate line_rate)
    : parameters_(parameters), line_rate_(line_rate), index_(parameters.least) {}

/// With what the timer has taken from it by now.
std::uint32_t Cct::index(SimTime now) {
  const std::int64_t passed = now.ps() / parameters_.timer.ps();
  const std::int64_t taken =
      std::min<std::int64_t>(passed - timers_, std::int64_t{index_} - parameters_.least);
  index_ -= static_cast<std::uint32_t>(taken);
  timers_ = passed;
  return index_;
}

void Cct::notified(SimTime now) {
  index_ += std::min(parameters_.increase, parameters_.limit - index(now));
}

void Cct::sent(SimTime now, Bytes size) {
  const std::int64_t packet = line_rate_.time_for(size).ps();
  const std::int64_t gap = (packet * index(now) * parameters_.step + parts_of_step / 2) / parts_of_step;
  may_send_ = now + SimTime::from_ps(packet + gap);
}

BitRate Cct::rate(SimTime now) {
  const double times = 1 + static_cast<double>(index(now) * parameters_.step) / parts_of_step;
  return BitRate(
      std::max<std::int64_t>(1, std::llround(static_cast<double>(line_rate_.bits_per_second()) / times)));
}

}  // namespace morgana
