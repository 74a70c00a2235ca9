#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>

#include "runs/figures.h"

namespace morgana {

/// The word for a run in which a protocol gave messages up because it can't carry the load.
inline constexpr const char* unstable_run = "unstable";

/// How a run ended: "finished", "deadlock", "unstable", or "exit N" of a program that failed.
struct RunOutcome {
  std::string word = "finished";
  Figures figures;  ///< none of a run that did not finish
  bool finished() const { return word == "finished"; }
};

/// One run to be made.
struct Job {
  std::string name;                    ///< for messages and the progress bar
  std::function<RunOutcome()> action;  ///< in a process of its own
};

/// Makes runs side by side, each in a child process, so that runs share nothing and one that crashes is only
/// that. However this process ends, they end too.
class Runner {
 public:
  /// @param side_by_side  runs at a time, > 0
  explicit Runner(std::size_t side_by_side) : side_by_side_(side_by_side) {}
  /// What a job prints on standard output is dropped.
  /// @param ended  called for each job in the order in which they end, with its index
  /// @param idle  called a few times a second in between, with the index of the oldest job that runs
  /// @throws Error of a job that throws, with the job's name before it; Interrupted. All others are ended.
  void run(std::span<const Job> jobs, const std::function<void(std::size_t, const RunOutcome&)>& ended,
           const std::function<void(std::size_t)>& idle = {}) const;

 private:
  std::size_t side_by_side_;
};

/// As many as this machine has processors.
std::size_t processors_here();

}  // namespace morgana
