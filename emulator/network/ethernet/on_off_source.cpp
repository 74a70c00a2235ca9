#include "emulator/network/ethernet/on_off_source.h"

#include <algorithm>
#include <cstdint>

#include "emulator/core/event_queue.h"

namespace morgana::ethernet {

OnOffSource::OnOffSource(const RandomStream& random, SimTime interval, SimTime mean_on, double on_share)
    : interval_(interval),
      mean_on_(mean_on),
      mean_off_(SimTime::from_seconds(
          std::min(mean_on.seconds() * (1 - on_share) / on_share, EventQueue::latest.seconds()))),
      always_on_(on_share >= 1),
      random_(random) {
  const bool on = always_on_ || random_.chance(on_share);
  until_next_ =
      SimTime::from_ps(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(interval.ps()))));
  if (!on) at_ = random_.exponential(mean_off_);
  on_until_ = always_on_ ? SimTime::max() : std::min(at_ + random_.exponential(mean_on_), EventQueue::latest);
}

// Each of the times that are added lies before the end of simulated time, so that no sum overflows; once it
// has come to that end, the source offers nothing any more that counts.
SimTime OnOffSource::next() {
  constexpr SimTime end = EventQueue::latest;
  while (at_ < end && at_ + until_next_ >= on_until_) {
    until_next_ -= on_until_ - at_;
    at_ = std::min(on_until_ + random_.exponential(mean_off_), end);
    on_until_ = std::min(at_ + random_.exponential(mean_on_), end);
  }
  if (at_ >= end) return SimTime::max();
  at_ += until_next_;
  until_next_ = interval_;
  return at_;
}

}  // namespace morgana::ethernet
