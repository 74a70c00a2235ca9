#pragma once

#include <cstdint>

#include "emulator/core/event_queue.h"
#include "emulator/network/myrinet/worms.h"

namespace morgana::myrinet {

/// What an event of a MyrinetNetwork is about. Each concerns one channel, passage, host or switch.
enum class WormEvent : std::uint8_t {
  header_arrives,  ///< at the receiver's end of a channel; or another reason to look at the input
  routing_ends,    ///< of the packet that holds an output
  run_is_over,
  may_start,  ///< a flit that a channel's sender had to wait for
  stop_arrives,
  go_arrives,
  mark_is_there,
  first_four_are_there,
  in_transit_is_there,
  packet_is_there,
  packet_is_ready,
  channel_dies,
  // Late, when all else at an instant has happened:
  interface_chooses,
  switch_arbitrates,
  patience_ends,
  thresholds_are_checked
};

/// The event queue as the parts of a MyrinetNetwork use it: an event is a WormEvent and the number of what it
/// concerns, in one word. A copy is as good as the original.
class Agenda {
 public:
  /// @param handler  handles all of the events; both must outlive this object and its copies
  Agenda(EventQueue& events, EventHandler& handler) : events_(events), handler_(handler) {}

  Time now() const { return events_.now().ps(); }
  /// @param at  not before now()
  void schedule(Time at, WormEvent what, Index index) const {
    events_.schedule(SimTime::from_ps(at), handler_, word(what, index));
  }
  /// As EventQueue::schedule_late.
  void schedule_late(Time at, WormEvent what, Index index) const {
    events_.schedule_late(SimTime::from_ps(at), handler_, word(what, index));
  }

  static WormEvent what(std::uint64_t word) { return static_cast<WormEvent>(word & ((1U << what_bits) - 1)); }
  static Index index(std::uint64_t word) { return static_cast<Index>(word >> what_bits); }

 private:
  static constexpr unsigned what_bits = 4;
  static std::uint64_t word(WormEvent what, Index index) {
    return std::uint64_t{index} << what_bits | static_cast<std::uint64_t>(what);
  }

  EventQueue& events_;
  EventHandler& handler_;
};

}  // namespace morgana::myrinet
