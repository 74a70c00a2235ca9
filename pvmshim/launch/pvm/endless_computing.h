#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "emulator/operations/operation.h"

namespace morgana {

/// Finds out that a program for which everybody waits computes for very long where computing takes no
/// simulated time (ComputeMode::none): it may go on for ever, and then so does the run. What it has computed
/// is its process's own processor time, so a busy machine or a stopped process is not taken for it.
class EndlessComputing {
 public:
  explicit EndlessComputing(std::chrono::nanoseconds longest) : longest_(longest) {}

  /// Everybody waits for the rank. @return whether it has computed for longer; true once in a run
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
