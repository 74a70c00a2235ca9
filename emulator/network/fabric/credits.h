#pragma once

#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/core/time.h"

namespace morgana::fabric {

/// The units of a buffer that a sender knows to be free, for one virtual channel of one channel. What comes
/// back is noted as soon as its time is known, which is before that time; it counts from then on.
class Credits {
 public:
  explicit Credits(std::int64_t units) : free_(units) {}

  /// @param now  never before an earlier call's
  std::int64_t free(SimTime now) {
    while (first_ < coming_.size() && coming_[first_].at <= now) free_ += coming_[first_++].units;
    if (first_ == coming_.size() && first_ > 0) {
      coming_.clear();
      first_ = 0;
    }
    return free_;
  }
  /// Units that free() has reported.
  void take(std::int64_t units) {
    free_ -= units;
    assert(free_ >= 0);
  }
  void give(SimTime at, std::int64_t units) {
    coming_.push_back({at, units});
    for (std::size_t i = coming_.size() - 1; i > first_ && coming_[i].at < coming_[i - 1].at; --i)
      std::swap(coming_[i], coming_[i - 1]);
  }
  /// When there will be this many, if no more are given and none taken; SimTime::max() if that is not known.
  SimTime when(std::int64_t units, SimTime now) {
    std::int64_t free_then = free(now);
    if (free_then >= units) return now;
    for (std::size_t i = first_; i < coming_.size(); ++i) {
      free_then += coming_[i].units;
      if (free_then >= units) return coming_[i].at;
    }
    return SimTime::max();
  }

 private:
  struct Coming {
    SimTime at;
    std::int64_t units;
  };
  std::int64_t free_;
  std::size_t first_ = 0;
  std::vector<Coming> coming_;  // from first_ on, by time
};

}  // namespace morgana::fabric
