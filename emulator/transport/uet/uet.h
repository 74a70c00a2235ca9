#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/network.h"
#include "emulator/transport/channel_ends.h"
#include "emulator/transport/transport.h"
#include "emulator/transport/uet/connection.h"
#include "emulator/transport/uet/framing.h"
#include "emulator/transport/uet/notices.h"
#include "emulator/transport/uet/packet.h"
#include "emulator/transport/uet/parameters.h"

namespace morgana {

/// What Ultra Ethernet's transport did so far.
struct UetCounters {
  std::uint64_t packets = 0;   ///< with data, sent for the first time
  std::uint64_t repeated = 0;  ///< sent again
  std::uint64_t early = 0;     ///< that came before earlier ones of their connection
  std::uint64_t marked = 0;    ///< with data, that came so
  std::uint64_t trimmed = 0;   ///< whose header came alone
  std::uint64_t acknowledgements = 0, nacks = 0, credits = 0, credit_requests = 0;  ///< packets
  std::uint64_t timeouts = 0;
  std::uint64_t failed = 0;  ///< connections
};

/// Ultra Ethernet's transport in its mode of reliable unordered delivery (RUD), for processes that exchange
/// messages: sends, writes and reads over a network whose switches may mark, trim and lose packets. Host n is
/// at port n. Source: Ultra Ethernet Specification 1.0, its semantic (SES), packet delivery (PDS) and
/// congestion management (CMS) sublayers; what that leaves open is as in the Consortium's simulator (htsim).
///
/// The rules in full; uet::Outbound, uet::Inbound, uet::Entropies, Nscc and RCCC's classes have those of
/// their parts.
///
/// Connections. Two processes have a packet delivery context (Shipment::channel names the two), with a
/// connection for each direction. It needs no handshake.
///
/// Messages. A message of n bytes has max(1, ceil(n / payload)) packets with consecutive numbers. A packet
/// hands the network its header and its payload. It says where its bytes belong: they are placed as they
/// come, in any order. A message has come when all its packets have. A write is delivered then. A send is
/// delivered completion_latency later, but not before all earlier messages of its connection have come (read
/// data does not count) and all earlier sends have been delivered: MPI's order of matching. A read is a
/// packet without payload that asks for the bytes, which the other host sends as a message of the opposite
/// connection once they are fetched; the read is delivered completion_latency after these have come. A
/// message completes completion_latency after all its packets are acknowledged, but not before it is
/// delivered.
///
/// Work requests. The NIC takes one that is posted at t at e = max(t + post_latency, its last e +
/// message_gap), in the order of posting. It is ready at e if it has at most inline_limit bytes or is a read,
/// otherwise at e + fetch_latency + fetch_per_byte for its bytes or a full payload, whichever are fewer, and
/// not before the one in front of it in its connection. Payload that comes at t is in memory at t +
/// delivery_latency + delivery_per_byte.
///
/// Port. A NIC has one packet with data at a time in its port; connections that may send one line up, and
/// each turn is a packet: the lowest number that is to be sent again, otherwise the next one. Who may not
/// send when it is its turn loses the turn. Acknowledgements, NACKs and credits go to the port at once.
/// A connection may send if NSCC's or DCTCP's window holds what is under way and the packet, and RCCC's
/// credit is more than 0; bytes are those on the sender's link. Each packet gets the next entropy value of
/// its connection; what answers a packet has the same.
///
/// Acknowledgements (uet::Inbound). A packet asks if it is sent again, if its connection has nothing
/// more then (what is not ready yet is more), or if window or credit do not allow another full one. An
/// acknowledgement measures a round trip if its packet is still under way and was sent once, or was sent
/// twice and says that it was repeated. A packet whose header comes alone (Trimmed) is answered by a NACK, or
/// by an acknowledgement if it had come; with the NACK it is to be sent again, and the window hears of it,
/// unless the NACK is for a sending before the last one, or the packet is no longer under way.
///
/// Entropy values learn from each: marked, trimmed, timeout, otherwise good. What was trimmed at its last
/// switch counts as marked or good, as its header came: no way leads round that switch. The window takes each
/// NACK for congestion, and its marks say nothing more; the NACK measures a round trip.
///
/// Timeout. A packet that is under way for `timeout` is to be sent again; after more than `tries` timeouts of
/// one packet the connection fails: what it has not delivered, or was to report, is returned, as is all that
/// it is given later.
///
/// RCCC. Each packet carries its connection's target (CreditedFlow; the flows are those in line at the port,
/// and itself; with NSCC the window and a packet bound what it has to send); the receiving host gives credit
/// (CreditGiver). Credit, acknowledgement and NACK end speculation. A connection that has packets to send,
/// none under way or in its port, and no credit asks for some by a packet of its own: at once if its target
/// is beyond the one that it said last; and where for the timeout no data of it has left or been acknowledged
/// and it has not asked, the next times after twice, four times, ... that (65 times at most), until all that
/// is ready is sent and acknowledged. So does one that has no credit when a packet's timeout is over. Two
/// such packets are a base round trip apart: what would be earlier is sent then, unless it has had credit or
/// nothing to send in between. docs/ultra-ethernet.md says where each of these rules is from.
class Uet : public Transport, private UnitListener, private EventHandler {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error if the network marks nothing or its units or classes are too few for the parameters
  Uet(EventQueue& events, Network& network, std::size_t hosts, const UetParameters& parameters);

  void send(const Shipment& shipment) override;
  bool remote_memory() const override { return true; }
  Bytes inline_limit() const override { return parameters_.inline_limit; }
  bool connects_processes() const override { return true; }
  Bytes unit_header() const override { return parameters_.header; }
  TransportGuarantees guarantees() const override { return {.reliable = true, .returns = true}; }
  SimTime timer_wait() const override { return timer_wait_; }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  UetCounters counters() const;

 private:
  using Connection = uet::Connection;
  using ConnectionId = uet::ConnectionId;
  using Header = uet::Header;
  using Message = uet::Message;
  using Port = uet::Port;
  using Psn = uet::Psn;

  ConnectionId connection_between(const Shipment& shipment);
  void begin(Connection& connection, std::uint64_t channel);
  void post(ConnectionId id, Message message);

  // uet_sending.cpp
  void proceed(ConnectionId id);
  void serve(Port& port);
  void send_packet(ConnectionId id);
  void take_report(ConnectionId id, const Header& header);
  void take_nack(ConnectionId id, const Header& header);
  void take_credit(ConnectionId id, const Header& header);
  void acknowledged(Connection& connection, Psn psn);
  void watch(ConnectionId id);
  void ran_out(ConnectionId id);
  void ask_for_credit(ConnectionId id);
  void fail(ConnectionId id);

  // uet_receiving.cpp
  void take_data(ConnectionId id, const Header& header);
  void take_trimmed(ConnectionId id, const Header& header);
  void take_target(ConnectionId id, std::int64_t target);
  void came(ConnectionId id, const Header& header);
  void look_for_delivered(ConnectionId id);
  void acknowledge(ConnectionId id, const Header& header, bool marked);
  void give_credit(HostId host);

  void inject(const Header& header);
  void tell(const uet::Notice& notice);
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void handle(std::uint64_t what) override;

  Port& port_of(HostId host) { return ports_[index(host)]; }

  EventQueue& events_;
  Network& network_;
  MarkingNetwork& marking_;
  TrimmingNetwork* trimming_;
  UetParameters parameters_;
  uet::Framing framing_;
  UetCounters counters_;
  std::vector<Port> ports_;                                            // by host
  std::deque<Connection> connections_;                                 // a deque, as listeners may add to it
  tsl::robin_map<ChannelEnds, ConnectionId, ChannelEndsHash> number_;  // never iterated
  Pool<Header> headers_;                                               // of the packets under way
  uet::Notices notices_;
  SimTime timer_wait_;             // of the message that is being reported
  std::string how_lost_, remedy_;  // of what was given up last
};

}  // namespace morgana
