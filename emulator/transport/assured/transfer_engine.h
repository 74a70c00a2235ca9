#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/cells.h"
#include "emulator/transport/assured/connection.h"
#include "emulator/transport/assured/send_window.h"
#include "emulator/transport/assured/texts.h"
#include "emulator/transport/pdu_work.h"
#include "emulator/transport/transport.h"

namespace morgana::assured {

/// What protocols of assured data transfer over ATM have in common: connections, one for each ordered pair of
/// hosts, set up with the pair's first message (in no simulated time); messages cut into SDs; frames on their
/// way between the halves of a connection; timers; the release of a connection whose peer does not answer,
/// or that repeats an SD too often, which gives back what has not been delivered. Host n is at port n.
///
/// So many SDs of a connection stand at the NIC, that the link has no pause between them and one that
/// is to be sent again waits for no more than these.
///
/// A protocol is a class that derives from this one. It says how its halves are made (its types), and what
/// it does when something happens:
///   - `open(from, to)` makes a connection, `opened(number)` starts what it does by itself;
///   - `cutting(shipment)` cuts a message into what SDs carry, one after the other;
///   - `paths_of_data(connection)` returns the channels that an SD takes now, `next(connection)` which SD,
///     `sd(connection, outgoing)` how it looks;
///   - `data_sent(number)`: one has been handed over for the NIC;
///   - `take(number, pdu, frame)`, for each kind of PDU: it has come to its end of the connection;
///   - `ran_out(number, timer)`, of timers other than that for no response;
///   - `begin_anew(connection)` makes both halves as before the first SD, and clears timers.
/// @tparam Protocol  the deriving class
/// @tparam Types     its Connection, Parameters, Pdu, Sd, Piece; `no_response`, the number of that timer;
///                   `goes_back(path)`, whether frames on a channel go from receiver to sender; `name` and
///                   `unit`, of the protocol and of its frames, for people
template <class Protocol, class Types>
class TransferEngine : public Transport, private UnitListener, private EventHandler, private PduWork::Client {
 public:
  using Parameters = typename Types::Parameters;

  void send(const Shipment& shipment) override {
    assert(shipment.from != shipment.to && index(shipment.from) < hosts_ && index(shipment.to) < hosts_);
    const ConnectionNumber number = connection_between(shipment.from, shipment.to);
    Connection& connection = connections_[number];
    connection.undelivered.add(shipment.id, self().guarantees().streams && shipment.streamed, events_.now());
    connection.uncut.push_back(self().cutting(shipment));
    connection.cut_next();
    proceed(number);
  }
  TransportGuarantees guarantees() const override { return {.returns = true}; }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override { return how_to_lose_less(Types::name, Types::unit); }
  /// The mean over all SDs that have come in order, of all connections, in seconds: from when their message
  /// was handed over. 0 if none has.
  double mean_latency_of_data() const {
    double sum = 0, count = 0;
    for (const Connection& connection : connections_) {
      const RunningStatistics& latency = connection.undelivered.latency_of_data();
      sum += latency.sum();
      count += static_cast<double>(latency.count());
    }
    return count > 0 ? sum / count : 0;
  }

 protected:
  using Connection = typename Types::Connection;
  using Pdu = typename Types::Pdu;
  using Piece = typename Types::Piece;
  using Path = std::uint8_t;  ///< the number of a connection's channel
  using ConnectionNumber = std::uint32_t;

  // A frame under way, in the slot that its UnitId names.
  struct Frame {
    ConnectionNumber connection = 0;
    std::uint32_t incarnation = 0;
    std::uint32_t cells = 0;
    Path path = 0;
    bool again = false;  ///< an SD that had been sent before
    SimTime handed;      ///< when it was made
    Pdu pdu;
    Piece piece{};  ///< of an SD
  };
  /// The channels that an SD takes: one, or two at once, of which the first holds up the next SD.
  struct DataPaths {
    Path first = 0;
    std::optional<Path> copy = {};
  };

  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error if a parameter is out of range
  TransferEngine(EventQueue& events, CellNetwork& network, std::size_t hosts, const Parameters& parameters,
                 const PduCosts& costs)
      : events_(events),
        network_(network),
        parameters_(parameters),
        hosts_(hosts),
        work_(events, costs, hosts, *this) {
    parameters.check();
    network.report_to(*this);
  }

  // What a protocol may leave as it is here.
  void opened(ConnectionNumber) {}
  void data_sent(ConnectionNumber) {}
  void came_through(Connection&, const Frame&) {}
  std::uint32_t cells_of(const Pdu&) const { return 1; }
  DataPaths paths_of_data(const Connection&) const { return {}; }
  std::optional<OutgoingSd<Piece>> next(Connection& connection) { return connection.sender.next(); }

  /// Whatever has changed for the sender: SDs go as far as NIC and window allow.
  void proceed(ConnectionNumber number) {
    Connection& connection = connections_[number];
    while (true) {
      const DataPaths paths = self().paths_of_data(connection);
      if (connection.in_interface[paths.first] >= most_in_interface) break;
      const std::optional<OutgoingSd<Piece>> data = self().next(connection);
      if (!data) break;
      connection.cut_next();
      if (parameters_.tries > 0 && data->repetitions > parameters_.tries)
        return release(number, Outcome::unstable, sent_too_often(Types::unit, parameters_.tries));
      if (data->first_time)
        connection.counters.user_bytes += static_cast<std::uint64_t>(data->piece.bytes.count());
      send_data(number, *data, paths.first);
      if (paths.copy) send_data(number, *data, *paths.copy);
      if (!timer(number, Types::no_response).set()) await_answer(number);
      self().data_sent(number);
    }
    connection.hold_while_active(events_);
  }
  void send_data(ConnectionNumber number, const OutgoingSd<Piece>& data, Path path) {
    Connection& connection = connections_[number];
    ++connection.in_interface[path];
    ++connection.carried[path].data;
    inject(number, path, self().sd(connection, data), data.piece, data.repetitions > 0);
  }
  void inject(ConnectionNumber number, Path path, Pdu pdu, const Piece& piece = {}, bool again = false) {
    Connection& connection = connections_[number];
    const std::uint32_t cells = self().cells_of(pdu);
    connection.carried[path].cells += cells;
    const std::uint32_t slot = frames_.take(
        {number, connection.incarnation, cells, path, again, events_.now(), std::move(pdu), piece});
    work_.send(sender_on(connection, path), slot, again);
  }

  /// What may be delivered now has come. Listeners may send, so that the connection is released.
  void deliver(ConnectionNumber number, const std::vector<Piece>& in_order) {
    Connection& connection = connections_[number];
    const std::uint32_t incarnation = connection.incarnation;
    for (const Piece& piece : in_order) {
      if (connection.incarnation != incarnation) return;
      connection.undelivered.came(piece.message, piece.bytes, piece.ends, events_.now(), connection.latency);
    }
  }

  /// Both ends begin anew; the next message uses a fresh connection.
  void release(ConnectionNumber number, Outcome outcome, const std::string& why) {
    Connection& connection = connections_[number];
    how_lost_ = why;
    const std::vector<MessageId> returned = connection.undelivered.give_back();
    connection.counters.add(connection.sender.counters(), connection.receiver.counters());
    connection.counters.given_up += returned.size();
    self().begin_anew(connection);
    connection.uncut.clear();
    ++connection.incarnation;
    proceed(number);
    for (const MessageId message : returned) message.listener->shipment_returned(message, outcome);
  }

  LazyTimer& timer(ConnectionNumber number, std::uint8_t kind) { return connections_[number].timers[kind]; }
  void set(ConnectionNumber number, std::uint8_t kind, SimTime deadline) {
    timer(number, kind).set(deadline, events_, *this, number, kind);
  }
  void set_in(ConnectionNumber number, std::uint8_t kind, SimTime after) {
    set(number, kind, events_.now() + after);
  }
  /// The time without response begins, maybe anew.
  void await_answer(ConnectionNumber number) { set_in(number, Types::no_response, parameters_.no_response); }

  Connection& connection(ConnectionNumber number) { return connections_[number]; }
  const std::deque<Connection>& connections() const { return connections_; }
  EventQueue& events() const { return events_; }
  CellNetwork& network() const { return network_; }
  const Parameters& parameters() const { return parameters_; }
  std::size_t hosts() const { return hosts_; }

 private:
  static constexpr std::uint32_t most_in_interface = 2;

  Protocol& self() { return static_cast<Protocol&>(*this); }

  ConnectionNumber connection_between(HostId from, HostId to) {
    const auto [place, added] = number_.try_emplace(index(from) * hosts_ + index(to),
                                                    static_cast<ConnectionNumber>(connections_.size()));
    const ConnectionNumber number = place->second;
    if (added) {
      connections_.push_back(self().open(from, to));
      self().opened(number);
    }
    return number;
  }

  static HostId sender_on(const Connection& connection, Path path) {
    return Types::goes_back(path) ? connection.to : connection.from;
  }
  static HostId receiver_on(const Connection& connection, Path path) {
    return Types::goes_back(path) ? connection.from : connection.to;
  }

  void hand_over(std::uint32_t slot) override {
    const Frame& frame = frames_[slot];
    const ChannelId channel = connections_[frame.connection].channels[frame.path];
    network_.inject(CellTrain{UnitId{slot}, channel, frame.cells});
  }
  void unit_departed(UnitId id, PortId) override {
    const Frame& frame = frames_[static_cast<std::uint32_t>(id)];
    if (!std::holds_alternative<typename Types::Sd>(frame.pdu)) return;
    const ConnectionNumber number = frame.connection;
    const Piece piece = frame.piece;
    const bool present = frame.incarnation == connections_[number].incarnation;
    --connections_[number].in_interface[frame.path];
    if (present && piece.ends) connections_[number].undelivered.departed(piece.message);
    proceed(number);
  }
  void unit_delivered(UnitId id, PortId) override {
    const Frame& frame = frames_[static_cast<std::uint32_t>(id)];
    Connection& connection = connections_[frame.connection];
    ++connection.carried[frame.path].carried;
    self().came_through(connection, frame);
    const auto way = static_cast<std::uint32_t>(frame.connection * Connection::paths + frame.path);
    work_.receive(receiver_on(connection, frame.path), way, static_cast<std::uint32_t>(id), frame.again);
  }
  void take_in(std::uint32_t slot) override {
    const Frame frame = std::move(frames_[slot]);
    frames_.give_back(slot);
    if (frame.incarnation != connections_[frame.connection].incarnation) return;
    std::visit([&](const auto& pdu) { self().take(frame.connection, pdu, frame); }, frame.pdu);
  }
  void unit_lost(UnitId id) override {
    const auto slot = static_cast<std::uint32_t>(id);
    const Frame& frame = frames_[slot];
    Connection& connection = connections_[frame.connection];
    ++connection.carried[frame.path].lost;
    // The text takes time to make. Without failures no connection ends, as polls repair every loss.
    if (network_.capabilities().fails) connection.last_loss = network_.how_lost();
    frames_.give_back(slot);
  }
  void handle(std::uint64_t what) override {
    const TimerEvent event = TimerEvent::unpacked(what);
    if (!timer(event.owner, event.kind).run_out(event, events_, *this)) return;
    if (event.kind == Types::no_response)
      release(event.owner, Outcome::given_up,
              not_answered(parameters_.no_response, Types::unit, connections_[event.owner].last_loss));
    else
      self().ran_out(event.owner, event.kind);
  }

  EventQueue& events_;
  CellNetwork& network_;
  Parameters parameters_;
  std::size_t hosts_;
  PduWork work_;
  std::deque<Connection> connections_;  // a deque: listeners may add to it while an element is in use
  std::unordered_map<std::uint64_t, ConnectionNumber> number_;  // by pair of hosts; never iterated
  Pool<Frame> frames_;                                          // under way
  std::string how_lost_;
};

}  // namespace morgana::assured
