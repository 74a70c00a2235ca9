#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "runs/figures.h"

namespace morgana {

/// The word for a run in which a protocol gave messages up because it can't carry the load.
inline constexpr const char* unstable_run = "unstable";

/// How a run ended: "finished", "deadlock", "unstable", or "exit N" of a program that failed.
struct RunOutcome {
  std::string word = "finished";
  Figures figures;        ///< none of a run that did not finish
  std::string details{};  ///< its other results, in a form that only its maker knows
  bool finished() const { return word == "finished"; }
};

/// One run to be made.
struct Job {
  std::string name;                    ///< for messages and the progress bar
  std::function<RunOutcome()> action;  ///< in a process of its own
  /// Its inputs as text; they must be the same on every machine that makes it.
  std::string about = {};
};

/// Called for each job in the order in which they end, with its index.
using RunEnded = std::function<void(std::size_t, const RunOutcome&)>;
/// Called a few times a second in between, with the index of the oldest job that runs; may be empty.
using RunIdle = std::function<void(std::size_t)>;

/// Processes on several machines that make runs together: each calls run() with the same jobs, in the same
/// order of calls, and is given the outcomes of all.
class RunExchange {
 public:
  virtual ~RunExchange() = default;
  /// @param side_by_side  runs at a time on each machine; none: one after the other, on one machine
  /// @throws Error of a job that throws, or if no worker is left to make them; Interrupted
  virtual void run(std::span<const Job> jobs, std::optional<std::size_t> side_by_side, const RunEnded& ended,
                   const RunIdle& idle) = 0;
  /// Whether this process only makes runs: what comes of them another one writes.
  virtual bool is_worker() const { return false; }
};

/// Makes runs side by side, each in a child process, so that runs share nothing and one that crashes is only
/// that. However this process ends, they end too.
class Runner {
 public:
  /// @param side_by_side  runs at a time, > 0
  /// @param exchange  by which other processes make some of them; may be empty
  explicit Runner(std::size_t side_by_side, std::shared_ptr<RunExchange> exchange = nullptr)
      : side_by_side_(side_by_side), exchange_(std::move(exchange)) {}
  /// One that makes runs one after the other on one machine: those whose CPU time is measured.
  Runner one_at_a_time() const {
    Runner other(1, exchange_);
    other.on_one_machine_ = true;
    return other;
  }
  /// What a job prints on standard output is dropped.
  /// @throws Error of a job that throws, with the job's name before it; Interrupted. All others are ended.
  void run(std::span<const Job> jobs, const RunEnded& ended, const RunIdle& idle = {}) const;

 private:
  std::size_t side_by_side_;
  std::shared_ptr<RunExchange> exchange_;
  bool on_one_machine_ = false;
};

/// As text, of a trace's files that say what it holds: for Job::about, to distinguish other traces of the
/// same name apart.
std::string size_of_trace(const std::filesystem::path& trace);

/// How many processors this process may use.
std::size_t processors_here();

}  // namespace morgana
