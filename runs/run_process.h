#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "runs/runner.h"

namespace morgana {

// A run's outcome, or why there is none, as sent between processes: one JSON text,
// {"outcome": ..., "figures": {...}, "details": "..."} or {"error": ...}.

std::string text_of(const RunOutcome& outcome);
/// @throws Error with the job's name before what the text gives as an error
RunOutcome outcome_of(const std::string& text, const Job& job);

/// A run in a child process, and what it has reported so far. What it prints on standard output is dropped.
/// Ends the child.
class RunProcess {
 public:
  /// Starts it. @param index  the job's. @throws Error if no process can be started
  RunProcess(std::size_t index, const Job& job);
  ~RunProcess();
  RunProcess(RunProcess&& other) noexcept;
  RunProcess& operator=(RunProcess&& other) noexcept;
  RunProcess(const RunProcess&) = delete;
  RunProcess& operator=(const RunProcess&) = delete;

  void ask_to_end() const;
  std::size_t index() const { return index_; }
  /// Readable when there is something to hear.
  int read_end() const { return read_end_; }
  /// Reads what there is. @return false at the end
  bool listen();
  /// Of a run that has ended: what came of it, as text.
  std::string told();

 private:
  int await();

  std::size_t index_;
  pid_t pid_ = -1;
  int read_end_ = -1;
  std::string told_;
};

/// Waits for news, a fifth of a second at most. @param news  of something else: a descriptor to wait for,
/// too; -1: none
/// @return runs that have ended, the oldest first
std::vector<RunProcess> ended_among(std::vector<RunProcess>& runs, int news = -1);

}  // namespace morgana
