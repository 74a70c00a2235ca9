#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <ctime>

namespace morgana {

/// A word in memory that processes share, on which they sleep and wake each other.
using FutexWord = std::atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == sizeof(std::uint32_t) && FutexWord::is_always_lock_free);

/// Sleeps while the word holds `value`, at most `timeout`; may also return early for no reason.
inline void futex_wait(FutexWord& word, std::uint32_t value, std::chrono::nanoseconds timeout) {
  const timespec span{timeout.count() / 1'000'000'000, timeout.count() % 1'000'000'000};
  syscall(SYS_futex, &word, FUTEX_WAIT, value, &span, nullptr, 0);
}

/// Wakes all that sleep on the word.
inline void futex_wake(FutexWord& word) {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace morgana
