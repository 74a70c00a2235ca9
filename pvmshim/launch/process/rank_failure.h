#pragma once

#include <string>

#include "emulator/core/error.h"

namespace morgana {

/// A program under way has failed: a rank died, ended too early or ended the run on purpose, or what runs the
/// ranks was killed. The sentence names the rank and the cause.
class RankFailed : public Error {
 public:
  RankFailed(const std::string& what, int exit_code) : Error(what), exit_code_(exit_code) {}
  /// What `morgana` returns: never 0.
  int exit_code() const { return exit_code_; }

 private:
  int exit_code_;
};

/// Of a process that ended too early, by its status as wait(2) gives it: its own exit code, 128 + the signal
/// that ended it, or 1 if it claims that all was well.
int exit_code_of(int status);
/// Of MPI_Abort: its code as far as a process can return it; 1 for one that would claim that all was well.
int exit_code_of_abort(int code);

}  // namespace morgana
