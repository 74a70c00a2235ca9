#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pvmshim/pvmd/task_id.h"

namespace morgana::pvm {

struct TaskEntry {
  Rank rank{};
  TaskId id = 0;
  TaskId parent = 0;  ///< 0: none
  std::int32_t process = 0;
  bool spawned = false;
  std::string program;  ///< for messages to the user
  /// The task whose pvm_catchout takes this one's output, and the output of what this one starts.
  std::optional<Rank> output, children_output;
};

/// The tasks of the virtual machine. Ranks are given out once, in ascending order.
class Tasks {
 public:
  explicit Tasks(std::uint32_t limit) : limit_(limit) {}

  /// The rank that the next task gets, if there is one left.
  std::optional<Rank> free_rank() const;
  TaskEntry& add(TaskEntry task);
  /// It has called pvm_exit, and its process may still run (`left`), or has ended.
  void remove(Rank rank, bool left);
  /// It had left, and its process goes on as another task, as if the user had started that one.
  /// @return null if it had not left, or no rank is left
  const TaskEntry* enrol_anew(Rank rank);

  /// A task that has not left; null if there is no such one.
  TaskEntry* find(Rank rank);
  const TaskEntry* find(TaskId id) const;
  bool alive(Rank rank) const { return alive_.contains(rank); }
  /// Whether the rank was a task's once.
  bool known(Rank rank) const { return rank > daemon_rank && index(rank) < next_; }
  bool left(Rank rank) const { return left_.contains(rank); }
  const std::map<Rank, TaskEntry>& all() const { return alive_; }
  std::vector<Rank> on(std::uint32_t host) const;

 private:
  std::uint32_t limit_;
  std::uint32_t next_ = 1;
  std::map<Rank, TaskEntry> alive_;
  std::map<Rank, TaskEntry> left_;
};

}  // namespace morgana::pvm
