#pragma once

#include <pthread.h>
#include <signal.h>

namespace morgana {

/// While it lives, signals wait: so that a child which is forked meanwhile obeys none by its parent's
/// handlers. The child lets them in by let_in(), when it has said what becomes of each.
class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

  static void let_in() {
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, nullptr);
  }

 private:
  sigset_t before_{};
};

}  // namespace morgana
