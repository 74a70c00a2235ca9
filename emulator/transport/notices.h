#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/lazy_timer.h"
#include "emulator/core/pool.h"

namespace morgana {

/// What a transport's listeners are to learn, until its time. What is due at once waits until the transport's
/// state is settled.
template <typename Notice>
class Notices {
 public:
  /// @param handler  gets a TimerEvent of this kind, whose owner take() knows, when a notice is due
  Notices(EventQueue& events, EventHandler& handler, std::uint8_t kind)
      : events_(events), handler_(handler), kind_(kind) {}

  void add(const Notice& notice, SimTime at) {
    if (at == events_.now())
      due_.push_back(notice);
    else
      add_event(notice, at);
  }
  /// By an event of its own even if it is due now.
  void add_event(const Notice& notice, SimTime at) {
    events_.schedule(at, handler_, TimerEvent{0, later_.take(notice), kind_}.packed());
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
  std::uint8_t kind_;
  Pool<Notice> later_;
  std::vector<Notice> due_;
};

}  // namespace morgana
