#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/network.h"
#include "emulator/transport/transport.h"
#include "emulator/transport/uet/parameters.h"
#include "emulator/transport/uet/uet.h"
#include "tests/transport/reference_nscc.h"
#include "tests/transport/ultra_ethernet/reference_uet_credit.h"
#include "tests/transport/ultra_ethernet/reference_uet_parts.h"
#include "tests/transport/ultra_ethernet/reference_uet_state.h"

namespace morgana::testing {

/// The rules of Uet's header, written down plainly, with those of RCCC in ReferenceCredits: nothing that was
/// made is ever thrown away, a timer is an event that is looked at when it comes. It does not choose entropy
/// values, as these are drawn, and its units have none. It does not say what comes first of two things that
/// happen in the same picosecond; it says that there were such.
class ReferenceUet : public Transport, private UnitListener, private EventHandler {
 public:
  ReferenceUet(EventQueue& events, Network& network, std::size_t hosts, const UetParameters& parameters)
      : events_(events), network_(network), p_(parameters), ports_(hosts) {
    network_.report_to(*this);
    if (p_.control != UetParameters::Control::rccc && p_.control != UetParameters::Control::both) return;
    credits_.emplace(
        p_, Bytes(full()), connections_, ports_,
        uet_reference::ReferenceCredits::Hooks{
            [this] { return now(); },
            [this](std::int64_t time, std::function<void()> what) { at(time, std::move(what)); },
            [this](std::size_t host) { happens(host); }, [this](const Packet& packet) { inject(packet); }});
    for (std::size_t host = 0; host < hosts; ++host) credits_->add_host(rate_of(host));
  }

  void send(const Shipment& shipment) override {
    happens(static_cast<std::size_t>(shipment.from));
    const std::size_t id = connection_of(shipment);
    if (connections_[id].failed)
      return shipment.id.listener->shipment_returned(shipment.id, Outcome::given_up);
    Port& port = port_of(id);
    const std::int64_t taken = std::max(now() + p_.post_latency.ps(), port.takes);
    port.takes = taken + p_.message_gap.ps();
    Message message{shipment.id, shipment.verb};
    message.bytes = shipment.bytes.count();
    message.completes = shipment.completes && shipment.verb != Verb::read;
    std::int64_t ready = taken;
    if (message.verb == Verb::read) {
      message.part = Part::request;
      std::swap(message.bytes, message.asked);
    } else if (message.bytes > p_.inline_limit.count()) {
      ready += fetching(message.bytes);
    }
    post(id, message, ready);
  }

  bool had_ties() const { return had_ties_; }
  UetCounters counters() const {
    UetCounters all = counters_;
    for (const Connection& connection : connections_)
      all.early += static_cast<std::uint64_t>(connection.inbound.early);
    if (credits_) {
      all.credits = credits_->credits;
      all.credit_requests = credits_->requests;
    }
    return all;
  }

 private:
  using Psn = uet_reference::Psn;
  using State = uet_reference::Outgoing::State;
  using Part = uet_reference::Part;
  using Message = uet_reference::Message;
  using Connection = uet_reference::Connection;
  using Port = uet_reference::Port;
  using Kind = uet_reference::Kind;
  using Packet = uet_reference::Packet;

  std::int64_t now() const { return events_.now().ps(); }
  Port& port_of(std::size_t id) { return ports_[connections_[id].from]; }
  bool has_nscc() const {
    return p_.control == UetParameters::Control::nscc || p_.control == UetParameters::Control::both;
  }
  BitRate rate_of(std::size_t host) const {
    return network_.extensions().marking->port_rate(PortId{static_cast<std::uint32_t>(host)});
  }
  std::int64_t on_link(std::int64_t payload) const {
    return network_.extensions().marking->on_link(p_.header + Bytes(payload)).count();
  }
  std::int64_t full() const { return on_link(p_.payload.count()); }
  std::int64_t fetching(std::int64_t bytes) const {
    return (p_.fetch_latency + p_.fetch_per_byte.time_for(std::min(Bytes(bytes), p_.payload))).ps();
  }

  void at(std::int64_t time, std::function<void()> what) {
    agenda_.push_back(std::move(what));
    events_.schedule(SimTime::from_ps(time), *this, agenda_.size() - 1);
  }
  void handle(std::uint64_t what) override { agenda_[what](); }
  /// Something at a host that may depend on what else happens there.
  void happens(std::size_t host) { had_ties_ |= std::exchange(ports_[host].happened_at, now()) == now(); }

  std::size_t connection_of(const Shipment& shipment) {
    const auto from = static_cast<std::uint32_t>(shipment.from), to = static_cast<std::uint32_t>(shipment.to);
    const auto [known, is_new] = number_.try_emplace({from, to, shipment.channel}, connections_.size());
    if (is_new) {
      number_[{to, from, shipment.channel}] = connections_.size() + 1;
      begin(from, to, shipment);
      begin(to, from, shipment);
    }
    return known->second;
  }
  void begin(std::uint32_t from, std::uint32_t to, const Shipment& shipment) {
    Connection& connection = connections_.emplace_back();
    connection.from = from;
    connection.to = to;
    connection.channel = shipment.channel;
    connection.data_class = shipment.traffic_class.value_or(static_cast<std::uint8_t>(p_.data_class));
    if (has_nscc())
      connection.nscc = std::make_unique<ReferenceNscc>(p_.nscc, rate_of(from), Bytes(full()), p_.payload);
    if (credits_) credits_->add_connection(rate_of(from));
  }

  // ---- messages

  void post(std::size_t id, Message message, std::int64_t ready) {
    Connection& connection = connections_[id];
    const std::int64_t before = connection.messages.empty() ? 0 : connection.messages.back().ready;
    message.ready = std::max(ready, before);
    std::int64_t left = message.bytes;
    do {
      const std::int64_t payload = std::min(left, p_.payload.count());
      uet_reference::Outgoing packet;
      packet.payload = payload;
      packet.size = on_link(payload);
      packet.message = connection.messages.size();
      connection.outbound.packets.push_back(packet);
      ++message.to_come;
      left -= payload;
    } while (left > 0);
    message.to_acknowledge = message.to_come;
    message.end = static_cast<Psn>(connection.outbound.packets.size());
    connection.messages.push_back(message);
    if (message.ready <= now())
      proceed(id);
    else if (message.ready != before)  // else what comes at that time looks at both
      at(message.ready, [this, id] {
        happens(connections_[id].from);
        proceed(id);
      });
  }

  void delivers(Message& message, std::int64_t time) {
    message.delivered = true;
    message.delivered_at = time;
    at(time, [id = message.id] { id.listener->shipment_delivered(id); });
    complete(message);
  }
  void complete(Message& message) {
    if (!message.completes || message.completed || !message.delivered || message.to_acknowledge > 0) return;
    message.completed = true;
    at(std::max(message.acknowledged_at + p_.completion_latency.ps(), message.delivered_at),
       [id = message.id] { id.listener->shipment_completed(id); });
  }

  void came(std::size_t id, Psn psn) {
    Connection& connection = connections_[id];
    const uet_reference::Outgoing& packet = connection.outbound[psn];
    Message& message = connection.messages[packet.message];
    message.in_memory =
        std::max(message.in_memory,
                 now() + (p_.delivery_latency + p_.delivery_per_byte.time_for(Bytes(packet.payload))).ps());
    if (--message.to_come > 0) return;
    if (message.part == Part::request)
      carry_out(id ^ 1U, message);
    else if (message.part == Part::data)
      delivers(message, message.in_memory + p_.completion_latency.ps());
    else if (message.verb == Verb::write)
      delivers(message, message.in_memory);
    look_for_delivered(connection);
  }

  void look_for_delivered(Connection& connection) {
    for (Message& message : connection.messages) {
      if (message.part != Part::whole && message.to_come == 0) continue;
      if (message.part == Part::data) continue;
      if (message.to_come > 0) return;
      if (message.delivered || message.verb == Verb::write) continue;
      connection.ordered =
          std::max({connection.ordered, now(), message.in_memory + p_.completion_latency.ps()});
      delivers(message, connection.ordered);
    }
  }

  /// A read whose request has come: the bytes go once they are fetched.
  void carry_out(std::size_t id, Message& request) {
    request.delivered = true;
    Message data{request.id, Verb::read, Part::data};
    data.bytes = request.asked;
    const std::int64_t fetched = now() + fetching(data.bytes);
    const auto sends = [this, id, data] {
      if (connections_[id].failed)
        data.id.listener->shipment_returned(data.id, Outcome::given_up);
      else
        post(id, data, now());
    };
    if (fetched == now())
      settled_.push_back(sends);
    else
      at(fetched, [this, id, sends] {
        happens(connections_[id].from);
        sends();
      });
  }

  void fail(std::size_t id) {
    ++counters_.failed;
    Connection& connection = connections_[id];
    happens(connection.to);
    connection.failed = true;
    if (credits_) credits_->forget(id);
    for (const Message& message : connection.messages) {
      if (message.delivered && (!message.completes || message.completed)) continue;
      at(std::max(now(), message.delivered_at),
         [id = message.id] { id.listener->shipment_returned(id, Outcome::given_up); });
    }
  }

  // ---- the sender

  bool may_send(std::size_t id) {
    Connection& connection = connections_[id];
    if (connection.failed || !connection.has_to_send(now())) return false;
    if (credits_ && !credits_->may_send(id)) return false;
    const std::int64_t size = connection.outbound[connection.next()].size;
    return !connection.nscc || connection.outbound.under_way + size <= connection.window();
  }

  /// All that may follow from what has happened to a connection.
  void proceed(std::size_t id) {
    Connection& connection = connections_[id];
    if (connection.failed) return;
    if (may_send(id) && !connection.in_line && !connection.in_port) {
      connection.in_line = true;
      port_of(id).line.push_back(id);
    }
    if (credits_) credits_->look(id);
    serve(port_of(id));
  }

  void serve(Port& port) {
    while (!port.busy && !port.line.empty()) {
      const std::size_t id = port.line.front();
      port.line.pop_front();
      connections_[id].in_line = false;
      if (may_send(id)) send_packet(id);
    }
  }

  void send_packet(std::size_t id) {
    Connection& connection = connections_[id];
    const Psn psn = connection.next();
    connection.outbound.sends(psn, now());
    const uet_reference::Outgoing& sent = connection.outbound[psn];
    Packet packet{Kind::data, id};
    packet.psn = psn;
    packet.times = sent.times;
    if (credits_) packet.credit = credits_->sends(id, sent.size);
    packet.asks = sent.times > 1 || connection.next() < 0;
    if (connection.nscc) packet.asks |= connection.outbound.under_way + full() > connection.window();
    if (credits_) packet.asks |= !credits_->may_send(id);
    const Message& message = connection.messages[sent.message];
    packet.departs = sent.times == 1 && psn + 1 == message.end && message.part != Part::data;
    ++(sent.times == 1 ? counters_.packets : counters_.repeated);
    connection.in_port = true;
    port_of(id).busy = true;
    at(now() + p_.timeout.ps(), [this, id, psn, times = sent.times] { look_at_timeout(id, psn, times); });
    inject(packet);
  }

  void look_at_timeout(std::size_t id, Psn psn, unsigned times) {
    Connection& connection = connections_[id];
    uet_reference::Outgoing& packet = connection.outbound[psn];
    if (connection.failed || packet.state != State::under_way || packet.times != times) return;
    happens(connection.from);
    ++counters_.timeouts;
    connection.outbound.give_up(psn);
    if (++packet.timeouts > p_.tries) return fail(id);
    if (connection.nscc) connection.nscc->timeout();
    if (credits_) credits_->timed_out(id);
    proceed(id);
  }

  // ---- the network

  void inject(const Packet& packet) {
    const Connection& connection = connections_[packet.connection];
    const bool is_data = packet.kind == Kind::data, goes_on = is_data || packet.kind == Kind::request;
    Bytes size = p_.control_packet;
    if (is_data)
      size = p_.header + Bytes(connection.outbound.packets[static_cast<std::size_t>(packet.psn)].payload);
    flying_.push_back(packet);
    network_.inject(
        {.id = UnitId{flying_.size() - 1},
         .from = PortId{goes_on ? connection.from : connection.to},
         .to = PortId{goes_on ? connection.to : connection.from},
         .size = size,
         .traffic_class = is_data ? connection.data_class : static_cast<std::uint8_t>(p_.control_class),
         .entropy = 0,
         .may_be_trimmed = is_data});
  }
  void unit_departed(UnitId unit, PortId from) override {
    const Packet& packet = flying_[static_cast<std::size_t>(unit)];
    if (packet.kind != Kind::data) return;
    happens(static_cast<std::size_t>(from));
    Connection& connection = connections_[packet.connection];
    ports_[static_cast<std::size_t>(from)].busy = false;
    connection.in_port = false;
    if (packet.departs) {
      const MessageId id = connection.messages[connection.outbound[packet.psn].message].id;
      id.listener->shipment_departed(id);
    }
    if (credits_) credits_->stirs(packet.connection);
    proceed(packet.connection);
    serve(ports_[static_cast<std::size_t>(from)]);
  }
  void unit_lost(UnitId) override {}
  void unit_delivered(UnitId unit, PortId to) override {
    happens(static_cast<std::size_t>(to));
    const Packet packet = flying_[static_cast<std::size_t>(unit)];

    if (connections_[packet.connection].failed) return;
    switch (packet.kind) {
      case Kind::data:
        take_data(packet);
        break;
      case Kind::acknowledgement:
        take_report(packet);
        break;
      case Kind::nack:
        take_nack(packet);
        break;
      case Kind::credit:
        credits_->granted(packet.connection, packet.credit);
        proceed(packet.connection);
        break;
      case Kind::request:
        credits_->asks(packet.connection, packet.credit, true);
        break;
    }
    for (const std::function<void()>& what : std::exchange(settled_, {})) what();
  }

  void take_data(const Packet& packet) {
    Connection& connection = connections_[packet.connection];
    const Trimmed trimmed = network_.extensions().trimming->delivered_trimmed();
    const bool marked = network_.extensions().marking->delivered_marked();
    const std::int64_t size = connection.outbound[packet.psn].size;
    uet_reference::Arrival arrival{packet.psn, size, marked, packet.asks, packet.times > 1};
    if (trimmed != Trimmed::no) {
      ++counters_.trimmed;
      arrival.marked = false;
      if (connection.inbound.has(packet.psn)) return acknowledge(packet, arrival);
      Packet nack{packet};
      nack.kind = Kind::nack;
      nack.at_last_switch = trimmed == Trimmed::at_last_switch;
      ++counters_.nacks;
      inject(nack);
      if (credits_) credits_->asks(packet.connection, packet.credit, true);
      return;
    }
    counters_.marked += marked ? 1 : 0;
    const bool is_new = !connection.inbound.has(packet.psn);
    if (connection.inbound.take(arrival, p_.acknowledge_bytes.count())) acknowledge(packet, arrival);
    if (credits_) credits_->asks(packet.connection, packet.credit, false);
    if (is_new) came(packet.connection, packet.psn);
  }

  void acknowledge(const Packet& packet, const uet_reference::Arrival& arrival) {
    Packet answer{packet};
    answer.kind = Kind::acknowledgement;
    answer.report = connections_[packet.connection].inbound.report(arrival);
    ++counters_.acknowledgements;
    inject(answer);
  }

  void take_report(const Packet& packet) {
    Connection& connection = connections_[packet.connection];
    if (credits_) credits_->hears(packet.connection);
    const std::int64_t round_trip = connection.outbound.round_trip(packet.report, now());
    std::vector<Psn> newly;
    const std::int64_t came = connection.outbound.take(packet.report, newly);
    if (credits_ && !newly.empty()) credits_->stirs(packet.connection);
    if (connection.nscc)
      connection.nscc->acknowledged({.now = events_.now(),
                                     .returned = Bytes(came),
                                     .round_trip = SimTime::from_ps(round_trip),
                                     .marked = packet.report.marked,
                                     .under_way = Bytes(connection.outbound.under_way)});
    for (const Psn psn : newly) {
      Message& message = connection.messages[connection.outbound[psn].message];
      if (--message.to_acknowledge > 0) continue;
      message.acknowledged_at = now();
      complete(message);
    }
    proceed(packet.connection);
  }

  void take_nack(const Packet& packet) {
    Connection& connection = connections_[packet.connection];
    if (credits_) credits_->hears(packet.connection);
    const uet_reference::Outgoing& sent = connection.outbound[packet.psn];
    if (sent.times == packet.times && sent.state == State::under_way) {
      if (connection.nscc)
        connection.nscc->trimmed({.now = events_.now(),
                                  .packet = Bytes(sent.size),
                                  .under_way = Bytes(connection.outbound.under_way),
                                  .credited = credits_ && packet.at_last_switch,
                                  .round_trip = SimTime::from_ps(now() - sent.sent_at)});
      connection.outbound.give_up(packet.psn);
    }
    proceed(packet.connection);
  }

  EventQueue& events_;
  Network& network_;
  UetParameters p_;
  std::vector<Port> ports_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::size_t> number_;
  std::deque<Connection> connections_;
  std::vector<Packet> flying_;
  std::optional<uet_reference::ReferenceCredits> credits_;
  std::deque<std::function<void()>> agenda_;
  std::vector<std::function<void()>> settled_;  ///< to be done once the arrival has been dealt with
  UetCounters counters_;
  bool had_ties_ = false;
};

}  // namespace morgana::testing
