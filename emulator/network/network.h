#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/link_load.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/endpoints.h"

namespace morgana {

/// Where a host meets the network: one port a host, numbered like the hosts from 0.
enum class PortId : std::uint32_t {};
/// Chosen by whoever injects the unit; the network only carries it.
enum class UnitId : std::uint64_t {};

/// What a network carries in one piece: a LogGP message, an Ethernet frame, an ATM cell, a Myrinet packet.
struct Unit {
  UnitId id;
  PortId from;
  PortId to;   ///< another port than `from`
  Bytes size;  ///< what the transport hands over; the network adds its own framing
  /// A program's processor has brought it to the interface, and not the kernel (ReceptionHandlers).
  bool by_program = false;
  // Where interfaces know endpoints:
  Ends ends{};
  bool awaited = false;  ///< UnitListener::unit_written is to tell when the endpoint has taken it
};

/// Told, at the simulated time at which it happens, what became of a unit.
class UnitListener {
 public:
  /// The last bit of the unit has left its source port: the next one may follow. Comes first, whatever
  /// becomes of the unit, but for what an interface gives up (NetworkCapabilities::returns).
  virtual void unit_departed(UnitId id, PortId from) = 0;
  /// Of an awaited unit: the endpoint that sends it is in the interface's memory, so that the program that
  /// was suspended in writing it goes on. Never after the delivery.
  virtual void unit_written(UnitId /*id*/) {}
  /// The last bit has come out at its destination port.
  virtual void unit_delivered(UnitId id, PortId to) = 0;
  /// The unit will never come out (each unit is either delivered or lost, once).
  virtual void unit_lost(UnitId id) = 0;

 protected:
  ~UnitListener() = default;
};

class CellNetwork;

/// What may be relied on of a network. Whoever needs something of the level below asks for it here; the same
/// all the time.
struct NetworkCapabilities {
  /// Which units never overtake each other.
  enum class Order : std::uint8_t { none, of_port_pair };
  Order order = Order::of_port_pair;
  /// Every unit is delivered; none is ever lost.
  bool lossless = false;
  /// Parts of it have failed or will fail, so that a unit may be lost however often it is repeated.
  bool fails = false;
  /// The sending host learns of every unit that is lost: an interface has given it up. Only such a unit may
  /// be lost without having departed.
  bool returns = false;
};

/// A network of ports. A unit injected at one port comes out at another at some time, or is lost.
class Network {
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
  /// Within unit_lost: how much of the unit was lost, where and why, for people; empty where that is not
  /// known.
  virtual std::string how_lost() const { return {}; }
  /// Within unit_lost: how to have no such unit lost; empty where that is not known.
  virtual std::string remedy() const { return {}; }
  /// Whether a program that now writes a unit for this endpoint is suspended: a page fault (awaited units).
  virtual bool suspends(PortId /*at*/, EndpointId /*endpoint*/) const { return false; }
  /// A program has taken a held unit out of its receiving endpoint's queue.
  virtual void consumed(PortId /*at*/, const Ends& /*ends*/) {}
  /// What has happened up to `until`, before which nothing more may be injected; at least the event queue's
  /// now.
  virtual std::vector<CounterTable> counted(SimTime /*until*/) { return {}; }
  /// What its links have carried up to `until`, as for counted(); empty if it has no switches and cables. The
  /// links are there, and in the same order, before anything has been injected.
  virtual NetworkLinks links(SimTime /*until*/) { return {}; }
  /// The same network for transports that cut packets into cells themselves; nothing if it has no cells.
  virtual CellNetwork* cells() { return nullptr; }

 protected:
  UnitListener* listener_ = nullptr;
};

}  // namespace morgana
