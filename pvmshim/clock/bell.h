#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace morgana {

/// Where a thread sleeps until another one rings. No ring is lost: a sleeper reads heard() before it looks
/// whether it has to sleep. Ringing and sleeping need no lock, so both may be left by a jump out of a
/// signal's handler, and a handler may ring.
class Bell {
 public:
  /// How often it was rung.
  std::uint32_t heard() const { return rings_.load(); }
  /// Wakes all sleepers.
  void ring();
  /// As ring(), where the sleepers will ask for a lock that the caller holds: they are woken when that has
  /// been given back. @return what wake_at() is to be given then; null: nobody sleeps
  const void* ring_under_lock();
  /// Wakes the sleepers of a bell that was rung. It may be gone.
  static void wake_at(const void* place);
  /// Sleeps until it is rung once more than `heard`, whatever handlers run meanwhile.
  void wait(std::uint32_t heard);
  /// Sleeps until it is rung once more than `heard`. @return false if a signal's handler has run instead,
  /// also one with SA_RESTART
  bool wait_or_handle(std::uint32_t heard);
  /// Sleeps until it is rung once more than `heard`, a signal's handler has run, or `longest` is over.
  void wait(std::uint32_t heard, std::chrono::nanoseconds longest);

 private:
  std::atomic<std::uint32_t> rings_{0};
  std::atomic<std::uint32_t> sleepers_{0};  ///< or more: who jumps away stays counted
};

}  // namespace morgana
