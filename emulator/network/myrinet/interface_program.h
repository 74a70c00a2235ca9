#pragma once

#include <cstdint>

#include "emulator/network/network.h"

namespace morgana {

/// A packet at a host's NIC, as the network calls it there: from its first four bytes until it has been
/// delivered, lost or sent on.
enum class PacketAtInterface : std::uint32_t {};

/// What the first bytes of a packet mean to the NIC that it arrives at.
enum class ArrivalKind : std::uint8_t {
  for_host,    ///< its route is used up here, whether or not the packet is for this host
  in_transit,  ///< there is space for it; it waits for MyrinetNetwork::send_on
  no_room,     ///< in transit, but the pool is full: discarded, or sent on by way of the host's memory
};

/// What runs at the NICs of a MyrinetNetwork and decides when a packet in transit is sent on, in place
/// of two constants. Source: Flich, López, Malumbres and Duato, "Boosting the Performance of Myrinet
/// Networks", 2002, section 6: an event when the first four bytes of a packet are there, start and finish of
/// transfers. All is reported at the simulated time at which it happens; each may call MyrinetNetwork::inject
/// and send_on.
class InterfaceProgram {
 public:
  /// The first four bytes of a packet (all of it, if it has fewer) have come to a host, also of one that will
  /// turn out corrupted or cut off.
  virtual void early_received(PortId at, PacketAtInterface packet, ArrivalKind kind) = 0;
  /// All of an in_transit packet has come: reported once, whether its sending has begun or not, and before
  /// in_transit_departed.
  virtual void in_transit_received(PortId at, PacketAtInterface packet) = 0;
  /// The last byte of a packet in transit has left: its buffer is free, and so is the channel. Also of one
  /// for which there was no space, if it went through the host's memory.
  virtual void in_transit_departed(PortId at, PacketAtInterface packet) = 0;

 protected:
  ~InterfaceProgram() = default;
};

}  // namespace morgana
