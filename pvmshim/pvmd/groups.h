#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pvmshim/pvmd/asker.h"

namespace morgana::pvm {

/// The dynamic groups: what PVM's group server pvmgs knows. Names are not empty, else PvmNullGroup. Odd
/// corners are kept as they are there: a barrier that was begun with the count 0 never opens, a member that
/// has entered a barrier counts even if it ends before the barrier opens, and a frozen group that a member
/// leaves can't be used any more. Source: PVM 3.4.6, pvmgs_func.c.
class Groups {
 public:
  /// @return the instance: the lowest free one
  std::int32_t join(const std::string& name, TaskId task);
  /// @param answers  gets what barriers that are given up say to those who wait in them
  std::int32_t leave(const std::string& name, TaskId task, std::vector<AddressedReply>& answers);
  /// The task has ended: it leaves all groups.
  void leave_all(TaskId task, std::vector<AddressedReply>& answers);

  std::int32_t task(const std::string& name, std::int32_t instance) const;
  std::int32_t instance(const std::string& name, TaskId task) const;
  std::int32_t size(const std::string& name) const;
  /// @param holes  whether instances may be missing
  Reply members(const std::string& name, bool holes) const;

  /// @param count  -1: the group's present size
  /// @param answers  gets the answers that are due; none to those who have to wait
  void barrier(const std::string& name, std::int32_t count, TaskId task, Asker asker,
               std::vector<AddressedReply>& answers);
  /// Those who have come learn the group's size, and who is in it.
  void freeze(const std::string& name, std::int32_t count, TaskId task, Asker asker,
              std::vector<AddressedReply>& answers);

 private:
  /// Members who have come to the same call, until they are enough.
  struct Meeting {
    std::int32_t count = -1;  ///< who are awaited; -1: it has not begun
    std::vector<Asker> here;
  };
  enum class State { open, frozen, dead };
  struct Group {
    std::vector<TaskId> members;  ///< by instance; 0: free
    State state = State::open;
    Meeting barrier, freezing;
    std::int32_t size() const;
    std::optional<std::size_t> instance(TaskId task) const;
  };
  /// @return 0 if all are here, 1 if one has to wait, or PVM's error code
  static std::int32_t meet(Meeting& meeting, std::int32_t count, Asker asker);
  /// @return 0 and the group, or PVM's error code
  std::int32_t find(const std::string& name, const Group*& group) const;

  std::map<std::string, Group> groups_;
};

}  // namespace morgana::pvm
