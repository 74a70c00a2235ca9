#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace morgana::testing::ece_reference {

/// A host's clock by docs/atm-protocols.md, "Clocks": that of the first host loses so much a second, the last
/// one's gains as much, those of the others lie between, by number. Times are picoseconds; what a clock has
/// gained is rounded towards zero.
class Clock {
 public:
  Clock(std::size_t host, std::size_t hosts, std::int64_t drift)
      : gain_((2 * static_cast<std::int64_t>(host) - static_cast<std::int64_t>(hosts - 1)) * drift /
              static_cast<std::int64_t>(hosts - 1)) {}

  std::int64_t shows(std::int64_t time) const {
    __extension__ using Wide = __int128;
    return time + static_cast<std::int64_t>(Wide{time} * gain_ / 1'000'000'000'000);
  }
  /// The first time at which it shows that, or more: by halving what is in question, as a clock never goes
  /// back.
  std::int64_t first_showing(std::int64_t shown) const {
    std::int64_t before = std::min<std::int64_t>(shown, 0) * 2 - 1,
                 from = std::max<std::int64_t>(shown, 0) * 2;
    while (from - before > 1) {
      const std::int64_t middle = before + (from - before) / 2;
      (shows(middle) >= shown ? from : before) = middle;
    }
    return from;
  }

 private:
  std::int64_t gain_;  ///< in a second
};

/// What a receiver takes for its sender's time: both agree at first; later the sender tells.
class ToldClock {
 public:
  ToldClock(const Clock& own, const Clock& sender, std::int64_t now)
      : own_(own), ahead_(sender.shows(now) - own.shows(now)) {}
  std::int64_t shows(std::int64_t time) const { return own_.shows(time) + ahead_; }
  std::int64_t first_showing(std::int64_t shown) const { return own_.first_showing(shown - ahead_); }
  void is_told(std::int64_t now, std::int64_t senders) { ahead_ = senders - own_.shows(now); }

 private:
  Clock own_;
  std::int64_t ahead_;
};

}  // namespace morgana::testing::ece_reference
