#pragma once

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <string_view>

namespace morgana {

/// A file to which a task has the output of others go.
class OutputTaker {
 public:
  /// How long output waits for the task to read on.
  static constexpr std::chrono::milliseconds patience{2000};

  /// @param descriptor  nonblocking, of this process; this object's from now on
  explicit OutputTaker(int descriptor) : descriptor_(descriptor) {}
  ~OutputTaker() { close(descriptor_); }
  OutputTaker(const OutputTaker&) = delete;
  OutputTaker& operator=(const OutputTaker&) = delete;

  /// Whole lines. What there is no space for within the patience is lost, and later ones wait no more until
  /// there is space again. From any thread; it must hold nothing that others wait for.
  void write(std::string_view lines) {
    const std::lock_guard lock(mutex_);
    while (!lines.empty()) {
      const ssize_t count = ::write(descriptor_, lines.data(), lines.size());
      if (count > 0) {
        lines.remove_prefix(static_cast<std::size_t>(count));
        is_full_ = false;
      } else if (count == 0 || (errno != EINTR && (errno != EAGAIN || is_full_))) {
        return;
      } else if (errno == EAGAIN) {
        pollfd room{descriptor_, POLLOUT, 0};
        is_full_ = poll(&room, 1, static_cast<int>(patience.count())) <= 0;
      }
    }
  }

 private:
  int descriptor_;
  std::mutex mutex_;      ///< lines of several threads stay whole
  bool is_full_ = false;  ///< since the patience was over
};

}  // namespace morgana
