// Groups: who is in them, and meeting at barriers.

#include "pvmshim/pvm/emulate/groups.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "pvmshim/pvm/emulate/daemon_request.h"
#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/send_message.h"
#include "pvmshim/pvm/emulate/task_call.h"

int gstid = -1;
timeval* pvmgs_tmout = nullptr;

namespace morgana::pvm {
namespace {

using Members = std::vector<TaskId>;

std::map<std::string, Members>& frozen_groups() {
  static auto& groups = *new std::map<std::string, Members>;
  return groups;
}

const Members* frozen(const char* group) {
  const auto found = frozen_groups().find(group);
  return found == frozen_groups().end() ? nullptr : &found->second;
}

bool names_a_group(const char* group) {
  return group != nullptr && *group != '\0';
}

int ask_number(OpenCall& call, Ask ask, const char* group, std::vector<std::int32_t> numbers = {}) {
  if (!names_a_group(group)) return PvmNullGroup;
  return ask_daemon(call, {ask, 0, std::move(numbers), {group}, {}}).status;
}

Members ids_in(const Reply& reply) {
  Members ids;
  for (const std::int64_t id : reply.numbers) ids.push_back(static_cast<TaskId>(id));
  return ids;
}

/// Errors of group calls are not printed, only noted.
template <typename Body>
int group_call(Call name, const char* group, const Body& body) {
  const int result = names_a_group(group) ? task_call(name, body) : PvmNullGroup;
  if (result < 0) pvm_errno = result;
  return result;
}

}  // namespace

int instance_of(OpenCall& call, const char* group, TaskId task) {
  if (!names_a_group(group)) return PvmNullGroup;
  if (const Members* members = frozen(group)) {
    const auto found = std::ranges::find(*members, task);
    if (found != members->end()) return static_cast<int>(found - members->begin());
  }
  return ask_number(call, Ask::group_instance, group, {task});
}

int member_at(OpenCall& call, const char* group, int instance) {
  if (!names_a_group(group)) return PvmNullGroup;
  if (const Members* members = frozen(group); members != nullptr && instance >= 0)
    if (static_cast<std::size_t>(instance) < members->size())
      if (const TaskId member = (*members)[static_cast<std::size_t>(instance)]; member != -1) return member;
  return ask_number(call, Ask::group_task, group, {instance});
}

int members_of(OpenCall& call, const char* group, Members& members, bool contiguous) {
  if (!names_a_group(group)) return PvmNullGroup;
  if (const Members* known = frozen(group)) {
    members = *known;
    const auto missing = std::erase(members, -1);
    return contiguous && missing > 0 ? PvmNoInst : PvmOk;
  }
  std::vector<std::int32_t> numbers;
  if (contiguous) numbers.push_back(1);
  const Reply reply = ask_daemon(call, {Ask::group_members, 0, numbers, {group}, {}});
  if (reply.status < 0) return reply.status;
  members = ids_in(reply);
  return members.empty() ? PvmNoInst : PvmOk;
}

GroupHosts::GroupHosts(const Members& members) {
  for (const TaskId member : members) {
    const TaskId host = pvm_tidtohost(member);
    const auto found = std::ranges::find(hosts, host, &Host::id);
    if (found == hosts.end())
      hosts.push_back({host, member, 1});
    else
      ++found->members;
  }
}

}  // namespace morgana::pvm

using namespace morgana::pvm;
using morgana::Call;

int pvm_joingroup(char* group) {
  return group_call(Call::pvm_joingroup, group,
                    [&](OpenCall& call) { return ask_number(call, Ask::join_group, group); });
}

int pvm_lvgroup(char* group) {
  return group_call(Call::pvm_lvgroup, group, [&](OpenCall& call) {
    if (names_a_group(group)) frozen_groups().erase(group);
    return ask_number(call, Ask::leave_group, group);
  });
}

int pvm_getinst(char* group, int task) {
  return group_call(Call::pvm_getinst, group, [&](OpenCall& call) { return instance_of(call, group, task); });
}

int pvm_gettid(char* group, int instance) {
  return group_call(Call::pvm_gettid, group,
                    [&](OpenCall& call) { return member_at(call, group, instance); });
}

int pvm_gsize(char* group) {
  return group_call(Call::pvm_gsize, group, [&](OpenCall& call) -> int {
    if (names_a_group(group))
      if (const auto* members = frozen(group))
        return static_cast<int>(members->size() - static_cast<std::size_t>(std::ranges::count(*members, -1)));
    return ask_number(call, Ask::group_size, group);
  });
}

int pvm_barrier(char* group, int count) {
  return group_call(Call::pvm_barrier, group, [&](OpenCall& call) {
    return std::min(ask_number(call, Ask::group_barrier, group, {count}), int{PvmOk});
  });
}

int pvm_freezegroup(char* group, int size) {
  return group_call(Call::pvm_freezegroup, group, [&](OpenCall& call) -> int {
    if (!names_a_group(group)) return PvmNullGroup;
    const Reply reply = ask_daemon(call, {Ask::freeze_group, 0, {size}, {group}, {}});
    if (reply.status >= 0) frozen_groups()[group] = ids_in(reply);
    return reply.status;
  });
}

int pvm_bcast(char* group, int tag) {
  return group_call(Call::pvm_bcast, group, [&](OpenCall& call) -> int {
    Members members;
    if (const int error = members_of(call, group, members, false); error < 0) return error;
    std::erase(members, me().id);
    if (members.empty()) return PvmNoInst;
    Message* message = buffers().send;
    if (message == nullptr) return lpvmerr("pvm_mcast", PvmNoBuf);
    if (tag < 0) return lpvmerr("pvm_mcast", PvmBadParam);
    std::ranges::sort(members);
    return send_message(call, *message, members, pvmmyctx, tag);
  });
}

extern "C" __attribute__((visibility("default"))) int pvm_grphostinfo(char* group, int host, int* coordinator,
                                                                      int* members_there, int* hosts) {
  return group_call(Call::pvm_grphostinfo, group, [&](OpenCall& call) -> int {
    Members members;
    if (const int error = members_of(call, group, members, false); error < 0) return error;
    const GroupHosts group_hosts(members);
    *hosts = static_cast<int>(group_hosts.hosts.size());
    const auto found = std::ranges::find(group_hosts.hosts, host, &GroupHosts::Host::id);
    if (found == group_hosts.hosts.end()) return PvmNoHost;
    *coordinator = found->coordinator;
    *members_there = found->members;
    return PvmOk;
  });
}

extern "C" __attribute__((visibility("default"))) int pvm_grpvhostinfo(char* group, int** coordinators,
                                                                       int** members_there, int* hosts) {
  static auto& shown = *new std::array<std::vector<int>, 2>;
  return group_call(Call::pvm_grpvhostinfo, group, [&](OpenCall& call) -> int {
    Members members;
    if (const int error = members_of(call, group, members, false); error < 0) return error;
    for (auto& column : shown) column.clear();
    for (const auto& host : GroupHosts(members).hosts) {
      shown[0].push_back(host.coordinator);
      shown[1].push_back(host.members);
    }
    *coordinators = shown[0].data();
    *members_there = shown[1].data();
    *hosts = static_cast<int>(shown[0].size());
    return PvmOk;
  });
}

extern "C" __attribute__((visibility("default"))) void pvm_gsdump(void) {}  // there is no group server
