#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "emulator/core/lazy_timer.h"
#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/congestion/rccc.h"
#include "emulator/transport/timer_wait.h"
#include "emulator/transport/transport.h"
#include "emulator/transport/uet/entropy.h"
#include "emulator/transport/uet/framing.h"
#include "emulator/transport/uet/inbound.h"
#include "emulator/transport/uet/outbound.h"

namespace morgana::uet {

/// A message of a connection, or what carries out a part of one.
struct Message {
  enum class Part : std::uint8_t {
    whole,         ///< a send or a write
    read_request,  ///< of a read: at the other host it becomes a read_data of the opposite connection
    read_data,     ///< the bytes that were read
  };
  MessageId id;
  Part part = Part::whole;
  Verb verb = Verb::send;
  bool completes = false;  ///< Shipment::completes
  Bytes bytes{};           ///< that it carries
  Bytes read{};            ///< of a read request: that it asks for
  Psn first = 0, end = 0;  ///< its packets
  SimTime ready{};         ///< for its first packet to leave
  TimerWait timer_wait{};
  // What has become of its packets
  std::uint64_t to_come = 0, to_acknowledge = 0;
  SimTime acknowledged_at{};  ///< the last of them
  SimTime in_memory{};        ///< all that has come is there
  SimTime delivered_at{};
  bool delivered = false;  ///< or, of a read request, carried out
};

/// A direction of a packet delivery context: what one process sends to another. Connections are numbered
/// in pairs.
struct Connection {
  HostId from, to;
  std::uint32_t entropy = 0;     ///< of the two processes
  std::uint8_t data_class = 0;   ///< traffic class of its data
  std::deque<Message> messages;  ///< not both delivered and acknowledged wholly, oldest first
  Psn end = 0;                   ///< one past the last packet of the last message
  Bytes left;                    ///< of packets that were never sent, on the link
  SimTime ready;                 ///< when the last message's first packet may leave
  bool in_line = false, in_port = false;
  bool failed = false;
  std::string last_loss;  ///< how the network lost one of its packets after a timeout

  // At `from`
  Outbound outbound;
  std::optional<Entropies> entropies;
  std::unique_ptr<CongestionControl> control;  ///< the sender's window; null: there is none
  std::optional<CreditedFlow> credited;
  LazyTimer timeout;
  SimTime stands_since;          ///< data that left last, or what was acknowledged last
  std::int64_t told_target = 0;  ///< for RCCC, by the last packet that says so
  SimTime credit_patience;  ///< what it waits for credit in addition to the timeout, before it asks again
  std::optional<SimTime> asked_for_credit;  ///< last, by a packet of its own
  bool asks_later = false;                  ///< a base round trip after that

  // At `to`
  Inbound inbound;
  SimTime ordered;  ///< when the last send was delivered: the next one is not before

  Message& message_of(Psn psn);
  const Message& message_of(Psn psn) const;
  /// Of what is ready.
  bool has_to_send(SimTime now) const;
  /// Of the packet whose turn it is, on the link.
  Bytes next_size(const Framing& framing) const;
  Bytes payload_of(Psn psn, const Framing& framing) const;
  bool lacks_credit() const { return credited && !credited->may_send(); }
  /// Window and credit allow the packet whose turn it is.
  bool may_send(const Framing& framing) const;
  /// For RCCC. @param in_line_there  connections in line at the port
  std::int64_t target(const Framing& framing, std::size_t in_line_there) const;
  /// The next request for credit, not before this.
  SimTime may_ask_at(SimTime base_round_trip) const {
    return asked_for_credit ? *asked_for_credit + base_round_trip : SimTime();
  }
  /// Messages in front of all others of which nothing more is to be heard.
  void forget_done();
};

/// A host's NIC.
struct Port {
  bool busy = false;              ///< a packet with data is in it
  std::deque<ConnectionId> line;  ///< of connections that have a packet with data to send
  SimTime takes;                  ///< the next work request, not before this
  std::optional<CreditGiver> giver;
  bool gives = false;  ///< an event for the next credit is scheduled
};

// What the transport's events are about (TimerEvent::kind).
inline constexpr std::uint8_t timeout_timer = 0, ready_timer = 1, credit_timer = 2, told = 3;

}  // namespace morgana::uet
