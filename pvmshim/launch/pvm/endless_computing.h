#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "emulator/operations/operation.h"

namespace morgana {

/// Detects that a task for which all others wait computes for very long although computing takes no simulated
/// time (ComputeMode::none): the run might never end. The measure is the CPU time of the task's process, so a
/// busy machine or a stopped process does not count.
class EndlessComputing {
 public:
  explicit EndlessComputing(std::chrono::nanoseconds longest) : longest_(longest) {}

  /// All other tasks wait for the rank. @return whether it has computed for longer; true once in a run
  bool look(Rank rank, int process);
  /// The rank has said something.
  void spoke(Rank rank) {
    if (!since_.empty()) since_.erase(rank);
  }

 private:
  std::chrono::nanoseconds longest_;
  std::map<Rank, std::int64_t> since_;  ///< the process's clock at the first look, in nanoseconds
  bool said_ = false;
};

}  // namespace morgana
