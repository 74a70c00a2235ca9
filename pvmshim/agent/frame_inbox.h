#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "pvmshim/agent/frame.h"

namespace morgana {

/// What threads that receive leave for the one that acts.
class FrameInbox {
 public:
  void put(Frame frame) {
    {
      const std::lock_guard lock(at_once_mutex_);
      if (at_once_ && at_once_(frame)) return;
    }
    if (frame.kind == FrameKind::quit) is_over_ = true;
    {
      const std::lock_guard lock(mutex_);
      frames_.push_back(std::move(frame));
      ++queued_;
    }
    change();
  }
  void close() {
    closed_ = is_over_ = true;
    change();
  }
  /// Wakes the thread in sleep(), and calls what on_change() was given.
  void change() {
    {
      const std::lock_guard lock(mutex_);
      changed_ = true;
      if (wake_) wake_();
    }
    news_.notify_all();
  }
  /// Called for each change from now on, with a lock held.
  void on_change(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }
  /// What may be done with a frame on the thread that has received it; false: it is for the one that acts.
  /// Called for each frame from now on; has returned when this is called again.
  void at_once(std::function<bool(Frame&)> take) {
    const std::lock_guard lock(at_once_mutex_);
    at_once_ = std::move(take);
  }
  std::vector<Frame> take() {
    const std::lock_guard lock(mutex_);
    changed_ = false;
    return std::exchange(frames_, {});
  }
  /// How many take() has given and will give of what has come so far.
  std::uint64_t queued() {
    const std::lock_guard lock(mutex_);
    return queued_;
  }
  void sleep(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    news_.wait_for(lock, longest, [this] { return changed_ || closed_; });
  }
  bool is_closed() const { return closed_; }
  /// Whether it is closed, or the emulator has said that the run has ended.
  bool is_over() const { return is_over_; }

 private:
  std::mutex at_once_mutex_;
  std::function<bool(Frame&)> at_once_;  ///< with that
  std::mutex mutex_;
  std::condition_variable news_;
  std::vector<Frame> frames_;
  std::uint64_t queued_ = 0;
  std::function<void()> wake_;
  bool changed_ = false;
  std::atomic<bool> closed_{false}, is_over_{false};
};

}  // namespace morgana
