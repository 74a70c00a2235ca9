#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>

#include "pvmshim/channel/channel_memory.h"

namespace morgana {

// Ranks that poll at each other and can't go on until a slower one has come further sleep until then. They
// are woken when the slower one has to sleep itself, or has said something to the emulator, which the others
// must ask then: not sooner, so that a processor changes hands once for as many polls as can be.

/// Looks for a slower rank before this one sleeps for it, as long as that pays: where both have a processor
/// each the other comes sooner than a sleeper is woken; where they have not, looking only keeps it from its
/// processor. So a look that was in vain has the next ones left out, twice as many each time.
class LookOut {
 public:
  /// Looks until the rank of this slot has come to `needed_ps`, or has said more than `said`, about as long
  /// as a sleeper takes to be woken. @return whether it has
  bool sees(const RankSlot& other, std::int64_t needed_ps, std::uint64_t said) {
    if (left_out_ > 0) {
      --left_out_;
      return false;
    }
    const auto begin = std::chrono::steady_clock::now();
    do {
      for (int look = 0; look < looks_between_times; ++look)
        if (other.clock.reached_ps.load(std::memory_order_acquire) >= needed_ps ||
            other.operations.written.load(std::memory_order_acquire) != said) {
          in_vain_ = 1;
          return true;
        }
    } while (std::chrono::steady_clock::now() - begin < longest);
    left_out_ = in_vain_;
    in_vain_ = std::min(2 * in_vain_, most_left_out);
    return false;
  }

 private:
  static constexpr int looks_between_times = 50;
  static constexpr std::chrono::nanoseconds longest = std::chrono::microseconds(10);
  static constexpr std::uint32_t most_left_out = 1024;
  std::uint32_t in_vain_ = 1;   ///< how many to leave out after the next look in vain
  std::uint32_t left_out_ = 0;  ///< how many still to leave out
};

/// Sleeps until the rank of this slot has come to `needed_ps`, or has said more than `said`, at most
/// `patience`.
/// @return whether it has, or may have
inline bool follow(RankSlot& other, std::int64_t needed_ps, std::uint64_t said,
                   std::chrono::nanoseconds patience) {
  const std::int64_t needed = std::max<std::int64_t>(needed_ps, 1);
  const std::uint32_t seen = other.followers_bell.load(std::memory_order_acquire);
  std::int64_t until = other.followed_until_ps.load(std::memory_order_relaxed);
  while ((until == 0 || until > needed) &&
         !other.followed_until_ps.compare_exchange_weak(until, needed, std::memory_order_relaxed)) {
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);  // either we see how far it is, or it that we sleep
  const auto moved = [&] {
    return other.clock.reached_ps.load(std::memory_order_acquire) >= needed ||
           other.operations.written.load(std::memory_order_acquire) != said;
  };
  if (moved()) return true;
  futex_wait(other.followers_bell, seen, patience);
  return other.followers_bell.load(std::memory_order_acquire) != seen || moved();
}

/// Wakes the ranks that sleep for this one's sake, if it has come as far as one of them needs, or has said
/// something. @return whether there were any
inline bool wake_followers(RankSlot& own, bool has_spoken) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  const std::int64_t until = own.followed_until_ps.load(std::memory_order_relaxed);
  if (until == 0) return false;
  if (!has_spoken && until > own.clock.reached_ps.load(std::memory_order_relaxed)) return false;
  own.followed_until_ps.store(0, std::memory_order_relaxed);
  own.followers_bell.fetch_add(1, std::memory_order_release);
  futex_wake(own.followers_bell);
  return true;
}

}  // namespace morgana
