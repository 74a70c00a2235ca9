#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/engine/operation_source.h"
#include "pvmshim/launch/process/signal_effect.h"
#include "pvmshim/pvmd/daemon.h"

namespace morgana {

/// The tasks of a PVM program as the emulator has them, on this machine (LocalTasks) or on several
/// (DistributedTasks): their processes, and the operations that they say. What happens when is decided above
/// (PvmProgram), so that results do not depend on where tasks run.
class RunningTasks : public pvm::TaskLauncher {
 public:
  virtual ~RunningTasks() = default;

  /// The path of the channel that holds the daemon's payloads.
  virtual std::string channel() const = 0;

  // Processes, beside pvm::TaskLauncher.
  /// The task that the user has started: has `morgana`'s own standard input and output.
  /// @throws Error if it can't be started
  virtual pid_t start_first(const std::vector<std::string>& command, Rank rank, pvm::TaskId id) = 0;
  /// The process of the task `from` is that of the task `to` from now on, too.
  virtual void go_on_as(Rank from, Rank to) = 0;
  /// Ends the task's process, if it has not ended yet. @param politely  by SIGTERM, if that ends it
  virtual void end(Rank rank, bool politely) = 0;
  /// How the task's process has ended (as wait(2) gives it), once it has: what it has said comes before.
  virtual std::optional<int> ended(Rank rank) const = 0;
  /// Whether end() has ended it.
  virtual bool was_ended(Rank rank) const = 0;
  /// The machine on which it runs; empty if that is this one for all.
  virtual std::string machine_of(Rank) const { return {}; }
  /// The signals that were sent since this was asked last.
  virtual std::vector<SentSignal> take_sent_signals() = 0;
  /// Waits until the signal has done what it does to the process. @param slept  the task waited for an answer
  /// @throws Interrupted
  virtual void await_effect(const SentSignal& sent, bool slept) = 0;
  /// The programs that could not be started, each with the first reason, for people.
  virtual std::map<std::string, std::string> unstarted() const = 0;

  // Operations.
  /// @return whether the task has said anything that was not taken
  virtual bool take(Rank rank, Operation& operation) = 0;
  virtual void answer(Rank rank, const Answer& answer) = 0;
  virtual void dropped(std::uint64_t payload) = 0;
  /// What the task has computed since its last operation; nothing if it has said something that was not
  /// taken.
  virtual std::optional<SimTime> computed(Rank rank) = 0;
  /// Whether the last that it has said is half an operation.
  virtual bool is_half_said(Rank rank) const = 0;
  /// How many threads any one task has had at once.
  virtual std::uint32_t most_threads() const = 0;
  /// So many tasks more run, or fewer. Only the speed of waking depends on it.
  virtual void running_changes(int by) = 0;

  // Waiting.
  /// Sleeps until any of the tasks has said something, or any has ended, or this has lasted a while; then
  /// looks whether they can go on. @param awaited  without the daemon
  /// @throws Error if none can go on, or if machines are lost
  virtual void wait(std::span<const OperationSource::AwaitedRank> awaited) = 0;
  /// Sleeps until a process has ended, at most so long.
  virtual void pause(std::chrono::nanoseconds longest) = 0;

  // The daemon's payloads.
  /// One of its channel() is sent to the task, or to itself. @return how operations name it
  virtual std::uint64_t leaving(std::uint64_t payload, Rank to) = 0;
  /// An answer names one. @return where it lies in its channel()
  virtual std::uint64_t coming(std::uint64_t payload) = 0;
};

}  // namespace morgana
