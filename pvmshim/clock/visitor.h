#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace morgana {

/// Which of the program's threads is in the shim, and in how many visits within each other.
class Visitor {
 public:
  bool is_caller() const { return thread_.load(std::memory_order_relaxed) == std::this_thread::get_id(); }
  /// The caller, if there is none. @return false if there is one
  bool try_become() {
    std::thread::id nobody;
    return thread_.compare_exchange_strong(nobody, std::this_thread::get_id(), std::memory_order_acquire);
  }
  /// There is none any more. What it has done comes before what the next one does.
  void leave() { thread_.store(std::thread::id(), std::memory_order_release); }

  // Where threads take turns, which keep them apart.
  void become(int depth) {
    thread_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    depth_ = depth;
  }
  void leave_in_turn() { thread_.store(std::thread::id(), std::memory_order_relaxed); }

  /// How many visits it is in; more than one in a callback.
  int depth() const { return depth_; }
  void set_depth(int depth) { depth_ = depth; }

  /// Visits that have ended, of the program; a visit within another is no other.
  std::uint64_t visits() const { return visits_.load(std::memory_order_relaxed); }
  void count_visit() { visits_.store(visits() + 1, std::memory_order_relaxed); }

  /// Whether it is in a call, where threads do not take turns; else it only reads the clock.
  bool is_in_call() const { return is_in_call_.load(std::memory_order_relaxed); }
  void set_in_call(bool is_in_call) { is_in_call_.store(is_in_call, std::memory_order_relaxed); }

 private:
  std::atomic<std::thread::id> thread_{};  // if any
  std::atomic<bool> is_in_call_{false};
  int depth_ = 0;
  std::atomic<std::uint64_t> visits_{0};
};

}  // namespace morgana
