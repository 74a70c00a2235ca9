#pragma once

#include <string>
#include <vector>

#include "pvmshim/pvm/emulate/open_call.h"

namespace morgana::pvm {

// What group calls ask the daemon; frozen groups are known here. Results are PvmOk (or what they ask for) or
// negative.

int instance_of(OpenCall& call, const char* group, TaskId task);
int member_at(OpenCall& call, const char* group, int instance);
/// By instance. @param members  empty if negative
/// @param contiguous  PvmNoInst if instances are missing below the highest; else those are left out
int members_of(OpenCall& call, const char* group, std::vector<TaskId>& members, bool contiguous);

/// How a group lies on the hosts: reductions go through one member of each.
struct GroupHosts {
  struct Host {
    TaskId id;           ///< as pvm_tidtohost gives it
    TaskId coordinator;  ///< its member with the lowest instance
    int members;
  };
  std::vector<Host> hosts;  ///< in the order of their coordinators' instances

  explicit GroupHosts(const std::vector<TaskId>& members);
};

}  // namespace morgana::pvm
