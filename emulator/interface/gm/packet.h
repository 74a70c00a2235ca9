#pragma once

#include <cstdint>

#include "emulator/core/units.h"
#include "emulator/network/network.h"

namespace morgana::gm {

/// What a packet is, by the type behind its route. A packet in transit has a type of its own in front of
/// that, which the network's routes stand for (in_transit_mark).
enum class PacketType : std::uint8_t {
  gm,               ///< a message's, or a part of one: put into the host's memory, acknowledged
  acknowledgement,  ///< of packets of type gm: made and used up by control programs
  mapping,          ///< for the control program itself
  ip,               ///< put into the host's memory, not acknowledged
};

/// The number of a packet of type gm in its connection's session, from 0.
using Number = std::uint64_t;
/// A connection begins a new session when it has given the last one up; from 0.
using Session = std::uint32_t;

/// A packet between two NICs, as their control programs see it.
struct Packet {
  PortId from{}, to{};  ///< different
  PacketType type = PacketType::gm;
  Bytes payload{};
  UnitId message{};   ///< of type gm: the message of which it is a part
  Number number = 0;  ///< of type gm; of an acknowledgement: all packets before this one have come
  Session session = 0;
  bool completes_message = true;  ///< of type gm: it holds the message's last bytes
  bool first_time = true;         ///< of type gm: it has never been sent before
  bool refuses = false;           ///< of an acknowledgement: a later packet has come before packet `number`
};

}  // namespace morgana::gm
