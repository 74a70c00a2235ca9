#pragma once

#include <pthread.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>

namespace morgana {

/// A mutex in shared memory. If the process that holds it dies, the next one gets it.
class RobustMutex {
 public:
  /// Once, before any process locks it.
  void initialise() {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex_, &attributes);
    pthread_mutexattr_destroy(&attributes);
  }
  void lock() {
    if (pthread_mutex_lock(&mutex_) == EOWNERDEAD) pthread_mutex_consistent(&mutex_);
  }
  enum class Locked { yes, from_the_dead, not_yet };
  /// @return from_the_dead: it is held now, and the process that held it before has died with it
  Locked lock_within(std::chrono::milliseconds patience) {
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until);
    const std::int64_t ns = until.tv_nsec + std::chrono::nanoseconds(patience).count();
    until.tv_sec += ns / 1'000'000'000;
    until.tv_nsec = ns % 1'000'000'000;
    switch (pthread_mutex_clocklock(&mutex_, CLOCK_MONOTONIC, &until)) {
      case 0:
        return Locked::yes;
      case EOWNERDEAD:
        pthread_mutex_consistent(&mutex_);
        return Locked::from_the_dead;
      default:
        return Locked::not_yet;
    }
  }
  void unlock() { pthread_mutex_unlock(&mutex_); }

 private:
  pthread_mutex_t mutex_;
};

}  // namespace morgana
