#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "emulator/core/error.h"
#include "pvmshim/launch/process/interrupt.h"

namespace morgana {

/// A process that outlives this one, however this one ends, long enough to end what carries a mark in its
/// environment: a PVM program's tasks end with this process by themselves, but what they have forked does
/// not. What executes something else without the mark is not found.
class TaskGuard {
 public:
  /// @param mark  "NAME=value"; no other processes may carry it
  /// @throws Error if it can't be started
  explicit TaskGuard(const std::string& mark);
  /// Ends what carries the mark, and the guard.
  ~TaskGuard();
  TaskGuard(const TaskGuard&) = delete;
  TaskGuard& operator=(const TaskGuard&) = delete;

 private:
  pid_t process_ = 0;
  std::optional<HelperProcess> helper_;
  int lifeline_ = -1;
};

}  // namespace morgana
