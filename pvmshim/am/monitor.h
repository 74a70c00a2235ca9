#pragma once

#include <condition_variable>
#include <mutex>

namespace morgana::am {

/// One thread at a time is in a call of the library, but for those that wait in it or run a handler.
inline std::mutex monitor;

/// For as long as a call lasts. Calls do not contain each other.
class Inside {
  std::lock_guard<std::mutex> lock_{monitor};
};

/// While it lives, within a call, other threads may call. What belongs to the library must not be used.
class Outside {
 public:
  Outside() { monitor.unlock(); }
  ~Outside() { monitor.lock(); }
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;
};

/// Within a call: sleeps, outside, until `semaphore` is posted, or without a reason.
inline void sleep_on(std::condition_variable& semaphore) {
  std::unique_lock lock(monitor, std::adopt_lock);
  semaphore.wait(lock);
  static_cast<void>(lock.release());
}

}  // namespace morgana::am
