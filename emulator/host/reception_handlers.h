#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/host/kernel.h"
#include "emulator/network/interface_network.h"

namespace morgana {

/// What a kernel spends on the units that its host sends and receives.
struct HandlerParameters {
  SimTime reception;            ///< CPU time for each unit received, in addition to the interrupt
  ByteCost reception_per_byte;  ///< copying out of the NIC
  SimTime launch;               ///< CPU time for each unit that the kernel sends
  ByteCost launch_per_byte;     ///< copying into the NIC
  std::uint32_t outgoing = 16;  ///< units that the NIC's outgoing queue holds, > 0
  Bytes largest_unit{65535};    ///< that the kernel makes, > 0; where the network's is smaller, that counts
};

/// What the reception handlers have done so far.
struct HandlerCounters {
  std::uint64_t received = 0;      ///< units
  std::uint64_t launched = 0;      ///< units that the kernel has sent
  std::uint64_t by_programs = 0;   ///< units that a program has brought to the NIC
  std::uint64_t interrupts = 0;    ///< each of which begins a handler's work
  std::uint64_t polls = 0;         ///< those that found something, and began a handler's work
  std::uint64_t most_waiting = 0;  ///< units that waited for a host's handler at once
};

/// Another network, whose units the hosts' kernels take from their NICs and bring to them, with
/// CPU time: stages 1, 3 and 4 of the communication pipeline of K.-P. Wong and C.-L. Wang, "Push-Pull
/// Messaging", 1999, section 1.1. (Stage 2, the pumping of data, is the network's.)
///
/// Each host has one reception handler at a time, as only one thread may own the interface. A unit that has
/// come while none runs interrupts a processor (Kernel::interrupt), or waits for a program that polls
/// (Kernel::poller); the handler runs there, takes unit after
/// unit, each in the order in which it came, and brings what it answers to the NIC before it looks at
/// the next one; what others send while it runs waits for its turn. It ends when nothing is left. A unit is
/// delivered when the handler has done with it. What the kernel sends while no handler runs (a timer's
/// repetition) is brought there on the processor that the last handler ran on, without an interrupt. What a
/// program's processor has brought to the NIC (Unit::by_program) costs the kernel nothing.
///
/// A unit counts as departed when it is in the NIC's outgoing queue, which has space for so many; the
/// next one may be brought there while the wire is busy with it.
class ReceptionHandlers final : public InterfaceNetwork<>,
                                private UnitListener,
                                private EventHandler,
                                private InterfaceOwner {
 public:
  /// @param kernel  must outlive it, like the event queue
  ReceptionHandlers(EventQueue& events, Kernel& kernel, std::unique_ptr<Network> network,
                    const HandlerParameters& parameters);

  void inject(const Unit& unit) override;
  Bytes largest_unit() const override { return std::min(network_->largest_unit(), parameters_.largest_unit); }
  std::vector<CounterTable> counted(SimTime until) override;
  const HandlerCounters& counters() const { return counters_; }

 private:
  struct Task {
    bool received;  // else to be sent
    Unit unit;
  };
  struct Host {
    std::deque<Task> tasks;     // the first one is at work, if the handler runs and has begun it
    std::deque<Unit> outgoing;  // brought to the NIC, whose queue is full
    std::size_t processor = 0;
    std::uint32_t in_queue = 0;  // units in the NIC's outgoing queue
    std::ptrdiff_t answers = 0;  // at the head of the tasks, to what has just been done
    bool runs = false, has_begun = false, answering = false;
  };
  Host& host_at(PortId port) { return hosts_.try_emplace(static_cast<std::uint32_t>(port)).first.value(); }

  void handle(std::uint64_t what) override;
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void looked_at(HostId host, std::size_t processor) override;
  void go_on(PortId port);
  void to_queue(PortId port, const Unit& unit);

  EventQueue& events_;
  Kernel& kernel_;
  HandlerParameters parameters_;
  HandlerCounters counters_;
  tsl::robin_map<std::uint32_t, Host> hosts_;      // that have sent or received, by port
  tsl::robin_map<std::uint64_t, Unit> under_way_;  // in the network, by number
  std::deque<Unit> by_program_;                    // whose event is scheduled, in order
};

}  // namespace morgana
