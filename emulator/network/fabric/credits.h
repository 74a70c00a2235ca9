#pragma once

#include <array>
#include <cassert>
#include <cstdint>
#include <utility>

#include "emulator/core/pool.h"
#include "emulator/core/ring_queue.h"
#include "emulator/core/time.h"

namespace morgana::fabric {

/// Units of a buffer that come back to a sender.
struct ComingCredits {
  SimTime at = SimTime::max();
  std::uint32_t units = 0;
};
/// What comes back to senders that already note as much as they can themselves. Each has a queue, by time.
using LaterCredits = Pool<RingQueue<ComingCredits>>;

/// The units of a buffer that a sender knows to be free, for one virtual channel of one channel. What comes
/// back is noted as soon as its time is known, which is before that time; it counts from then on. As few
/// packets are on their way on most cables, all of it stands in half a cache line, but for long cables.
class Credits {
 public:
  /// More than this count as this many: so much is never under way.
  static constexpr std::int64_t most = 0x7fff'ffff;
  explicit Credits(std::int64_t units = 0) : free_(static_cast<std::int32_t>(units < most ? units : most)) {}

  /// @param now  never before an earlier call's
  std::int64_t free(SimTime now, LaterCredits& later) {
    while (at_[0] <= now) take_first(later);
    return free_;
  }
  /// Units that free() has reported.
  void take(std::uint32_t units) {
    free_ -= static_cast<std::int32_t>(units);
    assert(free_ >= 0);
  }
  void give(SimTime at, std::uint32_t units, LaterCredits& later) {
    if (at_[1] != SimTime::max()) {
      if (at >= at_[1]) return give_later({at, units}, later);
      give_later({at_[1], units_[1]}, later);
    }
    const bool first = at < at_[0];
    at_[1] = first ? at_[0] : at;
    units_[1] = first ? units_[0] : units;
    if (first) {
      at_[0] = at;
      units_[0] = units;
    }
  }
  /// When there will be this many, if no more are given and none taken; SimTime::max() if that is not known.
  SimTime when(std::int64_t units, SimTime now, LaterCredits& later) {
    std::int64_t free_then = free(now, later);
    return free_then >= units ? now : when_enough(free_then, units, later);
  }

 private:
  SimTime when_enough(std::int64_t free_then, std::int64_t units, const LaterCredits& later) const {
    for (std::size_t i = 0; i < at_.size(); ++i) {
      free_then += units_[i];
      if (free_then >= units) return at_[i];
    }
    for (std::size_t i = 0; later_ != none && i < later[later_].size(); ++i) {
      free_then += later[later_][i].units;
      if (free_then >= units) return later[later_][i].at;
    }
    return SimTime::max();
  }
  void take_first(LaterCredits& later) {
    free_ += static_cast<std::int32_t>(units_[0]);
    at_[0] = at_[1];
    units_[0] = units_[1];
    at_[1] = SimTime::max();
    units_[1] = 0;
    if (later_ == none) return;
    RingQueue<ComingCredits>& queue = later[later_];
    at_[1] = queue.front().at;
    units_[1] = queue.front().units;
    queue.pop_front();
    if (!queue.empty()) return;
    later.give_back(later_);
    later_ = none;
  }
  void give_later(const ComingCredits& coming, LaterCredits& later) {
    if (later_ == none) later_ = later.take();
    RingQueue<ComingCredits>& queue = later[later_];
    queue.push_back(coming);
    for (std::size_t i = queue.size() - 1; i > 0 && queue[i].at < queue[i - 1].at; --i)
      std::swap(queue[i], queue[i - 1]);
  }

  static constexpr LaterCredits::Slot none = ~LaterCredits::Slot{0};
  std::array<SimTime, 2> at_{SimTime::max(), SimTime::max()};  // what comes first, by time
  std::array<std::uint32_t, 2> units_{};                       // likewise
  std::int32_t free_;
  LaterCredits::Slot later_ = none;  // what comes after them; only if there are two
};
static_assert(sizeof(Credits) == 32);

}  // namespace morgana::fabric
