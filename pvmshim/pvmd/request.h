#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/pvmd/task_id.h"

namespace morgana::pvm {

/// What a task can ask the virtual machine. Each line: numbers; texts; -> what the reply holds. `status` of a
/// reply is 0 or PVM's error code (negative), unless it says otherwise. All ids are TaskIds.
enum class Ask : std::int32_t {
  leave,   ///< the task has called pvm_exit or ends. No reply
  spawn,   ///< flags, count; file, where, number of arguments, arguments..., exported variables "A=B"... ->
           ///< status: tasks started; numbers: `count` ids or error codes
  kill,    ///< task
  signal,  ///< task, signal
  tasks,   ///< where (0 all, a host's id, a task's id) -> per task: id, parent, host id, flag, process;
           ///< texts: program of each
  config,  ///< -> numbers: architectures, then per host: id, speed, data signature; texts per host: name,
           ///< architecture
  add_hosts,     ///< ; names -> status: hosts added; numbers: id or error code for each
  delete_hosts,  ///< ; names -> status: hosts deleted; numbers: 0 or error code for each
  host_status,   ///< ; name -> status: PvmOk, PvmNoHost or PvmHostFail
  task_status,   ///< task -> status: PvmOk or PvmNoTask
  notify,        ///< what (PvmTaskExit 1, HostDelete 2, HostAdd 3; flag PvmNotifyCancel 256), context, tag,
                 ///< count or -1, ids...
  clock,         ///< host id -> numbers: simulated time now, in us
  put_info,      ///< index, flags, context of the caller; name; data -> status: index
  receive_info,  ///< index, flags; name -> status: index; data
  delete_info,   ///< index, flags; name
  list_info,   ///< ; pattern -> per entry: number of instances, then per instance index, owner, flags; texts:
               ///< names
  join_group,  ///< ; name -> status: instance number
  leave_group,           ///< ; name
  group_task,            ///< instance; name -> status: id
  group_instance,        ///< task; name -> status: instance
  group_size,            ///< ; name -> status: size
  group_members,         ///< [1: PvmNoInst if instances are missing below the size, as for gather, scatter
                         ///< and reduce]; name -> numbers: ids by instance, missing ones left out
  group_barrier,         ///< count or -1; name -> once `count` members have asked
  freeze_group,          ///< size or -1; name -> status: the group's size; numbers: ids by instance, -1 where
                         ///< one is missing; once that many members have asked
  catch_output,          ///< file descriptor of the caller that takes its children's output, or -1
  wait_children_output,  ///< -> once the children whose output the caller has caught have ended
  halt,                  ///< ends every task, the caller included
  enroll,                ///< a task that has left calls PVM again -> status: the id of the task, on the same
                         ///< host and of no parent, as which it goes on (ContinueRank)
  new_context,           ///< -> status: a context that no other call gets
  free_context,  ///< context -> status: PvmOk, or PvmNotFound if the task's host has given out no such
};

struct Request {
  Ask ask = Ask::leave;
  std::int32_t serial = 0;  ///< the reply's tag in the service context, >= 0; a task counts them up
  std::vector<std::int32_t> numbers;
  std::vector<std::string> texts;
  std::vector<std::byte> data;  ///< a whole message as message.h lays it out
  bool operator==(const Request&) const = default;
};

struct Reply {
  std::int32_t status = 0;
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
  std::vector<std::byte> data;
  bool operator==(const Reply&) const = default;
};

// As bytes. Decoding @throws Error if they are no such thing (they come from another process).
std::vector<std::byte> encode(const Request& request);
std::vector<std::byte> encode(const Reply& reply);
Request decode_request(std::span<const std::byte> bytes);
Reply decode_reply(std::span<const std::byte> bytes);

// A task's first environment, set by its starter.
/// Its TaskId, decimal; its rank and host follow.
constexpr const char* task_variable = "MORGANA_PVM_TASK";
/// Its parent's TaskId, or PvmNoParent (-23), or PvmParentNotSet (-35).
constexpr const char* parent_variable = "MORGANA_PVM_PARENT";

}  // namespace morgana::pvm
