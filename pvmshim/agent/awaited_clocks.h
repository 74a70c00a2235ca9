#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>

#include "emulator/operations/operation.h"

namespace morgana {

/// How far the emulator wants to hear that ranks here have computed.
class AwaitedClocks {
 public:
  using Clock = std::chrono::steady_clock;
  /// The emulator that awaits a rank will soon await one again.
  static constexpr std::chrono::milliseconds hurried_for{20};

  /// @param until  what it has to pass since its last operation
  void await(Rank rank, SimTime until, Clock::time_point now) {
    awaited_[rank] = until;
    hurried_until_ = now + hurried_for;
  }
  /// The rank has sent an operation, which says more than its clock.
  void has_spoken(Rank rank) { awaited_.erase(rank); }
  /// Whether the emulator waits, or has waited not long ago.
  bool is_hurried(Clock::time_point now) const { return !awaited_.empty() || now < hurried_until_; }

  /// Reports, once, those that have come farther.
  /// @param computed  of a rank, std::optional<SimTime>: nothing if it has said something, which comes first
  /// @param missing  how long it takes at least from one simulated time of a rank to another
  /// @param tell  is called with each rank that has, and how far it has come
  /// @return how long it takes at least until there is more to report, at most `longest`
  template <typename Computed, typename Missing, typename Tell>
  std::chrono::nanoseconds report(std::chrono::nanoseconds longest, const Computed& computed,
                                  const Missing& missing, const Tell& tell) {
    std::erase_if(awaited_, [&](const auto& awaited) {
      const std::optional<SimTime> come = computed(awaited.first);
      if (!come) return false;
      // The engine's next event is at that time, and goes first only before what the rank does later.
      if (*come <= awaited.second) {
        longest = std::min<std::chrono::nanoseconds>(longest, missing(awaited.first, *come, awaited.second));
        return false;
      }
      tell(awaited.first, *come);
      return true;
    });
    return longest;
  }

 private:
  std::map<Rank, SimTime> awaited_;
  Clock::time_point hurried_until_{};
};

}  // namespace morgana
