// Gathering, scattering and reducing in a group, with the real library's messages: the members' go straight
// to the root or come from it; those of a reduction go through one member of each host.

#include <string.h>

#include <algorithm>
#include <vector>

#include "pvmshim/pvm/element.h"
#include "pvmshim/pvm/emulate/groups.h"
#include "pvmshim/pvm/emulate/inbox.h"
#include "pvmshim/pvm/emulate/message_table.h"
#include "pvmshim/pvm/emulate/send_message.h"
#include "pvmshim/pvm/emulate/task_call.h"

using namespace morgana::pvm;
using morgana::Call;

namespace {

/// The context of the real group library (SYSCTX_DG).
constexpr int group_context = 0x7ffff - 3;

/// The elements that a member contributes or gets.
struct Elements {
  int type, count;

  bool valid() const {
    return type == PVM_STR ||
           (element_of(type) && type != PVM_USHORT && type != PVM_UINT && type != PVM_ULONG);
  }
  std::size_t bytes() const {
    return (type == PVM_STR ? 1 : element_of(type)->size()) * static_cast<std::size_t>(count);
  }
};

int send_elements(OpenCall& call, const void* data, const Elements& elements, TaskId to, int tag) {
  if (tag < 0 || !is_task(to)) return PvmBadParam;
  Message message(Encoding::xdr);
  const int result = elements.type == PVM_STR ? message.pack_string(static_cast<const char*>(data))
                                              : message.pack(elements.type, data, elements.count, 1);
  return result < 0 ? result : send_message(call, message, {&to, 1}, group_context, tag);
}

int receive_elements(OpenCall& call, void* data, const Elements& elements, TaskId from, int tag) {
  const int id = inbox().receive(call, {from, tag, group_context});
  if (id < 0) return id;
  Message& message = *buffers().messages.find(id);
  const int result = elements.type == PVM_STR
                         ? message.unpack_string(static_cast<char*>(data), call.call())
                         : message.unpack(elements.type, data, elements.count, 1, call.call());
  buffers().free(message);
  return result;
}

/// The caller and the root, who must both be members.
struct Roles {
  int root = 0, me = 0;  ///< the root's id, the caller's instance; or an error
  Roles(OpenCall& call, const char* group, int root_instance) {
    root = member_at(call, group, root_instance);
    if (root >= 0) me = instance_of(call, group, pvmmytid);
  }
  int error() const { return root < 0 ? root : std::min(me, int{PvmOk}); }
};

/// Runs the body with the program's buffers put away.
template <typename Body>
int with_own_buffers(Call name, const Body& body) {
  return reported_call(name, [&](OpenCall& call) {
    const int send_buffer = buffers().set_send(nullptr), receive_buffer = buffers().set_receive(nullptr);
    const int result = body(call);
    buffers().set_send(buffers().messages.find(send_buffer));
    buffers().set_receive(buffers().messages.find(receive_buffer));
    return result;
  });
}

std::byte* block(void* data, std::size_t number, const Elements& elements) {
  return static_cast<std::byte*>(data) + number * elements.bytes();
}

}  // namespace

int pvm_gather(void* result, void* data, int count, int type, int tag, char* group, int root) {
  const Elements elements{type, count};
  return with_own_buffers(Call::pvm_gather, [&](OpenCall& call) -> int {
    if (data == nullptr || count <= 0 || !elements.valid()) return PvmBadParam;
    const Roles roles(call, group, root);
    if (roles.error() < 0) return roles.error();
    if (roles.me != root) return send_elements(call, data, elements, roles.root, tag);
    if (result == nullptr) return PvmBadParam;
    std::vector<TaskId> members;
    if (const int error = members_of(call, group, members, true); error < 0) return error;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i] == pvmmytid) {
        memcpy(block(result, i, elements), data, elements.bytes());
        continue;
      }
      const int error = receive_elements(call, block(result, i, elements), elements, members[i], tag);
      if (error < 0) return error;
    }
    return PvmOk;
  });
}

int pvm_scatter(void* result, void* data, int count, int type, int tag, char* group, int root) {
  const Elements elements{type, count};
  return with_own_buffers(Call::pvm_scatter, [&](OpenCall& call) -> int {
    if (result == nullptr || count <= 0 || !elements.valid()) return PvmBadParam;
    const Roles roles(call, group, root);
    if (roles.error() < 0) return roles.error();
    if (roles.me != root) return receive_elements(call, result, elements, roles.root, tag);
    if (data == nullptr) return PvmBadParam;
    std::vector<TaskId> members;
    if (const int error = members_of(call, group, members, true); error < 0) return error;
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i] == pvmmytid) {
        memcpy(result, block(data, i, elements), elements.bytes());
        continue;
      }
      const int error = send_elements(call, block(data, i, elements), elements, members[i], tag);
      if (error < 0) return error;
    }
    return PvmOk;
  });
}

namespace {

using Operator = void (*)(int*, void*, void*, int*, int*);

/// Combines `messages` messages of any members with the caller's data.
int combine(OpenCall& call, Operator combine_with, void* data, Elements elements, int messages, int tag) {
  std::vector<std::byte> work(elements.bytes());
  for (; messages > 0; --messages) {
    if (const int error = receive_elements(call, work.data(), elements, -1, tag); error < 0) return error;
    int result = PvmOk;
    call.end();  // the operator may be the program's own
    combine_with(&elements.type, data, work.data(), &elements.count, &result);
    if (result < 0) return result;
  }
  return PvmOk;
}

int reduce(OpenCall& call, Operator combine_with, void* data, const Elements& elements, int tag,
           const char* group, int root_instance) {
  if (data == nullptr || elements.count <= 0) return PvmBadParam;
  const int instance = instance_of(call, group, pvmmytid);
  if (instance < 0) return instance;
  const TaskId root = member_at(call, group, root_instance);
  if (root < 0) return root;
  if (!elements.valid()) return PvmBadParam;
  std::vector<TaskId> members;
  if (const int error = members_of(call, group, members, true); error < 0) return error;
  const GroupHosts where(members);
  const TaskId my_host = pvm_tidtohost(pvmmytid);
  const GroupHosts::Host* host = nullptr;
  for (const auto& candidate : where.hosts)
    if (candidate.id == my_host) host = &candidate;
  if (host == nullptr) return PvmNotInGroup;

  const bool coordinates = pvmmytid == host->coordinator;
  int result = coordinates ? combine(call, combine_with, data, elements, host->members - 1, tag)
                           : send_elements(call, data, elements, host->coordinator, tag);
  if (result < 0) return result;
  if (coordinates && pvmmytid != root) return send_elements(call, data, elements, root, tag);
  if (pvmmytid != root) return PvmOk;
  if (!coordinates) result = receive_elements(call, data, elements, host->coordinator, tag);
  if (result < 0) return result;
  return combine(call, combine_with, data, elements, static_cast<int>(where.hosts.size()) - 1, tag);
}

}  // namespace

int pvm_reduce(void (*combine_with)(int*, void*, void*, int*, int*), void* data, int count, int type, int tag,
               char* group, int root) {
  return with_own_buffers(Call::pvm_reduce, [&](OpenCall& call) {
    return reduce(call, combine_with, data, {type, count}, tag, group, root);
  });
}
