#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/telemetry.h"
#include "emulator/transport/transport.h"

namespace morgana::rc {

/// A packet sequence number that does not wrap; packets carry its last 24 bits (Rules::on_link).
using Psn = std::uint64_t;

/// Queue pairs are numbered in pairs: the one that a queue pair is connected to differs in the lowest bit.
/// Requests of a queue pair, what answers them, and the flow of data that it sends go by its number.
using QueuePairId = std::uint32_t;

constexpr QueuePairId opposite(QueuePairId id) {
  return id ^ 1U;
}

enum class PacketKind : std::uint8_t {
  request,
  read_response,
  acknowledgement,
  sequence_error,
  not_ready,
  notification,
  feedback
};

/// Whether the pace of a queue pair is that of its packets of this kind.
constexpr bool is_data(PacketKind kind) {
  return kind == PacketKind::request || kind == PacketKind::read_response;
}

/// Whether it reports what the receiver has got of the flow whose number is the packet's connection.
constexpr bool is_report(PacketKind kind) {
  return !is_data(kind) && kind != PacketKind::notification;
}

/// What a packet carries, in the slot that its UnitId names while it is under way.
struct Header {
  QueuePairId connection = 0;  ///< which sent the request, whichever way the packet goes
  PacketKind kind = PacketKind::request;
  Verb verb = Verb::send;            ///< of a request
  std::uint32_t psn = 0;             ///< 24 bits
  std::uint32_t answers = 0;         ///< of a NAK with selective repeat: the PSN that it answers
  bool first = false, last = false;  ///< of its message
  bool asks = false;                 ///< AckReq
  bool departs = false;              ///< its message has departed when it leaves
  bool reports = false;              ///< its message is delivered with it
  std::uint32_t count = 0;           ///< of a read request: packets of its responses
  Bytes bytes{};                     ///< payload; of a read request, that of its responses
  MessageId message{};
  SimTime timer_wait{};    ///< of its message, before the packet left
  std::uint32_t echo = 0;  ///< the slot of its Echo and 1; 0: none

  QueuePairId sender() const { return kind == PacketKind::request ? connection : opposite(connection); }
  QueuePairId receiver() const { return opposite(sender()); }
  /// In the window of its flow: read requests don't.
  bool counts() const {
    return kind == PacketKind::read_response || (kind == PacketKind::request && verb != Verb::read);
  }
};

/// What a packet of a flow with a window carries, and what the report on it carries back.
struct Echo {
  std::int64_t place = 0;       ///< bytes that the flow had sent with the packet, on the link
  std::int64_t marked = 0;      ///< of a report: bytes of the flow that have come marked, ever
  Bytes size;                   ///< of the packet, on the link
  SimTime sent_at, arrived_at;  ///< of the packet
  SimTime held;                 ///< from its arrival until the report
  unsigned hops = 0;
  std::vector<PortTelemetry> ports;
};

}  // namespace morgana::rc
