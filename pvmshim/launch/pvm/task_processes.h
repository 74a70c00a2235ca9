#pragma once

#include <sys/types.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/launch/process/signal_effect.h"
#include "pvmshim/launch/pvm/task_guard.h"
#include "pvmshim/pvmd/daemon.h"

namespace morgana {

class OutputTaker;

/// The processes of a PVM program's tasks, children of this process. Those that tasks have spawned have
/// nothing on their standard input; their output goes line by line, with the task's id before it, to the task
/// that wants it, or else to standard error. All end with this object at the latest, or with the thread that
/// started them; what they have forked ends with this process, too (TaskGuard).
class TaskProcesses final : public pvm::TaskLauncher {
 public:
  /// @param environment  "A=B", of every task
  /// @param news  called on another thread after a process has ended
  TaskProcesses(std::vector<std::string> environment, std::function<void()> news);
  ~TaskProcesses();
  TaskProcesses(const TaskProcesses&) = delete;
  TaskProcesses& operator=(const TaskProcesses&) = delete;

  /// The task that the user has started: has this process's own standard input and output.
  /// @throws Error if it can't be started
  pid_t start_first(const std::vector<std::string>& command, Rank rank, pvm::TaskId id);

  /// Tasks' programs are looked for beside this one, too; start_first() says so of the first task's.
  void look_beside(const std::filesystem::path& program);
  std::int32_t start(const pvm::TaskStart& task) override;
  bool signal(Rank rank, int signal) override;
  void catch_output(Rank parent, int descriptor) override;

  // Where tasks of the program run on other machines, too.
  using Elsewhere = std::function<void(Rank taker, const std::string& lines)>;
  /// Output for a task that is not here is passed on to it; the first line before start() returns.
  /// @param pass_on  called on any thread
  void take_output_elsewhere(Elsewhere pass_on) { elsewhere_ = std::move(pass_on); }
  /// To the task here that catches it: whole lines of tasks elsewhere. From any thread.
  void caught(Rank taker, const std::string& lines);

  /// The process of the task `from` is that of the task `to` from now on, too.
  void go_on_as(Rank from, Rank to);
  /// Ends the task's process, if it has not ended yet.
  /// @param politely  by SIGTERM, if that ends it
  void end(Rank rank, bool politely);
  /// The signals that were sent since this was asked last.
  std::vector<SentSignal> take_sent_signals();
  /// The programs that could not be started, each with the first reason, for people.
  const std::map<std::string, std::string>& unstarted() const { return unstarted_; }
  /// The task's process, once it was started.
  std::optional<pid_t> process_of(Rank rank) const;
  /// How the task's process has ended (as wait(2) gives it), once it has.
  std::optional<int> ended(Rank rank) const;
  /// Whether end() has been asked for.
  bool was_ended(Rank rank) const;
  /// Whether a process of any task runs.
  bool any_runs() const;

 private:
  struct Process;

  Process* find(Rank rank) const;
  void watch();
  void read_output(Process& process);
  void reap(Process& process);
  void write_line(const Process& process, const std::string& text) const;

  std::vector<std::string> environment_;
  std::string mark_;
  TaskGuard guard_;
  std::function<void()> news_;
  mutable std::mutex mutex_;
  std::map<Rank, std::unique_ptr<Process>> processes_;  ///< by the first task that each was
  std::map<Rank, Rank> first_task_;                     ///< of the process, by the tasks that it was later
  /// By task: where the output of those that it starts goes.
  std::map<Rank, std::shared_ptr<OutputTaker>> catching_;
  std::map<Rank, std::shared_ptr<OutputTaker>> caught_;  ///< the same for output from elsewhere, which may
                                                         ///< come later
  Elsewhere elsewhere_;
  std::vector<std::string> folders_;
  std::map<std::string, std::string> unstarted_;  ///< why, by file
  std::vector<SentSignal> sent_signals_;
  int events_;
  int stop_;
  std::thread thread_;
};

}  // namespace morgana
