#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/lazy_timer.h"
#include "emulator/core/pool.h"
#include "emulator/transport/uet/connection.h"

namespace morgana::uet {

/// What a listener is to learn, or a read request that its host carries out.
struct Notice {
  enum class Kind : std::uint8_t { delivered, completed, returned, read } kind{};
  MessageId message;
  SimTime timer_wait{};
  // Of a read:
  ConnectionId connection = 0;
  Bytes bytes{};
};

/// Notices until their time: what is due at once waits until the transport's
/// state is settled.
class Notices {
 public:
  /// @param handler  gets a TimerEvent of kind `told` whose owner take() knows,
  /// when a notice is due
  Notices(EventQueue& events, EventHandler& handler) : events_(events), handler_(handler) {}

  void add(const Notice& notice, SimTime at) {
    if (at == events_.now() && notice.kind != Notice::Kind::returned) return due_.push_back(notice);
    events_.schedule(at, handler_, TimerEvent{0, later_.take(notice), told}.packed());
  }
  /// Its sender is to know that the message is complete, if it asked for it.
  void add_completion(const Message& message, SimTime at) {
    if (message.completes && message.part == Message::Part::whole)
      add({.kind = Notice::Kind::completed, .message = message.id, .timer_wait = message.timer_wait.total()},
          at);
  }
  Notice take(std::uint32_t which) {
    const Notice notice = later_[which];
    later_.give_back(which);
    return notice;
  }
  /// What is due, and what becomes due by that.
  template <typename Tell>
  void tell_due(Tell tell) {
    for (std::size_t place = 0; place < due_.size(); ++place) tell(Notice(due_[place]));
    due_.clear();
  }

 private:
  EventQueue& events_;
  EventHandler& handler_;
  Pool<Notice> later_;
  std::vector<Notice> due_;
};

}  // namespace morgana::uet
