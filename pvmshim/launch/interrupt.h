#pragma once

#include <stdexcept>

namespace morgana {

/// The user wants the run to end (Ctrl-C, or a polite kill). The command turns it into exit code 128 +
/// signal.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(int signal);
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the process, so that what it has
/// started can be ended first; one that comes more than two seconds later ends it at once (ranks notice and
/// end too).
void install_signal_handlers();

/// The signal that was noted, or 0.
int interrupted();
/// @throws Interrupted if a signal was noted. LiveProgram does so in all that waits.
void throw_if_interrupted();

}  // namespace morgana
