#pragma once

#include "emulator/core/random.h"
#include "emulator/core/time.h"

namespace morgana::ethernet {

/// The times at which an ON-OFF source offers frames: on and off for exponential times; while on, a frame an
/// interval. The interval goes on counting where the last time on broke off, so that the mean rate is exactly
/// the share of on-time over the interval. Starts in its steady state.
class OnOffSource {
 public:
  /// @param interval  between frames while on, > 0
  /// @param on_share  of the time that it is on, in (0, 1]
  OnOffSource(const RandomStream& random, SimTime interval, SimTime mean_on, double on_share);
  /// When the next frame is offered; never before the last one. SimTime::max() if that is after the end of
  /// simulated time.
  SimTime next();

 private:
  SimTime interval_, mean_on_, mean_off_;
  bool always_on_;
  RandomStream random_;
  SimTime at_;          // within a time on: all before is done
  SimTime on_until_;    // end of this time on
  SimTime until_next_;  // on-time from at_ to the next frame
};

}  // namespace morgana::ethernet
