#pragma once

#include <cstdint>

#include "emulator/core/event_queue.h"

namespace morgana {

/// A timer that is set, moved and cleared far more often than it runs out, over an event queue that can't
/// cancel: one event stands in the queue, and when it comes too early it is put off to the deadline of the
/// moment. Only a deadline that moves forward needs another event; generations tell the old one apart.
class LazyTimer {
 public:
  LazyTimer() = default;
  /// One that by itself keeps nothing going (EventQueue::schedule_upkeep).
  static LazyTimer of_upkeep() {
    LazyTimer timer;
    timer.upkeep_ = true;
    return timer;
  }

  bool set() const { return set_; }
  void clear() { set_ = false; }

  /// Set in `what`: the event is upkeep, of which EventQueue::upkeep_handled() is told first.
  static constexpr std::uint32_t upkeep = std::uint32_t{1} << 31;

  /// @param what  below `upkeep` @param handler  gets it with the generation in its upper 32 bits
  void set(SimTime deadline, EventQueue& events, EventHandler& handler, std::uint32_t what) {
    set_ = true;
    deadline_ = deadline;
    if (!pending_ || deadline < pending_at_ || pending_is_upkeep_ != upkeep_) schedule(events, handler, what);
  }
  /// Sets the deadline as upkeep: while nobody depends on it, this timer alone keeps nothing going.
  void set_as_upkeep(SimTime deadline, EventQueue& events, EventHandler& handler, std::uint32_t what) {
    set_ = true;
    deadline_ = deadline;
    if (!pending_ || deadline < pending_at_ || !pending_is_upkeep_) schedule(events, handler, what | upkeep);
  }

  /// An event of this timer came. @return whether the timer has run out; it is cleared then
  bool run_out(std::uint32_t generation, EventQueue& events, EventHandler& handler, std::uint32_t what) {
    if (upkeep_) events.upkeep_handled();
    if (generation != generation_) return false;
    pending_ = false;
    if (!set_) return false;
    if (deadline_ > events.now()) {
      schedule(events, handler, what);
      return false;
    }
    set_ = false;
    return true;
  }

 private:
  void schedule(EventQueue& events, EventHandler& handler, std::uint32_t what) {
    pending_ = true;
    pending_at_ = deadline_;
    pending_is_upkeep_ = upkeep_ || (what & upkeep) != 0;
    ++generation_;
    const std::uint64_t event = std::uint64_t{generation_} << 32 | what;
    if (pending_is_upkeep_)
      events.schedule_upkeep(deadline_, handler, event);
    else
      events.schedule(deadline_, handler, event);
  }

  SimTime deadline_, pending_at_;
  std::uint32_t generation_ = 0;
  bool set_ = false, pending_ = false, pending_is_upkeep_ = false, upkeep_ = false;
};

}  // namespace morgana
