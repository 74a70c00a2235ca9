#pragma once

#include <signal.h>

namespace morgana {

/// From now on handlers of signals may run at any time: the program has a timer.
void expect_handlers();

/// While it lives no handler of a signal runs in the calling thread, if any is expected. A handler may leave
/// by a jump, so that what it has interrupted never goes on, and may ask for what that holds.
class WithoutHandlers {
 public:
  WithoutHandlers();
  ~WithoutHandlers();
  WithoutHandlers(const WithoutHandlers&) = delete;
  WithoutHandlers& operator=(const WithoutHandlers&) = delete;

 private:
  sigset_t before_;  ///< if it has blocked them
  bool has_blocked_;
  bool is_outermost_ = false;
};

}  // namespace morgana
