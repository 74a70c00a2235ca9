#pragma once

#include <cstdint>

#include "emulator/core/event_queue.h"

namespace morgana {

/// What a control program does about events, one handler at a time.
class LanaiHandlers {
 public:
  /// The event's handler begins and decides what to do, from the state as it is.
  /// @return the cycles that it takes, >= 0
  virtual std::int64_t begin(unsigned event) = 0;
  /// They have passed: what was decided takes effect (transfers start, other events are raised).
  virtual void end(unsigned event) = 0;

 protected:
  ~LanaiHandlers() = default;
};

/// Which of the pending events is handled next.
enum class DispatchOrder : std::uint8_t {
  by_priority,  ///< the one with the lowest number: an event that never ceases starves all later ones
  in_turn,      ///< the next one behind the last, cyclically
};

/// The processor of a Myrinet NIC, as its control program uses it: events set bits of a status word,
/// and the event handler gives control to the state machine that handles the pending event of highest
/// priority, which then runs to its end. Source: Flich, López, Malumbres and Duato, "Boosting the Performance
/// of Myrinet Networks", 2002, section 6.
///
/// A dispatch reads the status word (as it is at the end of that instant), takes its cycles, clears the
/// event's bit and begins the handler; when that has ended the next dispatch begins, if anything is pending,
/// else with the next event. Bits don't count: a handler that leaves something undone raises its event again.
class LanaiProcessor : private EventHandler {
 public:
  static constexpr unsigned most_events = 32;

  /// @param handlers  must outlive it
  /// @param cycle  > 0
  /// @param dispatch  cycles, > 0
  LanaiProcessor(EventQueue& events, LanaiHandlers& handlers, SimTime cycle, std::int64_t dispatch,
                 DispatchOrder order = DispatchOrder::by_priority);

  /// @param event  its number, below most_events: its priority, 0 the highest, or its place in the cycle
  void raise(unsigned event);
  bool pending(unsigned event) const { return (status_ >> event & 1U) != 0; }
  /// A dispatch or a handler is under way, or about to be.
  bool busy() const { return busy_; }

  std::uint64_t dispatches() const { return dispatches_; }
  /// Spent in dispatches and handlers that have begun.
  std::int64_t cycles() const { return cycles_; }

 private:
  enum What : std::uint64_t { status_is_read, handler_begins, handler_ends };
  void handle(std::uint64_t what) override;
  void schedule(std::int64_t cycles, What what);
  unsigned next() const;

  EventQueue& events_;
  LanaiHandlers& handlers_;
  SimTime cycle_;
  std::int64_t dispatch_;
  DispatchOrder order_;
  std::uint32_t status_ = 0;
  unsigned current_ = most_events - 1;
  bool busy_ = false;
  std::uint64_t dispatches_ = 0;
  std::int64_t cycles_ = 0;
};

}  // namespace morgana
