#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/event_lines.h"
#include "emulator/core/time.h"

namespace morgana {

/// An object to which events happen: a port, a protocol's timer, the engine.
class EventHandler {
 public:
  /// @param what  the number given to EventQueue::schedule; its meaning is the handler's own
  virtual void handle(std::uint64_t what) = 0;
  /// Whether its events are a program's own (an operation, a message within a host). Those of hosts and
  /// network are not: background traffic has such events, too.
  virtual bool serves_program() const { return false; }

 protected:
  ~EventHandler() = default;
};

/// What is going to happen, in order of simulated time. Time can't go backwards, and two events at the same
/// time have one fixed order: first the starts of ranks' operations, by rank; then everything else, in the
/// order in which it was scheduled; then what was scheduled as late. There is no cancelling: a handler whose
/// timer has become meaningless ignores it (by a generation number in `what`).
class EventQueue {
 public:
  /// Nothing happens later. Sums of two times up to this don't overflow.
  static constexpr SimTime latest = SimTime::from_ps((std::int64_t{1} << 62) - 1);

  /// Time of the event being handled; never goes back.
  SimTime now() const { return now_; }
  bool empty() const { return size_ == 0; }
  std::size_t size() const { return size_; }
  /// Time of the next event; the queue must not be empty.
  SimTime next_time() {
    fill();
    const Event::Key lines = lines_.first_key(), heap = heap_key();
    return SimTime::from_ps(static_cast<std::int64_t>((lines < heap ? lines : heap) >> 64));
  }

  /// @param at  not before now()
  void schedule(SimTime at, EventHandler& handler, std::uint64_t what = 0);
  /// The start of an operation of rank number `rank`: before every other event at the same time.
  /// A rank has at most one scheduled.
  void schedule_operation(SimTime at, std::uint32_t rank, EventHandler& handler, std::uint64_t what);
  /// After everything else at the same time that is scheduled before this is handled: for what must see an
  /// instant's whole outcome (who wins, what a buffer then holds). Late events keep their order.
  void schedule_late(SimTime at, EventHandler& handler, std::uint64_t what = 0);

  // A handler with many events of which the order is known stores them in a line of its own and schedules
  // only the first: the queue stays short.
  /// The place among events at the same time that an event scheduled now would have.
  std::uint64_t take_turn() { return scheduled_++; }
  /// As if it had been scheduled when the turn was taken, if nothing later than it has been handled yet.
  void schedule_in_turn(SimTime at, std::uint64_t turn, EventHandler& handler, std::uint64_t what);

  // Events that recur without bound by themselves (a protocol's poll timer, a monitor's probe) must neither
  // keep a run from ending nor hide that it can't continue.
  /// As schedule, for an event that alone keeps nothing going. Its handler calls upkeep_handled() first.
  void schedule_upkeep(SimTime at, EventHandler& handler, std::uint64_t what = 0) {
    schedule(at, handler, what);
    ++upkeep_;
  }
  void upkeep_handled() { --upkeep_; }
  /// From hold() to release() something depends on upkeep: data are unacknowledged, say, and the poll timer
  /// will have them sent again.
  void hold() { ++holds_; }
  void release() { --holds_; }
  /// Nothing will happen any more, but for upkeep that nothing depends on.
  bool idle() const { return size() == upkeep_ && (holds_ == 0 || empty()); }

  /// Whether anything is going to happen to a handler that serves a program. Looks through all events.
  bool holds_event_of_program() const;

  /// Takes the next event, moves now() to it and lets its handler handle it; the queue must not be empty.
  void handle_next();

  std::uint64_t handled() const { return handled_; }

 private:
  void push(SimTime at, std::uint64_t order, EventHandler& handler, std::uint64_t what);
  void push_into_heap(const Event& event);
  /// The last event takes the place of the one that is being handled, or has been, if nothing has yet.
  void fill() {
    if (hollow_) fill_root();
  }
  void fill_root();
  /// Of its first event; it must have been filled.
  Event::Key heap_key() const { return heap_.empty() ? EventLines::nothing : heap_.front().key(); }
  void sift_down(const Event& event);
  std::size_t least_child(std::size_t first) const;

  EventLines lines_;
  std::vector<Event> heap_;  // of those that are in no line; four children to a node: fewer levels, one cache
                             // line pair a level
  /// The root is the event that is being handled, or has been: the next one to be scheduled takes its place,
  /// which costs half of taking it out and putting that in.
  bool hollow_ = false;
  SimTime now_;
  std::size_t size_ = 0;  // of lines and heap
  std::uint64_t scheduled_ = 0;
  std::uint64_t handled_ = 0;
  std::size_t upkeep_ = 0, holds_ = 0;
};

}  // namespace morgana
