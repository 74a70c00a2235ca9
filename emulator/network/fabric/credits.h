#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <memory>
#include <utility>

#include "emulator/core/ring_queue.h"
#include "emulator/core/time.h"

namespace morgana::fabric {

/// The units of a buffer that a sender knows to be free, for one virtual channel of one channel. What comes
/// back is noted as soon as its time is known, which is before that time; it counts from then on. As few
/// packets are on their way on most cables, all of it stands in one cache line, but for long cables.
class alignas(64) Credits {
 public:
  explicit Credits(std::int64_t units) : free_(units) {}

  /// @param now  never before an earlier call's
  std::int64_t free(SimTime now) {
    while (soon_ > 0 && at_[0] <= now) take_first();
    return free_;
  }
  /// Units that free() has reported.
  void take(std::int64_t units) {
    free_ -= units;
    assert(free_ >= 0);
  }
  void give(SimTime at, std::uint32_t units) {
    if (soon_ == few) {
      if (at >= at_[few - 1]) return give_later({at, units});
      give_later({at_[few - 1], units_[few - 1]});
      --soon_;
    }
    std::uint32_t place = soon_++;
    for (; place > 0 && at < at_[place - 1]; --place) {
      at_[place] = at_[place - 1];
      units_[place] = units_[place - 1];
    }
    at_[place] = at;
    units_[place] = units;
  }
  /// When there will be this many, if no more are given and none taken; SimTime::max() if that is not known.
  SimTime when(std::int64_t units, SimTime now) {
    std::int64_t free_then = free(now);
    if (free_then >= units) return now;
    for (std::uint32_t i = 0; i < soon_; ++i) {
      free_then += units_[i];
      if (free_then >= units) return at_[i];
    }
    for (std::size_t i = 0; later_ && i < later_->size(); ++i) {
      free_then += (*later_)[i].units;
      if (free_then >= units) return (*later_)[i].at;
    }
    return SimTime::max();
  }

 private:
  struct Coming {
    SimTime at;
    std::uint32_t units = 0;
  };
  void take_first() {
    free_ += units_[0];
    --soon_;
    for (std::uint32_t i = 0; i < soon_; ++i) {
      at_[i] = at_[i + 1];
      units_[i] = units_[i + 1];
    }
    if (!later_ || later_->empty()) return;
    at_[soon_] = later_->front().at;
    units_[soon_++] = later_->front().units;
    later_->pop_front();
  }
  void give_later(const Coming& coming) {
    if (!later_) later_ = std::make_unique<RingQueue<Coming>>();
    RingQueue<Coming>& later = *later_;
    later.push_back(coming);
    for (std::size_t i = later.size() - 1; i > 0 && later[i].at < later[i - 1].at; --i)
      std::swap(later[i], later[i - 1]);
  }

  static constexpr std::uint32_t few = 3;
  std::int64_t free_;
  std::array<SimTime, few> at_;               // what comes first, by time
  std::array<std::uint32_t, few> units_;      // likewise
  std::uint32_t soon_ = 0;                    // of these
  std::unique_ptr<RingQueue<Coming>> later_;  // what comes after them, by time; only if there are `few`
};
static_assert(sizeof(Credits) == 64);

}  // namespace morgana::fabric
