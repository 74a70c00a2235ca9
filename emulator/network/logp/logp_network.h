#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"

namespace morgana {

/// L, g and G of LogGP; o belongs to the message layer. All >= 0.
/// Source: Alexandrov, Ionescu, Schauser, Scheiman: LogGP, SPAA 1995; the serialisation at both interfaces
/// follows Hoefler, Schneider, Lumsdaine: LogGOPSim, LSAP 2010.
struct LogpParameters {
  SimTime latency;        ///< L: from the sending interface to the receiving one
  SimTime gap;            ///< g: between consecutive messages at an interface
  ByteCost gap_per_byte;  ///< G: for each byte after the first
  /// Beyond LogGP: what each of a message's first bytes adds to L. Adapters and buses pass on packets, not
  /// bytes, and short messages in other ways than longer ones: latency grows more steeply with size than what
  /// the interfaces are occupied for.
  ByteCost latency_per_byte = ByteCost();
  Bytes latency_bytes{4096};  ///< so many bytes add to it
};

/// A network of which only latency and the interfaces' occupation are known. A message of k bytes (0 count as
/// 1) that is handed over at t
///   - starts       at s = max(t, sending interface free), which is then taken until s + g + (k-1) G,
///   - has departed at s + (k-1) G,
///   - is received  from r = max(s + L', receiving interface free), which is then taken until r + g + (k-1)
///   G;
///     L' is L, and latency_per_byte for each of its bytes up to latency_bytes,
///   - is delivered at r + (k-1) G.
/// An interface sends in the order of injection and receives in the order of the starts, those at the same
/// time in the order of injection. Nothing is lost.
class LogpNetwork : public Network, public PortNetwork, private EventHandler {
 public:
  LogpNetwork(EventQueue& events, std::size_t ports, const LogpParameters& parameters);
  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override { return {.lossless = true}; }
  NetworkExtensions extensions() override { return {.ports = this}; }
  PortTimes port_times(Bytes size) const override;

 private:
  using Slot = std::uint32_t;
  static constexpr Slot none = ~Slot{0};

  struct Message {
    Unit unit;
    SimTime transfer;  ///< (k-1) G
    SimTime start;     ///< from here on: of a message that has to wait for its sender's interface
    std::uint64_t injected = 0;
    std::uint64_t turn = 0;  ///< of its departure in the event queue
    Slot next = none;        ///< in its sender's line, or in the list of free slots
  };
  struct Start {
    SimTime at;
    std::uint64_t injected;
    Slot slot;
  };
  struct Interface {
    SimTime sending_free, receiving_free;
    /// The line of messages that wait for this interface to send them. Only of the first is the departure in
    /// the event queue and (see announced_early) the start known to its receiver.
    Slot first_to_send = none, last_to_send = none;
    std::vector<Start> starts_to_come;  ///< of messages to this interface, a heap with the first on top
  };

  void handle(std::uint64_t what) override;
  void wait_in_line(Slot slot, Interface& sender, SimTime start);
  void come_first(Slot slot);
  void announce_start(Slot slot);
  void settle_starts_until_now(Interface& receiver);
  SimTime transfer_of(Bytes size) const;
  SimTime latency_of(Bytes size) const;
  SimTime take_receiver(Interface& receiver, SimTime start, const Message& message);
  static bool later(const Start& a, const Start& b) {
    return a.at != b.at ? a.at > b.at : a.injected > b.injected;
  }
  Slot store(const Unit& unit);
  Interface& interface(PortId port) { return interfaces_[static_cast<std::size_t>(port)]; }
  /// With a gap, a message starts after the departure of the one before it, which is time enough to tell its
  /// receiver. Without one both may happen at the same time: then receivers are told at the injection.
  bool announced_early() const { return parameters_.gap == SimTime(); }

  EventQueue& events_;
  LogpParameters parameters_;
  std::vector<Interface> interfaces_;
  std::vector<Message> messages_;  // by slot; a slot is free again once its message is delivered
  Slot first_free_ = none;
  std::uint64_t injected_ = 0;
};

}  // namespace morgana
