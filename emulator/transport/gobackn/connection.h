#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/core/lazy_timer.h"
#include "emulator/core/ring_queue.h"
#include "emulator/transport/timer_wait.h"
#include "emulator/transport/transport.h"

namespace morgana::go_back_n {

/// The number of a unit in its connection, from 0.
using Number = std::uint64_t;

/// A message cut into the units `first` .. `end`-1 of its connection.
struct CutMessage {
  MessageId id;
  Bytes bytes;
  bool by_program = false, asks = false;
  Number first = 0, end = 0;
  TimerWait timer_wait{};
  Bytes piece{};  ///< Shipment::piece
};

/// A host's port: it sends one unit at a time, round-robin over its connections.
struct Port {
  bool busy = false;
  RingQueue<std::uint32_t> line;  ///< connections that have something to send
};

/// All that the protocol knows about one direction between two hosts, at both ends. In the order in which it
/// is looked at: of thousands of connections the processor's caches hold the first lines.
struct Connection {
  // at the sending host
  Number oldest = 0;      ///< unacknowledged
  Number next = 0;        ///< to be sent, oldest <= next <= end
  Number never_sent = 0;  ///< the first that was never sent
  Number end = 0;         ///< one past the last that was cut
  HostId from, to;
  bool in_port = false;        ///< a data unit was handed to the port and hasn't left it
  bool has_turn = false;       ///< stands in its port's line
  bool has_timed_out = false;  ///< ever
  bool knows_loss = false;     ///< how the network lost a unit since something new was acknowledged last
  bool refused = false;        ///< the receiving host had no space for the last unit in order
  bool lives = false;          ///< a unit was refused since the last time-out
  // at the receiving host
  bool acknowledgement_due = false;  ///< it goes with the opposite connection's next turn
  std::uint32_t unacknowledged = 0;  ///< units received for which an acknowledgement is owed
  Number expected = 0;
  LazyTimer acknowledgement;
  // at the sending host
  std::uint32_t futile = 0;  ///< time-outs since something new was acknowledged last
  unsigned doublings = 0;
  RingQueue<CutMessage> messages;  ///< those not wholly acknowledged, oldest first
  std::size_t sending = 0;         ///< at or before the place in `messages` of the one that holds `next`
  SimTime stands_since;            ///< data that left the port last, or the last news of what has come
  LazyTimer retransmission;
};

/// Connections are numbered in pairs: the opposite one differs in the lowest bit.
using ConnectionId = std::uint32_t;
constexpr ConnectionId opposite(ConnectionId connection) {
  return connection ^ 1U;
}

/// What a unit carries in its header, in the slot that its UnitId names while it is under way.
struct Header {
  ConnectionId connection;  ///< in the direction in which the unit travels
  bool data;
  bool completes_message;
  bool first_time;
  Number number;        ///< of a data unit
  Number acknowledged;  ///< all units of the opposite connection before this one have come
  // Of a data unit:
  MessageId message;
  bool asks;
  Bytes before, size;       ///< what of the message comes before it, what it holds
  bool ends_piece = false;  ///< and it is not the message's last (Shipment::piece)
};

}  // namespace morgana::go_back_n
