#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "emulator/core/time.h"
#include "pvmshim/pvmd/request.h"
#include "pvmshim/pvmd/spawn_shortfall.h"

namespace morgana::pvm {

/// A host of the virtual machine.
struct VirtualHost {
  std::string name;
  std::int32_t speed = 1000;  ///< relative, as pvm_config shows it
};

/// A task to start: what is needed beside the environment that every task gets.
struct TaskStart {
  Rank rank{};
  std::uint32_t host = 0;
  TaskId id = 0;
  TaskId parent = 0;  ///< PvmParentNotSet (-35) if the flag PvmNoSpawnParent hides it
  std::string file;
  std::vector<std::string> arguments;
  std::vector<std::string> variables;  ///< "A=B", exported by the parent
  bool debug = false;                  ///< PvmTaskDebug
  std::string folder;                  ///< to run in, "" the launcher's
  /// The task that takes this one's output (TaskLauncher::catch_output): its parent's if the parent has
  /// caught, else the one that takes the parent's own. None: it was not caught.
  std::optional<Rank> output;
};

/// Who can start processes and send them signals.
class TaskLauncher {
 public:
  /// @return the process, or PVM's error code (PvmNoFile -7, PvmNoMem -10, ...)
  virtual std::int32_t start(const TaskStart& task) = 0;
  /// @return whether there is such a process
  virtual bool signal(Rank rank, int signal) = 0;
  /// Output of the tasks that `parent` starts from now on goes to that file descriptor of it; -1: dropped.
  virtual void catch_output(Rank parent, int descriptor) = 0;

 protected:
  ~TaskLauncher() = default;
};

// What the daemon does, in this order, at the time at which it was asked.
struct SendMessage {
  Rank to{};
  Context context{};
  std::int32_t tag = 0;
  std::vector<std::byte> block;  ///< the payload; a Reply, or a whole message as message.h lays it out
  std::int64_t bytes = 0;        ///< that the network carries
};
struct StartRank {
  Rank rank{};
  std::uint32_t host = 0;
};
struct EndRank {
  Rank rank{};            ///< its process ends once simulated time has come to this
  bool politely = false;  ///< by SIGTERM, unless the program does something else about that
};
/// A task that had left has enrolled anew: once its rank has ended, its process goes on as another one.
struct ContinueRank {
  Rank from{}, to{};
  std::uint32_t host = 0;
};
using Action = std::variant<SendMessage, StartRank, EndRank, ContinueRank>;

/// The virtual machine's one daemon: it knows hosts, tasks, groups, mailboxes and who wants to be notified of
/// what. It lives on the first host; every request is a message to it, and what it answers is one too, so
/// both take the time that the modelled network gives them. A real machine has a daemon on each host and a
/// group server; theirs are together here. Errors of a task's making are answered with PVM's codes (pvm3.h).
class Daemon {
 public:
  /// @param task_limit  ranks from 1 to this one may be used; a rank is used once
  Daemon(std::vector<VirtualHost> hosts, std::uint32_t task_limit, TaskLauncher& launcher);
  ~Daemon();

  /// The first task, started by the user on the first host.
  void first_task(Rank rank, std::int32_t process, const std::string& program);

  /// A task's request has arrived. @throws Error naming the task if it is not valid
  std::vector<Action> handle(Rank from, std::span<const std::byte> request, SimTime now);
  /// A task's process has ended without having said so.
  std::vector<Action> task_died(Rank rank, SimTime now);

  /// Tasks that have not left yet.
  std::size_t tasks() const;
  /// The programs of which pvm_spawn has started fewer tasks than it was asked for.
  const std::vector<SpawnShortfall>& shortfalls() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana::pvm
