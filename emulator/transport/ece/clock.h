#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/core/time.h"

namespace morgana::ece {

/// A host's clock, which starts at zero with simulated time and gains or loses the same in every second.
class HostClock {
 public:
  /// @param gain  in a second of simulated time; less than a second, may be negative
  explicit HostClock(SimTime gain = SimTime()) : gain_(gain.ps()) {}
  /// The clock of one of several hosts, of which the first's loses most and the last's gains most.
  static HostClock of(std::size_t host, std::size_t hosts, SimTime most) {
    if (hosts < 2) return HostClock();
    const auto steps = static_cast<std::int64_t>(hosts - 1);
    return HostClock(SimTime::from_ps((2 * static_cast<std::int64_t>(host) - steps) * most.ps() / steps));
  }

  /// What it shows.
  SimTime at(SimTime time) const { return time + scaled(time, gain_, second); }
  /// When it first shows that, or more.
  SimTime when(SimTime shown) const {
    SimTime time = shown - scaled(shown, gain_, second + gain_) - SimTime::from_ps(2);  // roundings
    while (at(time) < shown) time += SimTime::from_ps(1);
    return time;
  }

 private:
  static constexpr std::int64_t second = 1'000'000'000'000;
  static SimTime scaled(SimTime time, std::int64_t factor, std::int64_t divisor) {
    if (factor == 0) return SimTime();
    __extension__ using Wide = __int128;
    return SimTime::from_ps(static_cast<std::int64_t>(Wide{time.ps()} * factor / divisor));
  }

  std::int64_t gain_;  // ps a second
};

/// What a receiver takes for its sender's time: its own clock, set by the times that the sender sends.
class SenderTime {
 public:
  /// Both agree when the connections are set up.
  SenderTime(HostClock receiver, HostClock sender, SimTime now)
      : receiver_(receiver), ahead_(sender.at(now) - receiver.at(now)) {}

  SimTime at(SimTime time) const { return receiver_.at(time) + ahead_; }
  SimTime when(SimTime shown) const { return receiver_.when(shown - ahead_); }
  /// The sender's clock shows `shown` now.
  void set(SimTime now, SimTime shown) { ahead_ = shown - receiver_.at(now); }

 private:
  HostClock receiver_;
  SimTime ahead_;
};

}  // namespace morgana::ece
