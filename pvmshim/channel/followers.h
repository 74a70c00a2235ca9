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
