#include "pvmshim/pvmd/groups.h"

#include <algorithm>

#include "pvmshim/pvmd/codes.h"

namespace morgana::pvm {

std::int32_t Groups::Group::size() const {
  return static_cast<std::int32_t>(
      std::count_if(members.begin(), members.end(), [](TaskId id) { return id != 0; }));
}

std::optional<std::size_t> Groups::Group::instance(TaskId task) const {
  const auto found = std::find(members.begin(), members.end(), task);
  if (found == members.end()) return std::nullopt;
  return static_cast<std::size_t>(found - members.begin());
}

std::int32_t Groups::find(const std::string& name, const Group*& group) const {
  if (name.empty()) return null_group;
  const auto found = groups_.find(name);
  if (found == groups_.end()) return no_group;
  group = &found->second;
  return pvm_ok;
}

std::int32_t Groups::join(const std::string& name, TaskId task) {
  if (name.empty()) return null_group;
  Group& group = groups_[name];
  if (group.state != State::open) return not_in_group;
  if (group.instance(task)) return duplicate_group;
  std::size_t instance = group.instance(0).value_or(group.members.size());
  if (instance == group.members.size()) group.members.push_back(0);
  group.members[instance] = task;
  return static_cast<std::int32_t>(instance);
}

std::int32_t Groups::leave(const std::string& name, TaskId task, std::vector<AddressedReply>& answers) {
  if (name.empty()) return null_group;
  const auto found = groups_.find(name);
  if (found == groups_.end()) return no_group;
  Group& group = found->second;
  const auto instance = group.instance(task);
  if (!instance) return not_in_group;
  group.members[*instance] = 0;
  if (group.state == State::frozen) {
    group.state = State::dead;
    for (const Asker& asker : group.barrier.here) answers.push_back({asker, {no_group, {}, {}, {}}});
    group.barrier.here.clear();
  }
  if (group.size() == 0) groups_.erase(found);
  return pvm_ok;
}

void Groups::leave_all(TaskId task, std::vector<AddressedReply>& answers) {
  std::vector<std::string> names;
  for (const auto& [name, group] : groups_)
    if (group.instance(task)) names.push_back(name);
  for (const std::string& name : names) leave(name, task, answers);
}

std::int32_t Groups::task(const std::string& name, std::int32_t instance) const {
  const Group* group = nullptr;
  if (const std::int32_t error = find(name, group)) return error;
  if (instance < 0 || static_cast<std::size_t>(instance) >= group->members.size()) return no_instance;
  const TaskId task = group->members[static_cast<std::size_t>(instance)];
  return task == 0 ? no_instance : task;
}

std::int32_t Groups::instance(const std::string& name, TaskId task) const {
  const Group* group = nullptr;
  if (const std::int32_t error = find(name, group)) return error;
  const auto instance = group->instance(task);
  return instance ? static_cast<std::int32_t>(*instance) : not_in_group;
}

std::int32_t Groups::size(const std::string& name) const {
  const Group* group = nullptr;
  if (const std::int32_t error = find(name, group)) return error;
  return group->size();
}

Reply Groups::members(const std::string& name, bool holes) const {
  const Group* group = nullptr;
  Reply reply;
  reply.status = find(name, group);
  if (reply.status != pvm_ok) return reply;
  if (group->state == State::dead) return {no_group, {}, {}, {}};
  for (const TaskId id : group->members)
    if (id != 0) reply.numbers.push_back(id);
  const auto size = static_cast<std::ptrdiff_t>(reply.numbers.size());
  if (!holes && std::count(group->members.begin(), group->members.begin() + size, 0) > 0)
    return {no_instance, {}, {}, {}};
  return reply;
}

std::int32_t Groups::meet(Meeting& meeting, std::int32_t count, Asker asker) {
  if (meeting.count == -1)
    meeting.count = count;
  else if (count != meeting.count)
    return mismatch;
  meeting.here.push_back(asker);
  const auto here = static_cast<std::int32_t>(meeting.here.size());
  if (here > meeting.count) {
    meeting.here.pop_back();
    return mismatch;
  }
  return here < meeting.count ? 1 : pvm_ok;
}

void Groups::barrier(const std::string& name, std::int32_t count, TaskId task, Asker asker,
                     std::vector<AddressedReply>& answers) {
  const Group* found = nullptr;
  std::int32_t status = find(name, found);
  if (status == pvm_ok && found->state == State::dead) status = no_group;
  if (status == pvm_ok && !found->instance(task)) status = not_in_group;
  if (status == pvm_ok) {
    Meeting& barrier = groups_.at(name).barrier;
    status = meet(barrier, count == -1 ? found->size() : count, asker);
    if (status == pvm_ok) {
      for (const Asker& member : barrier.here) answers.push_back({member, {}});
      barrier = {};
      return;
    }
  }
  if (status < 0) answers.push_back({asker, {status, {}, {}, {}}});
}

void Groups::freeze(const std::string& name, std::int32_t count, TaskId task, Asker asker,
                    std::vector<AddressedReply>& answers) {
  const Group* found = nullptr;
  std::int32_t status = find(name, found);
  if (status == pvm_ok && found->state == State::frozen) status = duplicate_group;
  if (status == pvm_ok && !found->instance(task)) status = not_in_group;
  if (status == pvm_ok) {
    Group& group = groups_.at(name);
    status = meet(group.freezing, count == -1 ? group.size() : count, asker);
    if (status == pvm_ok) {
      group.state = State::frozen;
      Reply reply{group.size(), {}, {}, {}};
      for (const TaskId id : group.members) reply.numbers.push_back(id == 0 ? -1 : id);
      for (const Asker& member : group.freezing.here) answers.push_back({member, reply});
      group.freezing = {};
      return;
    }
  }
  if (status < 0) answers.push_back({asker, {status, {}, {}, {}}});
}

}  // namespace morgana::pvm
