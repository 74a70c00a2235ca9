#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "emulator/core/lazy_timer.h"
#include "emulator/transport/tcp/receiver.h"
#include "emulator/transport/tcp/segment.h"
#include "emulator/transport/tcp/sender.h"
#include "emulator/transport/timer_wait.h"
#include "emulator/transport/transport.h"

namespace morgana::tcp {

/// A message in the stream that an endpoint sends.
struct Message {
  MessageId id;
  Place end = 0;           ///< one past its last byte
  bool completes = false;  ///< Shipment::completes
  TimerWait timer_wait{};
  Bytes bytes{}, piece{};          ///< without its header; Shipment::piece
  std::int64_t pieces_to_come{0};  ///< whose arrival has not been reported
};

/// One end of a connection. Endpoints are numbered in pairs: the other end differs in the lowest bit.
struct Endpoint {
  enum class State : std::uint8_t { closed, syn_sent, syn_received, established };

  HostId at, peer;
  std::uint32_t entropy = 0;  ///< of the units of the connection (Unit::entropy)
  std::uint8_t traffic_class = 0;
  std::uint32_t incarnation = 0;  ///< of the connection: a failed one makes space for a new one
  State state = State::closed;
  std::optional<Sender> sender;
  std::optional<Receiver> receiver;
  std::deque<Message> messages;             ///< written and not wholly acknowledged, oldest first
  std::size_t departed = 0, delivered = 0;  ///< of these
  std::deque<Segment> ready;                ///< without data, made and not at the port yet, oldest first
  bool in_line = false, in_port = false;
  LazyTimer retransmission, acknowledgement;
  Sender::Wait waits_for = Sender::Wait::timeout;  ///< by its timer of retransmission
  SimTime times_out_at;                            ///< also while it waits for a probe
  SimTime syn_sent_at;
  SimTime stands_since;   ///< data that left the port last, or the last acknowledgement of something new
  std::int64_t syns = 0;  ///< sent in this state
  std::int64_t syn_timeouts = 0;  ///< in this state
  std::string last_loss;          ///< how the network lost a segment since something was acknowledged
};

using EndpointId = std::uint32_t;
constexpr EndpointId other_end(EndpointId endpoint) {
  return endpoint ^ 1U;
}

// What the transport's events are about (TimerEvent::kind).
inline constexpr std::uint8_t retransmission_timer = 0, acknowledgement_timer = 1, arrival = 2, told = 3;

/// A host's NIC: it sends one segment at a time.
struct Port {
  bool busy = false;
  std::deque<EndpointId> line;
};

}  // namespace morgana::tcp
