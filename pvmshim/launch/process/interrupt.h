#pragma once

#include <sys/types.h>

#include <stdexcept>
#include <string>

namespace morgana {

/// The user wants the run to end (Ctrl-C, or a polite kill). The command turns it into exit code 128 +
/// signal.
class Interrupted : public std::runtime_error {
 public:
  /// @param more  said behind the signal's name
  explicit Interrupted(int signal, const std::string& more = "");
  int signal() const { return signal_; }

 private:
  int signal_;
};

/// From now on SIGINT, SIGTERM and SIGHUP are noted instead of ending the process, so that what it has
/// started can be ended first. What waits obeys by throw_if_interrupted(). What computes, or waits in someone
/// else's code, need not ask: if nothing has obeyed a tenth of a second later, the process ends where it is,
/// with the same message and exit code, when the helpers (HelperProcess) have done their work and what it has
/// half made is removed (UnfinishedPath). A signal that comes more than two seconds later ends it at once.
///
/// Once, by the main thread, before others start; these block the signals.
void install_signal_handlers();

/// The signal that was noted, or 0.
int interrupted();
/// @throws Interrupted if a signal was noted. LiveProgram does so in all that waits.
void throw_if_interrupted();

/// This process is a worker of one that obeys, too, and says so: should it end where it is, it says nothing.
void leave_message_to_parent();

/// A line that is being rewritten on the terminal (a progress bar) is to be wiped off before the message.
void wipe_line_when_interrupted(bool wipe);

/// A child of this process that cleans up and ends when a pipe to it is closed: registered, so that a process
/// which ends where it is waits for it. The last that was registered is ended first.
class HelperProcess {
 public:
  /// What becomes of one that takes long: it is waited for as long as it may need (the guardian of a
  /// program's processes), or, since it may wait for another process (a reader of output), killed.
  enum class Patience { long_enough, short_then_killed };
  /// @param lifeline  the pipe's end
  HelperProcess(pid_t process, int lifeline, Patience patience);
  ~HelperProcess();
  HelperProcess(const HelperProcess&) = delete;
  HelperProcess& operator=(const HelperProcess&) = delete;

 private:
  int place_;
};

}  // namespace morgana
