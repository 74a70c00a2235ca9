#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "emulator/core/lazy_timer.h"
#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/timer_wait.h"
#include "emulator/transport/transport.h"

namespace morgana::rc {

/// A packet sequence number that does not wrap; packets carry its last 24 bits (psn_on_link).
using Psn = std::uint64_t;

/// A message in the send queue, or a part of a very long one: packets (of a read: responses) `first` ..
/// `end`-1.
struct WorkRequest {
  MessageId id;
  Verb verb = Verb::send;
  bool reports = false;  ///< the last part of its message
  bool completes = false;
  Bytes bytes;
  Psn first = 0, end = 0;
  SimTime ready;      ///< for its first packet to leave
  SimTime delivered;  ///< once the responder has accepted all of it
  TimerWait timer_wait{};
};

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

/// What a responder owes: an acknowledgement or a NAK of `first`, or the read responses `first` .. `end`-1.
/// A NAK for a sequence error with selective repeat answers the packet `end`.
struct Response {
  PacketKind kind = PacketKind::acknowledgement;
  Psn first = 0, end = 0;
  Bytes bytes;             ///< of the responses that are left
  bool has_begun = false;  ///< its first packet has been sent
  SimTime ready;           ///< for its first packet to leave
};

/// What a packet carries, in the slot that its UnitId names while it is under way.
struct Header {
  std::uint32_t connection = 0;  ///< of the request, whichever way the packet goes
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

/// A flow whose congestion control has a window (CongestionControl::window).
struct WindowFlow {
  // At its sender
  std::int64_t sent = 0;      ///< bytes on the link
  std::int64_t reported = 0;  ///< Echo::place of the newest packet that was reported
  std::int64_t returned = 0;  ///< of the bytes sent those that are not under way any more
  std::int64_t marked = 0;    ///< Echo::marked of the newest report
  bool is_held = false;       ///< the window has kept a packet since the last report
  // At its receiver
  Echo newest;                 ///< of the packets that have come; none if its place is 0
  bool owes_feedback = false;  ///< a report of its own is in the line
};

/// What a requester with selective repeat knows of packets from the oldest unacknowledged one on. Loss
/// recovery lasts from a NAK, a hole in read responses or a timeout until all before `until` is acknowledged.
struct LossRecovery {
  bool lasts = false;
  bool by_request = false;  ///< begun, or joined, by a NAK or a timeout
  Psn until = 0;            ///< what had been sent when it began (IRN: recovery sequence, and 1)
  Psn cumulative = 0;       ///< the acknowledgement with which it began; with by_request
  Psn accepted = 0;         ///< the responder has accepted all requests before this
  std::set<Psn> kept;       ///< requests beyond that which it keeps
  std::set<Psn> lost;       ///< to be repeated: requests, and of each hole in read responses the first
  // What is lost before these is known.
  Psn requests = 0, responses = 0;
};

/// A direction of a pair of queue pairs: the requester of one, and the responder of the other. Connections
/// are numbered in pairs: the opposite one differs in the lowest bit.
struct Connection {
  HostId from, to;
  std::uint8_t traffic_class = 0;  ///< of all its packets but CNPs

  // The requester, at `from`
  std::deque<WorkRequest> requests;  ///< that are not complete, oldest first
  std::size_t sending = 0;           ///< place in `requests` of the one that holds `next`
  std::int64_t reads = 0;            ///< those before that place
  Psn oldest = 0;                    ///< not acknowledged
  Psn next = 0;                      ///< to be sent, oldest <= next <= end
  Psn never_sent = 0;                ///< the first that was never sent
  Psn end = 0;                       ///< one past the last of the send queue
  SimTime ready;                     ///< when the last work request will be
  bool request_in_line = false, request_in_port = false;
  bool waits = false;                        ///< after an RNR NAK
  bool failed = false;                       ///< the queue pair is in the error state
  unsigned futile = 0, futile_rnr = 0;       ///< since something new was acknowledged last
  SimTime read_in_memory;                    ///< all read responses that have come are there
  std::multimap<Psn, Header> early_answers;  ///< later than a response that is missing
  Psn implied = ~Psn{0};                     ///< read response whose absence was acted on last
  std::unique_ptr<LossRecovery> recovery;    ///< with selective repeat
  std::string last_loss;                     ///< how the network lost a packet since then, as far as it tells
  LazyTimer timeout, rnr;
  bool timeout_is_low = false;  ///< the one that is set runs to RTO_low
  SimTime stands_since;         ///< when the one of these that is set began

  // The responder, at `to`
  Psn expected = 0;
  std::map<Psn, Header> early_requests;  ///< ahead of it
  SimTime in_memory;                     ///< all packets that were accepted are there
  bool silent = false;              ///< it has sent a NAK and says nothing until the expected packet comes
  std::vector<Response> responses;  ///< few: what is owed and has not left
  bool response_in_line = false, response_in_port = false;
  std::int64_t receives_used = 0;
  std::vector<SimTime> reposts;  ///< when receives that are used will be posted again

  std::uint16_t udp_source_port = 0;  ///< of all its packets, and of the opposite connection's

  // The flow of data from `from` to `to`: requests, and the opposite connection's read responses. With
  // congestion control.
  std::unique_ptr<CongestionControl> control;
  bool requested_last = false;         ///< of its requests and read responses, which take turns
  SimTime awaited;                     ///< when the next packet may go, if that was asked for
  SimTime notifies;                    ///< `to` sends no CNP before
  bool owes_notification = false;      ///< `to` does
  std::unique_ptr<WindowFlow> window;  ///< null: the control has none
};

/// Who gets a turn at a port, and for what.
struct Turn {
  enum class What : std::uint8_t { request, response, notification, feedback };
  std::uint32_t connection = 0;
  What what = What::request;
};

/// Those who wait for a port to send a packet of one traffic class.
struct Line {
  bool busy = false;  ///< a packet of the class is in the port
  std::deque<Turn> turns;
};

/// A host's NIC: it sends one packet at a time of each traffic class.
struct Port {
  Line data, notifications;  ///< one line, `data`, if both are of one class
  Line other;                ///< of queue pairs whose data are of another class (Shipment::traffic_class)
  SimTime takes;             ///< the next work request, not before this
};

}  // namespace morgana::rc
