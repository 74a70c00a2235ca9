#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/transport.h"

namespace morgana::uet {

/// A packet sequence number that does not wrap. Each direction of a connection counts its own from 0.
using Psn = std::uint64_t;

/// Of two processes' pair of connections the opposite one differs in the lowest bit.
using ConnectionId = std::uint32_t;
constexpr ConnectionId opposite(ConnectionId connection) {
  return connection ^ 1U;
}

/// What a receiver says of what has come.
struct Acknowledgement {
  Psn expected = 0;        ///< all before it have come
  Psn base = 0;            ///< of the bitmap
  std::uint64_t came = 0;  ///< bit i: base + i has come
  Psn packet = 0;          ///< for which it is
  bool marked = false;     ///< that packet came so
  bool repeated = false;   ///< it was not sent for the first time
  std::int64_t bytes = 0;  ///< that have come in all, each packet once, on the sender's link
};
inline constexpr unsigned bitmap_size = 64;

/// What a packet carries, in the slot that its UnitId names while it is under way.
struct Header {
  enum class Kind : std::uint8_t { data, acknowledgement, nack, credit, credit_request };
  Kind kind = Kind::data;
  ConnectionId connection = 0;  ///< of the data, whichever way the packet goes
  std::uint32_t entropy = 0;    ///< of the data packet
  // Data
  Psn psn = 0;  ///< of a NACK, too
  Bytes payload{};
  Bytes on_link{};  ///< of an acknowledgement: of the packet that it is for
  bool asks = false, repeated = false;
  std::uint32_t times = 0;   ///< that it was sent; of a NACK, too
  bool departs = false;      ///< its message has departed when it leaves
  MessageId message{};       ///< if it departs
  SimTime timer_wait{};      ///< likewise
  std::int64_t credit = 0;   ///< target; of a credit: what is granted in all
  bool last_switch = false;  ///< of a NACK: Trimmed::at_last_switch
  bool marked = false;       ///< of a NACK: the header came so
  Acknowledgement report{};
};

}  // namespace morgana::uet
