#pragma once

#include <string>

#include "pvmshim/clock/live_rank.h"
#include "pvmshim/pvmd/task_id.h"

namespace morgana::pvm {

/// This process as a task of an emulated run: from its first call of PVM on (enrolment). Until then it
/// computes for free.
struct Task {
  Task(const std::string& channel, TaskId task, TaskId task_parent);

  RequestId next_request() { return RequestId{++last_request}; }

  LiveRank live;
  TaskId id;
  TaskId parent;  ///< a task's id, or PvmNoParent or PvmParentNotSet
  std::uint64_t last_request = 0;
  std::int32_t last_serial = 0;  ///< of requests to the daemon
};

/// Set for a program that the process executes after it has been a task: that one comes back.
constexpr const char* left_variable = "MORGANA_PVM_LEFT";

/// Makes the process a task if it is none, or not any more (after pvm_exit; it gets a new id).
/// @return PvmOk, or PvmSysErr: it was not started by an emulator, or is a forked child, which is no task
int enrol();
/// After enrol() has succeeded.
Task& me();

/// The task has announced to the daemon that it leaves: the program's further calls will enrol it again.
void withdraw();

}  // namespace morgana::pvm
