#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"
#include "emulator/network/smp/bus_traffic.h"

namespace morgana {

/// The defaults are those of the SGI Challenge's bus, POWERpath-2.
struct SharedBusParameters {
  SimTime cycle = SimTime::from_ps(21'000);  ///< of the bus, > 0
  Bytes width{32};                           ///< data that it moves in a cycle, > 0
  Bytes line{128};                           ///< of the caches: what one miss brings, > 0
  std::uint32_t turnaround = 1;  ///< cycles that a line occupies the bus in addition to those of its data
  std::uint32_t miss = 22;       ///< cycles from the grant of the bus until a processor has the line
  SimTime work;                  ///< of a processor on each line that it copies
};

/// Cycles of the bus that one line occupies.
std::int64_t line_occupancy(const SharedBusParameters& parameters);

/// Processors with caches on one bus, in front of one memory; a message goes through a buffer there. Each
/// port is a processor. A unit of k bytes is max(1, k / line, rounded up) cache lines: the sender copies them
/// in and misses each, as the receiver has read that buffer last; when all are in, the receiver copies them
/// out and misses each, as the sender has written them. Nothing is lost.
///
/// The rules: A processor has one copy in hand and one miss outstanding; copies wait for it in the order in
/// which they became possible. It asks for the bus when it is done with the line before. The bus is granted
/// at whole multiples of its cycle, round-robin: to the first processor after the last one that had it, of
/// those that have asked by then. A line occupies the bus for its data's cycles and the turnaround; requests
/// and replies are split, so that lines of other processors pass between them. `miss` cycles after the grant
/// the processor has the line, and works on it. A unit has departed when it has been copied in, and is
/// delivered when it has been copied out. Copies that end at the same time are followed by the next ones in
/// the order of their processors, and before units that are injected then.
///
/// Simplifications: the bus carries messages only, no misses of the programs' computing; memory banks are
/// never busy; the message's own place in the sender's and the receiver's memory is in their caches.
///
/// Only ends of copies are events; what happens on the bus in between is worked out by BusTraffic.
///
/// Sources: J. Hennessy, D. Patterson: Computer Architecture, a Quantitative Approach, 2nd edition, 1996,
/// chapter 8 (snooping caches on a bus, the SGI Challenge).
class SharedBus : public Network, private EventHandler {
 public:
  /// @throws Error if a parameter is out of range
  SharedBus(EventQueue& events, std::size_t ports, const SharedBusParameters& parameters);
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override { return {.lossless = true}; }
  /// The bus is in use by the lines of copies that have ended.
  std::vector<CounterTable> counted(SimTime until) override;

 private:
  using Slot = std::uint32_t;
  static constexpr Slot none = ~Slot{0};

  struct Message {
    Unit unit;
    Slot next_free;
  };
  struct Copy {
    Slot message;
    bool out;
  };

  void handle(std::uint64_t what) override;
  void settle();
  void follow(std::uint32_t processor);
  void wait_for_processor(std::uint32_t processor, Copy copy);
  void begin_first(std::uint32_t processor);
  void expect_next_end();
  std::int64_t lines_of(Slot message) const;
  Slot store(const Unit& unit);

  EventQueue& events_;
  SharedBusParameters parameters_;
  smp::LineCosts costs_;
  smp::BusTraffic traffic_;
  std::vector<std::deque<Copy>> copies_;  // by processor; the first is in hand
  SimTime busy_;                          // by copies that have ended
  std::uint64_t generation_ = 0;          // of the expected end in the event queue
  std::vector<Message> messages_;         // by slot; a slot is free again once its unit is delivered
  Slot first_free_ = none;
};

}  // namespace morgana
