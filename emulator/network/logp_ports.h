#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/end_of_time.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/large_pages.h"
#include "emulator/network/network.h"

namespace morgana {

/// L, g and G of LogGP; o belongs to the message layer. All >= 0.
/// Source: Alexandrov, Ionescu, Schauser, Scheiman: LogGP, SPAA 1995; the serialisation at both NICs
/// follows Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010.
struct LogpParameters {
  SimTime latency;        ///< L: from the sending NIC to the receiving one
  SimTime gap;            ///< g: between consecutive messages at a NIC
  ByteCost gap_per_byte;  ///< G: for each byte after the first
  /// Beyond LogGP: what each of a message's first bytes adds to L. Adapters and buses pass on packets, not
  /// bytes, and short messages in other ways than longer ones: latency grows more steeply with size than what
  /// the NICs are occupied for.
  ByteCost latency_per_byte = ByteCost();
  Bytes latency_bytes{4096};  ///< so many bytes add to it

  SimTime transfer_of(Bytes size) const {
    return time_before_end(gap_per_byte, Bytes(std::max<std::int64_t>(size.count(), 1) - 1));
  }
  SimTime latency_of(Bytes size) const {
    if (latency_per_byte == ByteCost()) return latency;
    return latency + time_before_end(latency_per_byte, std::min(size, latency_bytes));
  }
};

/// A PortNetwork whose ports are LogpPorts.
class LogpPortNetwork : public PortNetwork {
 public:
  virtual const LogpParameters& parameters() const = 0;

 protected:
  ~LogpPortNetwork() = default;
};

/// The ports of a network of which only latency and the NICs' occupation are known. A message of k
/// bytes (0 count as 1) that is handed over at t
///   - starts       at s = max(t, sending NIC free), which is then taken until s + g + (k-1) G,
///   - has departed at s + (k-1) G,
///   - is received  from r = max(s + L', receiving NIC free), which is then taken until r + g + (k-1)
///     G; L' is L, and latency_per_byte for each of its bytes up to latency_bytes,
///   - is delivered at r + (k-1) G.
/// A NIC sends in the order of injection and receives in the order of the starts, those at the same
/// time in the order of injection. Nothing is lost.
/// @tparam Message  what the client knows of a message; small, since it is copied
/// @tparam Client  has departed(Message, from) and delivered(Message, from, to, size)
template <class Message, class Client>
class LogpPorts final : private EventHandler {
 public:
  /// The references must outlive this.
  LogpPorts(EventQueue& events, std::size_t ports, const LogpParameters& parameters, Client& client)
      : events_(events), parameters_(parameters), client_(client), interfaces_(ports) {}

  const LogpParameters& parameters() const { return parameters_; }

  // When a message will start is known at once. Where it queues at its receiver is not, as long as others
  // may be injected that start earlier: that is settled once its start has come, at the latest when
  // it departs, which is never after its delivery.
  /// Never calls the client from within. @throws TimePastEnd
  void inject(const Message& message, PortId from, PortId to, Bytes size) {
    assert(from != to && static_cast<std::size_t>(to) < interfaces_.size());
    const Slot slot = store(message, from, to, size);
    const SimTime now = events_.now();
    const SimTime transfer = flights_[slot].transfer;
    Interface& sender = interface(from);
    const SimTime start = time_before_end(std::max(now, sender.sending_free));
    sender.sending_free = time_before_end(start + transfer) + parameters_.gap;

    if (start > now) return wait_in_line(slot, sender, start);
    Interface& receiver = interface(to);
    settle_starts_until_now(receiver);
    const SimTime received_from = take_receiver(receiver, now, flights_[slot]);
    if (received_from == now) {
      events_.schedule(now + transfer, *this, event(departure_and_delivery, slot));
    } else {
      events_.schedule(now + transfer, *this, event(departure, slot));
      events_.schedule(received_from + transfer, *this, event(delivery, slot));
    }
  }

 private:
  using Slot = std::uint32_t;
  static constexpr Slot none = ~Slot{0};
  // The kind of an event is its lowest bits, the message's slot above them.
  enum What : std::uint64_t { departure, delivery, departure_and_delivery };
  static constexpr unsigned what_bits = 2;
  static std::uint64_t event(What what, Slot slot) { return std::uint64_t{slot} << what_bits | what; }

  struct Flight {
    Message message;
    PortId from{}, to{};
    Bytes size;
    SimTime transfer;        ///< (k-1) G
    SimTime start;           ///< from here on: of a message that has to wait for its sender's NIC
    std::uint64_t turn = 0;  ///< of its departure in the event queue: in the order of injection
    Slot next = none;        ///< in its sender's line, or in the list of free slots
  };
  struct Start {
    SimTime at;
    std::uint64_t turn;
    Slot slot;
  };
  struct Interface {
    SimTime sending_free, receiving_free;
    /// The line of messages that wait for this NIC to send them. Only of the first is the departure in
    /// the event queue and (see announced_early) the start known to its receiver.
    Slot first_to_send = none, last_to_send = none;
    std::vector<Start> starts_to_come;  ///< of messages to this NIC, a heap with the first on top
  };

  static bool later(const Start& a, const Start& b) { return a.at != b.at ? a.at > b.at : a.turn > b.turn; }
  Interface& interface(PortId port) { return interfaces_[static_cast<std::size_t>(port)]; }
  /// With a gap, a message starts after the departure of the one before it, which is time enough to tell its
  /// receiver. Without one both may happen at the same time: then receivers are notified at the injection.
  bool announced_early() const { return parameters_.gap == SimTime(); }

  Slot store(const Message& message, PortId from, PortId to, Bytes size) {
    const SimTime transfer = parameters_.transfer_of(size);
    if (first_free_ == none) {
      flights_.emplace_back();
      first_free_ = static_cast<Slot>(flights_.size() - 1);
    }
    const Slot slot = first_free_;
    Flight& flight = flights_[slot];
    first_free_ = flight.next;
    flight.message = message;
    flight.from = from;
    flight.to = to;
    flight.size = size;
    flight.transfer = transfer;
    flight.next = none;
    return slot;
  }

  void wait_in_line(Slot slot, Interface& sender, SimTime start) {
    Flight& flight = flights_[slot];
    flight.start = start;
    flight.turn = events_.take_turn();
    if (announced_early()) announce_start(slot);
    if (sender.first_to_send == none) {
      sender.first_to_send = sender.last_to_send = slot;
      come_first(slot);
    } else {
      flights_[sender.last_to_send].next = slot;
      sender.last_to_send = slot;
    }
  }

  void come_first(Slot slot) {
    const Flight& flight = flights_[slot];
    if (!announced_early()) announce_start(slot);
    events_.schedule_in_turn(flight.start + flight.transfer, flight.turn, *this, event(departure, slot));
  }

  void announce_start(Slot slot) {
    const Flight& flight = flights_[slot];
    auto& starts = interface(flight.to).starts_to_come;
    starts.push_back({flight.start, flight.turn, slot});
    std::push_heap(starts.begin(), starts.end(), later);
  }

  /// @return when the receiving NIC begins to take a message that has started at `start`
  SimTime take_receiver(Interface& receiver, SimTime start, const Flight& flight) {
    const SimTime received_from =
        time_before_end(std::max(start + parameters_.latency_of(flight.size), receiver.receiving_free));
    receiver.receiving_free = time_before_end(received_from + flight.transfer) + parameters_.gap;
    return received_from;
  }

  void settle_starts_until_now(Interface& receiver) {
    auto& starts = receiver.starts_to_come;
    while (!starts.empty() && starts.front().at <= events_.now()) {
      const Start start = starts.front();
      std::pop_heap(starts.begin(), starts.end(), later);
      starts.pop_back();
      const Flight& flight = flights_[start.slot];
      events_.schedule(take_receiver(receiver, start.at, flight) + flight.transfer, *this,
                       event(delivery, start.slot));
    }
  }

  void handle(std::uint64_t what) override {
    const auto slot = static_cast<Slot>(what >> what_bits);
    const auto kind = static_cast<What>(what & ((1U << what_bits) - 1));
    Flight& flight = flights_[slot];
    const Message message = flight.message;  // copies: the client may inject
    const PortId from = flight.from, to = flight.to;
    const Bytes size = flight.size;
    if (kind == departure) {
      Interface& sender = interface(from);
      if (slot == sender.first_to_send) {  // else it has not waited
        sender.first_to_send = flight.next;
        if (sender.first_to_send != none) come_first(sender.first_to_send);
      }
      settle_starts_until_now(interface(to));
    }
    if (kind != delivery) client_.departed(message, from);
    if (kind == departure) return;
    flights_[slot].next = first_free_;
    first_free_ = slot;
    client_.delivered(message, from, to, size);
  }

  EventQueue& events_;
  LogpParameters parameters_;
  Client& client_;
  std::vector<Interface> interfaces_;
  LargeVector<Flight> flights_;  // by slot; a slot is free again once its message is delivered
  Slot first_free_ = none;
};

}  // namespace morgana
