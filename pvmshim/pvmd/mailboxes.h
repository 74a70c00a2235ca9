#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "pvmshim/pvmd/asker.h"

namespace morgana::pvm {

/// The machine's mailboxes: messages by name and index. An entry belongs to the task that has put it, and
/// goes with it unless it is persistent. Source: PVM 3.4.6, msgbox.c and dm_db in ddpro.c.
class Mailboxes {
 public:
  /// As pvm_putinfo; `index` is -1, or the one asked for (pvm_insert of PVM 3.3).
  /// @param answers  gets what those who have waited for this entry have received
  /// @return the index, or PvmDenied
  std::int32_t put(TaskId owner, const std::string& name, std::int32_t index, std::int32_t flags,
                   std::vector<std::byte> message, std::vector<AddressedReply>& answers);
  /// As pvm_recvinfo. The answer is given once the entry exists if the flags say so.
  void receive(TaskId task, Asker asker, const std::string& name, std::int32_t index, std::int32_t flags,
               std::vector<AddressedReply>& answers);
  /// As pvm_delinfo. @return the index, PvmNotFound or PvmDenied
  std::int32_t remove(TaskId task, const std::string& name, std::int32_t index);
  /// The names that match, in the order in which they came into use. A "*" in the pattern stands for any
  /// characters; the pattern may lie anywhere in the name.
  Reply list(const std::string& pattern) const;
  /// The task has ended: its entries that are not persistent vanish, and it waits for none.
  void tidy(TaskId task);

 private:
  struct Entry {
    TaskId owner = 0;  ///< 0: it has ended
    std::int32_t flags = 0;
    std::vector<std::byte> message;
  };
  struct Box {
    std::string name;
    std::map<std::int32_t, Entry> entries;  ///< never empty
  };
  struct Waiting {
    TaskId task = 0;
    Asker asker;
    std::string name;
    std::int32_t index = 0, flags = 0;
  };
  Box* find(const std::string& name);
  static bool may_change(const Entry& entry, TaskId task);
  void erase(Box* box, std::map<std::int32_t, Entry>::iterator entry);
  Reply look(const Waiting& request);

  std::list<Box> boxes_;
  std::list<Waiting> waiting_;
};

}  // namespace morgana::pvm
