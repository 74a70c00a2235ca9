#pragma once

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace morgana {

/// A thread that takes no signals.
template <typename Work>
std::thread quiet_thread(Work work) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(work));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace morgana
