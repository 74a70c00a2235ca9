#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "pvmshim/pvmd/daemon.h"

namespace morgana::pvm {

/// The message of a notification to a task: in PVM's default encoding, from the host's daemon.
/// @param words  the ints that it holds; each pvm_pkint of the real daemon is one part
SendMessage notification(Rank to, std::int32_t context, std::int32_t tag,
                         const std::vector<std::int32_t>& words);

/// The notifications that tasks have asked for (pvm_notify).
class Notifications {
 public:
  /// The task `watcher` wants a message of that context and tag when the task or host `id` has gone.
  /// @param said  what the message holds: the id by which the watcher knows it
  void watch(Rank watcher, TaskId id, std::int32_t context, std::int32_t tag, TaskId said);
  /// Takes that wish back. @return its message, which is due now, if there was such a wish
  std::optional<SendMessage> cancel(Rank watcher, TaskId id, std::int32_t context, std::int32_t tag);
  /// A message at each of the next `count` times that hosts are added, -1: always, 0: never again.
  void watch_additions(Rank watcher, std::int32_t context, std::int32_t tag, std::int32_t count);

  /// What is due when a task or a host (by its host_id) has gone.
  std::vector<SendMessage> gone(TaskId id);
  std::vector<SendMessage> added(const std::vector<TaskId>& hosts);
  /// The watcher itself has gone.
  void forget(Rank watcher);

 private:
  struct Watch {
    Rank watcher{};
    TaskId id = 0;
    std::int32_t context = 0, tag = 0;
    TaskId said = 0;
    std::int32_t count = 1;
    SendMessage message() const { return notification(watcher, context, tag, {said}); }
  };
  std::list<Watch> exits_, additions_;
};

}  // namespace morgana::pvm
