#include "pvmshim/pvmd/tasks.h"

#include <algorithm>
#include <cassert>

namespace morgana::pvm {

std::optional<Rank> Tasks::free_rank() const {
  if (next_ > limit_) return std::nullopt;
  return Rank{static_cast<std::int32_t>(next_)};
}

TaskEntry& Tasks::add(TaskEntry task) {
  assert(index(task.rank) >= next_ && index(task.rank) <= limit_);
  next_ = static_cast<std::uint32_t>(index(task.rank)) + 1;
  return alive_.emplace(task.rank, std::move(task)).first->second;
}

void Tasks::remove(Rank rank, bool has_left) {
  auto task = alive_.extract(rank);
  if (has_left) left_.insert(std::move(task));
}

const TaskEntry* Tasks::enrol_anew(Rank rank) {
  const auto before = left_.find(rank);
  const auto fresh = free_rank();
  if (before == left_.end() || !fresh) return nullptr;
  TaskEntry task;
  task.rank = *fresh;
  task.id = task_id(host_of(before->second.id), *fresh);
  task.process = before->second.process;
  task.program = before->second.program;
  left_.erase(before);
  return &add(std::move(task));
}

TaskEntry* Tasks::find(Rank rank) {
  const auto found = alive_.find(rank);
  return found == alive_.end() ? nullptr : &found->second;
}

const TaskEntry* Tasks::find(TaskId id) const {
  if (id <= 0) return nullptr;
  const auto found = alive_.find(rank_of(id));
  return found == alive_.end() || found->second.id != id ? nullptr : &found->second;
}

std::vector<Rank> Tasks::on(std::uint32_t host) const {
  std::vector<Rank> ranks;
  for (const auto& [rank, task] : alive_)
    if (host_of(task.id) == host) ranks.push_back(rank);
  return ranks;
}

}  // namespace morgana::pvm
