#include "emulator/transport/tcp/round_trip.h"

namespace morgana::tcp {

void RoundTrip::sample(SimTime took) {
  if (!measured_) {
    measured_ = true;
    smoothed_ = took;
    variation_ = SimTime::from_ps(took.ps() / 2);
  } else {
    const SimTime off = smoothed_ > took ? smoothed_ - took : took - smoothed_;
    variation_ = SimTime::from_ps((3 * variation_.ps() + off.ps()) / 4);
    smoothed_ = SimTime::from_ps((7 * smoothed_.ps() + took.ps()) / 8);
  }
  timeout_ = std::clamp(smoothed_ + 4 * variation_, least_, most_);
}

}  // namespace morgana::tcp
