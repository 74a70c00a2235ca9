#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

#include "emulator/interface/gm/connection.h"
#include "emulator/interface/gm/packet.h"
#include "emulator/interface/gm/parameters.h"
#include "emulator/interface/lanai/host_dma.h"
#include "emulator/interface/lanai/processor.h"
#include "emulator/network/myrinet/interface_program.h"

namespace morgana::gm {

/// What a control program reports to its host, at the simulated time at which it happens.
class HostSide {
 public:
  /// The message's last packet has left the NIC for the first time. Comes before all else about it.
  virtual void message_departed(UnitId message, PortId from) = 0;
  /// All of the packet is in the host's memory, and the host can see it; a mapping packet: in the
  /// NIC's.
  virtual void packet_received(const Packet& packet) = 0;
  /// It was given up, and will not be delivered.
  /// @param how  for people
  virtual void message_returned(UnitId message, const std::string& how) = 0;

 protected:
  ~HostSide() = default;
};

/// What a control program has of the network.
class NetworkSide {
 public:
  /// Programs the send DMA: the packet leaves now.
  virtual void send(const Packet& packet) = 0;
  virtual void send_on(PacketAtInterface packet) = 0;
  /// The connection is given up. On a real network the other end would learn of it by the next session's
  /// first packet, and might still accept what is under way; here it learns of it at once, so that a message
  /// is either delivered or returned.
  /// @return how many packets of the session it has accepted
  virtual Number end_session(PortId from, PortId to) = 0;

 protected:
  ~NetworkSide() = default;
};

/// What control programs did so far.
struct ControlProgramCounters {
  std::uint64_t packets = 0;           ///< of messages, sent for the first time
  std::uint64_t repeated = 0;          ///< sent again
  std::uint64_t acknowledgements = 0;  ///< sent, refusals too
  std::uint64_t refusals = 0;          ///< sent
  std::uint64_t timeouts = 0;
  std::uint64_t given_up = 0;  ///< messages

  ControlProgramCounters& operator+=(const ControlProgramCounters& other);
};

/// The Myrinet Control Program of one interface. Four state machines share its processor: SDMA and RDMA bring
/// packets from and to the host's memory, Send and Recv from and to the network, and every transfer has a
/// start and a finish event. Source: Flich, López, Malumbres and Duato, "Boosting the Performance of Myrinet
/// Networks", 2002, section 6; of priorities it says only that early_recv_packet's is high. Here what comes
/// from the network precedes what the host wants, and finishes precede starts.
///
/// The host posts messages. SDMA cuts them into packets, one from each connection, round-robin; a packet is
/// fetched when a send buffer is free. The program keeps a connection with every other NIC:
///   - A packet is accepted if it is the next one of its connection. Each that is accepted, or comes again,
///     is acknowledged, with all before it; an acknowledgement that still waits for the channel stands for
///     later ones, too.
///   - A packet that comes too early is dropped, and refused once: the sender repeats what is missing and all
///     after it.
///   - The time for a time-out runs while a connection has unacknowledged packets and can only wait: none is
///     in line for SDMA or on its way out. Its end is an event of the processor, the one of lowest priority.
///   - A time-out repeats from the oldest unacknowledged packet on. After `tries` of them in a row the next
///     one gives the connection up: its messages that have not come wholly are returned, and a new session
///     begins.
class ControlProgram final : private LanaiHandlers, private EventHandler {
 public:
  enum Event : unsigned {
    early_recv_packet,  ///< the first four bytes of a packet have come (with in-transit support)
    finish_recv,
    finish_send,
    finish_rdma,
    finish_sdma,
    start_send,
    start_rdma,
    start_sdma,
    resend,  ///< a connection's time is up
  };

  /// @param self  the port of its NIC
  ControlProgram(EventQueue& events, NetworkSide& fabric, HostSide& host, PortId self,
                 const Parameters& parameters);

  /// The host has written a send token: the message lies in its memory.
  /// @param to  another host
  void post(UnitId message, PortId to, Bytes bytes);

  // The network's side, as it happens.
  void early_received(PacketAtInterface packet, ArrivalKind kind);
  void received(const Packet& packet);
  void in_transit_received();
  void departed(const Packet& packet);
  void in_transit_departed(PacketAtInterface packet);

  // The other interfaces' side, for what no real program could know.
  Number end_session(PortId from);
  /// Whether packets to there are being repeated: how the network lost one is worth telling.
  bool repeats(PortId to);
  void note_loss(PortId to, const std::string& how) { connection_with(to).last_loss = how; }

  const LanaiProcessor& processor() const { return processor_; }
  /// In transit, that have waited for the channel or for Start_Send.
  std::uint64_t waited() const { return waited_; }
  const ControlProgramCounters& counters() const { return counters_; }
  /// Packets that were sent and not acknowledged yet, on all connections.
  bool has_unacknowledged() const;

 private:
  struct Early {
    PacketAtInterface packet;
    ArrivalKind kind;
  };
  std::int64_t begin(unsigned event) override;
  void end(unsigned event) override;
  void handle(std::uint64_t what) override;
  // Recv.
  void recv_early();
  void recv_finished();
  void accept(const Packet& packet);
  bool comes_in_order(const Packet& packet);
  void owe_acknowledgement(Connection& connection);
  void acknowledged(const Packet& packet);
  // Send.
  void send_next();
  void send_finished();
  void start_sending(PacketAtInterface packet);
  void start_sending(const Packet& packet);
  Packet next_acknowledgement();
  // RDMA and SDMA.
  void rdma_next();
  void rdma_finished();
  void sdma_next();
  void sdma_finished();
  // Connections.
  using ConnectionNumber = std::uint32_t;
  ConnectionNumber number_of(PortId peer);
  Connection& connection_with(PortId peer) { return connections_[number_of(peer)]; }
  bool may_fetch(const Connection& connection) const;
  bool may_start_sdma() const { return !from_host_now_ && buffers_used_ < parameters_.send_buffers; }
  void proceed(Connection& connection);
  void see_to_overdue();
  void time_out(Connection& connection);
  void give_up(Connection& connection);

  Parameters parameters_;
  EventQueue& events_;
  NetworkSide& fabric_;
  HostSide& host_;
  PortId self_;
  LanaiProcessor processor_;
  PciBus bus_;
  HostDma from_host_, to_host_;

  std::deque<Connection> connections_;  // a deque: the host may add to it while an element is in use
  std::unordered_map<std::uint32_t, ConnectionNumber> numbers_;  // by peer; never iterated
  std::deque<ConnectionNumber> line_;                            // for SDMA
  std::deque<ConnectionNumber> owed_;                            // acknowledgements, in their order
  std::deque<ConnectionNumber> overdue_;

  std::optional<Packet> from_host_now_;
  std::deque<Packet> ready_;                  // in send buffers
  std::deque<PacketAtInterface> in_transit_;  // waiting for the channel
  bool sending_ = false;                      // as the program knows
  bool sending_from_buffer_ = false;
  std::optional<PacketAtInterface> sending_on_;
  std::int64_t buffers_used_ = 0;
  std::deque<Early> early_;
  std::deque<std::optional<Packet>> received_;  // nothing: one in transit
  std::deque<Packet> for_host_;
  std::optional<Packet> to_host_now_;
  std::uint64_t waited_ = 0;
  ControlProgramCounters counters_;
};

}  // namespace morgana::gm
