#pragma once

#include <cassert>
#include <cstdint>

#include "emulator/core/event_queue.h"

namespace morgana {

/// What the event of a LazyTimer says: whose timer it is, and which of the owner's.
struct TimerEvent {
  std::uint32_t generation = 0;
  std::uint32_t owner = 0;  ///< below 2^29
  std::uint8_t kind = 0;    ///< 0 to 3
  bool upkeep = false;      ///< it keeps nothing going (EventQueue::schedule_upkeep)

  static constexpr std::uint32_t owners = std::uint32_t{1} << 29;

  bool operator==(const TimerEvent&) const = default;

  /// What EventHandler::handle is given, and back.
  std::uint64_t packed() const {
    return std::uint64_t{generation} << 32 | std::uint64_t{upkeep} << 31 | std::uint64_t{kind} << 29 | owner;
  }
  static TimerEvent unpacked(std::uint64_t what) {
    return {static_cast<std::uint32_t>(what >> 32), static_cast<std::uint32_t>(what) & (owners - 1),
            static_cast<std::uint8_t>(what >> 29 & 3), (what >> 31 & 1) != 0};
  }
};

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

  /// @param handler  gets a TimerEvent, packed, of this owner and kind
  /// @param owner    below TimerEvent::owners @param kind 0 to 3
  void set(SimTime deadline, EventQueue& events, EventHandler& handler, std::uint32_t owner,
           std::uint8_t kind = 0) {
    set(deadline, events, handler, {0, owner, kind, upkeep_});
  }
  /// Sets the deadline as upkeep: this timer alone does not keep a run going.
  void set_as_upkeep(SimTime deadline, EventQueue& events, EventHandler& handler, std::uint32_t owner,
                     std::uint8_t kind = 0) {
    set(deadline, events, handler, {0, owner, kind, true});
  }

  /// An event of this timer came. @return whether the timer has run out; it is cleared then
  bool run_out(const TimerEvent& event, EventQueue& events, EventHandler& handler) {
    if (event.upkeep) events.upkeep_handled();
    if (event.generation != generation_) return false;
    pending_ = false;
    if (!set_) return false;
    if (deadline_ > events.now()) {
      schedule(events, handler, event);
      return false;
    }
    set_ = false;
    return true;
  }

 private:
  void set(SimTime deadline, EventQueue& events, EventHandler& handler, const TimerEvent& event) {
    assert(event.owner < TimerEvent::owners && event.kind < 4);
    set_ = true;
    deadline_ = deadline;
    if (!pending_ || deadline < pending_at_ || pending_is_upkeep_ != event.upkeep)
      schedule(events, handler, event);
  }

  void schedule(EventQueue& events, EventHandler& handler, TimerEvent event) {
    pending_ = true;
    pending_at_ = deadline_;
    pending_is_upkeep_ = event.upkeep;
    event.generation = ++generation_;
    if (event.upkeep)
      events.schedule_upkeep(deadline_, handler, event.packed());
    else
      events.schedule(deadline_, handler, event.packed());
  }

  SimTime deadline_, pending_at_;
  std::uint32_t generation_ = 0;
  bool set_ = false, pending_ = false, pending_is_upkeep_ = false, upkeep_ = false;
};

}  // namespace morgana
