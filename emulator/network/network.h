#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/diagnostics.h"
#include "emulator/network/telemetry.h"

namespace morgana {

/// Where a host meets the network: one port a host, numbered like the hosts from 0.
enum class PortId : std::uint32_t {};
/// Chosen by the caller that injects the unit; the network only carries it.
enum class UnitId : std::uint64_t {};

/// What a network carries in one piece: a LogGP message, an Ethernet frame, an ATM cell, a Myrinet packet.
struct Unit {
  UnitId id;
  PortId from;
  PortId to;   ///< another port than `from`
  Bytes size;  ///< what the transport hands over; the network adds its own framing
  /// A program's processor has brought it to the NIC, and not the kernel (ReceptionHandlers).
  bool by_program = false;
  /// Where the network has several (NetworkCapabilities::traffic_classes).
  std::uint8_t traffic_class = 0;
  /// Units of the same two ports that differ in it are different flows (five-tuple): a routing that spreads
  /// flows may lead them differently.
  std::uint32_t entropy = 0;
  /// Ports that have space in it for their telemetry, where the network records it (TelemetryNetwork); its
  /// size includes that space.
  std::uint8_t telemetry_ports = 0;
  /// Its receiver knows what to do with its header alone (TrimmingNetwork): a network that trims cuts it
  /// where it would drop others.
  bool may_be_trimmed = false;
};

/// What a switch that had no space for a unit has left of it: its header, or all of it.
enum class Trimmed : std::uint8_t {
  no,
  on_the_way,
  at_last_switch,  ///< before the destination's cable
};

/// Whether a unit goes from one of these ports to another of them. @param ports  by number
inline bool are_both(const std::vector<bool>& ports, const Unit& unit) {
  const auto from = static_cast<std::size_t>(unit.from), to = static_cast<std::size_t>(unit.to);
  return from < ports.size() && to < ports.size() && ports[from] && ports[to];
}

/// Is called, at the simulated time at which it happens, with what became of a unit.
class UnitListener {
 public:
  /// The last bit of the unit has left its source port: the next one may follow. Always reported before
  /// delivery or loss. Exception: a unit that a NIC gave up (NetworkCapabilities::returns).
  virtual void unit_departed(UnitId id, PortId from) = 0;
  /// The last bit has come out at its destination port.
  virtual void unit_delivered(UnitId id, PortId to) = 0;
  /// The unit will never come out (each unit is either delivered or lost, once).
  virtual void unit_lost(UnitId id) = 0;

 protected:
  ~UnitListener() = default;
};

class CellNetwork;
class EndpointNetwork;

/// A network that marks units where they meet congestion, and what a sender's rate is counted by.
class MarkingNetwork {
 public:
  /// Of the cable at a port.
  virtual BitRate port_rate(PortId port) const = 0;
  /// What a unit of that size takes there, its gap included.
  virtual Bytes on_link(Bytes unit) const = 0;
  /// Within UnitListener::unit_delivered: whether the unit came marked.
  virtual bool delivered_marked() const = 0;

 protected:
  ~MarkingNetwork() = default;
};

/// A network whose switches cut units to their headers where they have no space for them.
class TrimmingNetwork {
 public:
  /// Within UnitListener::unit_delivered.
  virtual Trimmed delivered_trimmed() const = 0;

 protected:
  ~TrimmingNetwork() = default;
};

/// What a unit takes of the two ports that it passes.
struct PortTimes {
  SimTime transfer;  ///< its last bit leaves, or comes out, so much after its first
  SimTime busy;  ///< for so long after its first bit each of the two ports takes no other unit; >= transfer
  SimTime latency;  ///< from the first bit's start until the receiving port may begin to take it
};

/// A network in which units wait for their two ports and for nothing else, first come, first served: a unit
/// starts when its sending port is free, and comes out from its latency later on, or when the receiving port
/// is free, if that is later.
class PortNetwork {
 public:
  /// The same for all ports, at any time. @throws TimePastEnd
  virtual PortTimes port_times(Bytes size) const = 0;

 protected:
  ~PortNetwork() = default;
};

/// What may be relied on of a network: a level that needs something of the one below reads it here. The same
/// all the time.
struct NetworkCapabilities {
  /// Which units never overtake each other.
  enum class Order : std::uint8_t {
    none,
    but_for_outages,  ///< those of a pair of ports, except where their path changes in between
    of_port_pair
  };
  Order order = Order::of_port_pair;  ///< of units of one traffic class and entropy
  unsigned traffic_classes = 1;
  /// Every unit is delivered; none is ever lost.
  bool lossless = false;
  /// Parts of it have failed or will fail, so that a unit may be lost however often it is repeated.
  bool fails = false;
  /// The sending host learns of every unit that is lost: a NIC has given it up. Only such a unit may
  /// be lost without having departed.
  bool returns = false;
};

/// Interfaces that some networks provide in addition to Network; null where a network has none.
struct NetworkExtensions {
  CellNetwork* cells = nullptr;           ///< for transports that cut packets into cells themselves
  EndpointNetwork* endpoints = nullptr;   ///< for message layers that name programs' endpoints
  MarkingNetwork* marking = nullptr;      ///< for transports with congestion control
  TelemetryNetwork* telemetry = nullptr;  ///< likewise
  TrimmingNetwork* trimming = nullptr;    ///< likewise; null where nothing is trimmed
  const PortNetwork* ports = nullptr;     ///< for who computes times of what can't contend
};

/// A network of ports. A unit injected at one port comes out at another at some time, or is lost.
class Network : public NetworkDiagnostics {
 public:
  virtual ~Network() = default;
  /// Must be called before the first injection.
  void report_to(UnitListener& listener) { listener_ = &listener; }
  /// Hands a unit to its source port, now (the event queue's); a port sends its units in the order given.
  /// Never calls the listener from within.
  virtual void inject(const Unit& unit) = 0;
  /// The largest unit that it carries.
  virtual Bytes largest_unit() const = 0;
  /// No unit ever comes out sooner after it was injected than this, whatever its size and ports.
  virtual SimTime least_latency() const { return SimTime(); }
  virtual NetworkCapabilities capabilities() const { return {}; }
  /// The same network by its other interfaces. The same all the time.
  virtual NetworkExtensions extensions() { return {}; }

 protected:
  UnitListener* listener_ = nullptr;
};

}  // namespace morgana
