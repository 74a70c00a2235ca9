#include "emulator/network/ethernet/on_off_source.h"

#include <cstdint>

namespace morgana::ethernet {

OnOffSource::OnOffSource(const RandomStream& random, SimTime interval, SimTime mean_on, double on_share)
    : interval_(interval),
      mean_on_(mean_on),
      mean_off_(SimTime::from_seconds(mean_on.seconds() * (1 - on_share) / on_share)),
      always_on_(on_share >= 1),
      random_(random) {
  const bool on = always_on_ || random_.chance(on_share);
  until_next_ =
      SimTime::from_ps(static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(interval.ps()))));
  if (!on) at_ = random_.exponential(mean_off_);
  on_until_ = always_on_ ? SimTime::max() : at_ + random_.exponential(mean_on_);
}

SimTime OnOffSource::next() {
  while (at_ + until_next_ >= on_until_) {
    until_next_ -= on_until_ - at_;
    at_ = on_until_ + random_.exponential(mean_off_);
    on_until_ = at_ + random_.exponential(mean_on_);
  }
  at_ += until_next_;
  until_next_ = interval_;
  return at_;
}

}  // namespace morgana::ethernet
