#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/network.h"
#include "emulator/transport/channel_ends.h"
#include "emulator/transport/gobackn/connection.h"
#include "emulator/transport/transport.h"

namespace morgana {

struct GoBackNParameters {
  Bytes header{40};  ///< in every unit (TCP/IP: 40)
  std::uint32_t window =
      44;  ///< unacknowledged units a connection may have under way, > 0 (64 KiB of 1460 bytes: 44)
  std::uint32_t acknowledge_every =
      2;  ///< units received in order before an acknowledgement goes out by itself, > 0
  SimTime acknowledge_delay = SimTime::from_ps(
      40'000'000'000);  ///< at the latest after this; before that it is carried by any unit that goes back
  SimTime retransmit_after = SimTime::from_ps(
      200'000'000'000);      ///< without progress, then all from the oldest on; > 0, doubles up to 64-fold
  std::uint32_t tries = 15;  ///< repetitions without progress before all is given up; 0: without end
};

/// What the protocol did so far, over all connections.
struct GoBackNCounters {
  std::uint64_t data_units = 0;        ///< sent for the first time
  std::uint64_t retransmissions = 0;   ///< sent again
  std::uint64_t acknowledgements = 0;  ///< sent by themselves
  std::uint64_t timeouts = 0;
  std::uint64_t refused = 0;   ///< units that the receiving host had no space for
  std::uint64_t given_up = 0;  ///< messages
};

/// Reliable, ordered messages over a network that may lose units: each message is cut into units that fill
/// the network's largest; one connection for each ordered pair of hosts, numbered units, cumulative
/// acknowledgements, go-back-n on time-out. Units of different messages of a connection follow each other
/// without a pause, but none holds parts of two. Host n is at port n.
///
/// The rules in full:
///   - A message of no bytes takes one unit. An acknowledgement that goes by itself is a unit of a header
///     only.
///   - A host hands its port one unit at a time: its connections take turns, one unit each, and line up again
///     when that has left.
///   - Every data unit carries the acknowledgement of the opposite connection and settles what is due there.
///   - An acknowledgement falls due when `acknowledge_every` units came in order or again (a repeated unit
///     means that an acknowledgement was lost), or `acknowledge_delay` after the first of them. It takes its
///     turn at the port. A unit that comes too early is discarded without an answer, and the sender repeats
///     it after its time-out.
///   - The time for a time-out runs while a connection has unacknowledged units and nothing at its port or in
///     line for it; it starts anew when a data unit has left the port and when something new is acknowledged.
///   - A time-out repeats from the oldest unacknowledged unit on, as far as the window allows, and
///     doubles the time; an acknowledgement of something new sets it back.
///   - Of messages that ask, the receiving host may refuse a unit that came in order. It is discarded, and
///     the sender repeats it after its time-out, however often: a refusal shows that the receiver is alive,
///     so the time does not double and the repetition does not count towards `tries`. Such a time-out alone
///     keeps no run going (EventQueue::schedule_upkeep): the run goes on only while there are other events.
///   - Channels between two hosts are connections of their own.
///   - A message has departed when its last unit has left the port for the first time.
///   - A time-out after `tries` repetitions of which nothing was acknowledged gives the connection up: its
///     messages that have not come wholly are returned, and the next one that is sent begins with a new
///     connection.
///
/// Sources: Tanenbaum: Computer Networks, section 3.4 (go-back-n); RFC 1122, 4.2.3.2 (delayed
/// acknowledgement) and 4.2.3.5 (giving up; 15 repetitions are Linux's net.ipv4.tcp_retries2); RFC 6298, 5.5
/// (doubling).
class GoBackN : public Transport, private UnitListener, private EventHandler {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error if the header leaves no space in the network's units, or a parameter is out of range
  GoBackN(EventQueue& events, Network& network, std::size_t hosts, const GoBackNParameters& parameters);
  void send(const Shipment& shipment) override;
  /// It stands for TCP/IP of its time.
  bool copies_in_kernels() const override { return true; }
  bool asks() const override { return true; }
  Bytes unit_header() const override { return parameters_.header; }
  TransportGuarantees guarantees() const override {
    return {.reliable = true, .returns = parameters_.tries > 0};
  }
  SimTime timer_wait() const override { return timer_wait_; }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  const GoBackNCounters& counters() const { return counters_; }

 private:
  using Connection = go_back_n::Connection;
  using ConnectionId = go_back_n::ConnectionId;
  using Header = go_back_n::Header;
  using Number = go_back_n::Number;
  using Port = go_back_n::Port;

  ConnectionId connection_between(HostId from, HostId to, std::uint64_t channel);

  // at the sending host
  bool may_send_data(const Connection& connection) const;
  void proceed(ConnectionId id);
  void send_data(ConnectionId id);
  void acknowledge_up_to(ConnectionId id, Number acknowledged);
  void time_out(ConnectionId id);
  static SimTime timer_wait_of(const Connection& connection, Number last);
  void give_up(ConnectionId id);

  // at the receiving host
  bool accept(Connection& connection, const Header& header);
  bool is_admitted(Connection& connection, const Header& header);
  void acknowledge_if_due(ConnectionId id);
  void let_acknowledgement_go(ConnectionId id);
  Number take_acknowledgement(ConnectionId id);

  // at a port
  void line_up(ConnectionId id);
  void serve(Port& port);
  Port& port_of(HostId host) { return ports_[index(host)]; }
  void inject(const Header& header, Bytes data, bool by_program = false);
  void release(UnitId id) { headers_.give_back(static_cast<std::uint32_t>(id)); }
  Header& header_of(UnitId id) { return headers_[static_cast<std::uint32_t>(id)]; }

  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  Network& network_;
  GoBackNParameters parameters_;
  Bytes data_of_full_unit_;
  GoBackNCounters counters_;
  std::vector<Port> ports_;             // by host
  std::deque<Connection> connections_;  // a deque: listeners may add to it while an element is in use
  tsl::robin_map<ChannelEnds, ConnectionId, ChannelEndsHash> number_;  // never iterated
  Pool<Header> headers_;                                               // of the units under way
  SimTime timer_wait_;                                                 // of the message being reported
  tsl::robin_map<ConnectionId, std::string> last_losses_;              // of connections that know one
  std::string how_lost_, remedy_;                                      // of what was given up last
};

}  // namespace morgana
