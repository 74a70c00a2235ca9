#pragma once

#include <algorithm>
#include <array>
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
#include "emulator/transport/tcp/parameters.h"
#include "emulator/transport/transport.h"
#include "tests/transport/reference_tcp_receiver.h"
#include "tests/transport/reference_tcp_sender.h"

namespace morgana::testing {

/// The rules of Tcp's header, written down plainly: octets have flags, a timer is an event that is looked at
/// when it comes, and nothing that was made is ever thrown away. It does not say what comes first of two
/// things that happen in the same picosecond; it says that there were such.
class ReferenceTcp : public Transport, private UnitListener, private EventHandler {
 public:
  struct Counters {
    tcp_reference::Counts sent;
    std::int64_t acknowledgements = 0;  ///< segments without data
    std::int64_t marked = 0;            ///< segments with data that came so
    std::int64_t opened = 0, failed = 0;
  };

  ReferenceTcp(EventQueue& events, Network& network, std::size_t hosts, const TcpParameters& parameters)
      : events_(events), network_(network), p_(parameters), hosts_(hosts) {
    p_.window.segment = network.largest_unit() - p_.header - (p_.timestamps ? Bytes(12) : Bytes(0));
    network_.report_to(*this);
  }

  void send(const Shipment& shipment) override {
    const auto from = static_cast<std::uint32_t>(shipment.from), to = static_cast<std::uint32_t>(shipment.to);
    const std::tuple key(std::min(from, to), std::max(from, to), shipment.channel);
    const auto [known, is_new] = number_.try_emplace(key, connections_.size());
    if (is_new) {
      connections_.emplace_back(std::get<0>(key), std::get<1>(key), p_);
      if (!p_.handshake) ++counters_.opened;
    }
    const EndId id{known->second, from < to ? 0U : 1U};
    const Message message{shipment.id, shipment.bytes.count(), shipment.completes};
    at(now() + p_.send_latency.ps(), [this, id, message] { write(id, message); });
  }

  bool had_ties() const { return had_ties_; }

  Counters counters() const {
    Counters all = counters_;
    for (const Connection& connection : connections_)
      for (const End& end : connection.ends) add(all.sent, end.sender.counts);
    return all;
  }

 private:
  using Segment = tcp_reference::Segment;
  enum class State : std::uint8_t { closed, syn_sent, syn_received, established };

  struct Message {
    MessageId id;
    std::int64_t bytes;
    bool completes;
    tcp_reference::Octet end = 0;
    bool departed = false, delivered = false, completed = false;
  };
  using Timer = std::optional<std::int64_t>;
  struct End {
    explicit End(const TcpParameters& p)
        : state(p.handshake ? State::closed : State::established), sender(p), receiver(p) {}
    State state;
    tcp_reference::ReferenceSender sender;
    tcp_reference::ReferenceReceiver receiver;
    std::vector<Message> messages;
    std::deque<Segment> ready;
    Timer retransmission, acknowledgement;
    enum class Wait : std::uint8_t { timeout, probe, reordering } waits_for = Wait::timeout;
    std::int64_t times_out_at = 0;
    std::int64_t syns = 0, syn_timeouts = 0, syn_sent_at = 0;
  };
  struct Connection {
    Connection(std::uint32_t low, std::uint32_t high, const TcpParameters& p)
        : hosts{low, high}, ends{End(p), End(p)} {}
    std::array<std::uint32_t, 2> hosts;
    std::array<End, 2> ends;
    std::array<bool, 2> in_line{}, in_port{};
    std::uint64_t incarnation = 0;
  };
  struct EndId {
    std::size_t connection;
    std::size_t side;
    EndId other() const { return {connection, 1 - side}; }
  };
  struct Host {
    bool busy = false;
    std::deque<EndId> line;
  };
  struct Flying {
    Segment segment;
    EndId from;
  };

  std::int64_t now() const { return events_.now().ps(); }
  Connection& connection_of(EndId id) { return connections_[id.connection]; }
  End& end_of(EndId id) { return connections_[id.connection].ends[id.side]; }
  std::uint32_t host_of(EndId id) { return connections_[id.connection].hosts[id.side]; }

  void at(std::int64_t time, std::function<void()> what) {
    agenda_.push_back(std::move(what));
    events_.schedule(SimTime::from_ps(time), *this, agenda_.size() - 1);
  }
  void handle(std::uint64_t what) override { agenda_[what](); }
  void happens() { had_ties_ |= std::exchange(happened_at_, now()) == now(); }

  void start(EndId id, Timer End::*timer, std::int64_t span) {
    if (timer == &End::retransmission) {
      end_of(id).waits_for = End::Wait::timeout;
      end_of(id).times_out_at = now() + span;
    }
    start_at(id, timer, now() + span);
  }
  void start_at(EndId id, Timer End::*timer, std::int64_t deadline) {
    end_of(id).*timer = deadline;
    at(deadline, [this, id, timer, deadline] {
      if (end_of(id).*timer != deadline) return;
      happens();
      (end_of(id).*timer).reset();
      if (timer == &End::retransmission)
        retransmission_ran_out(id);
      else
        acknowledge(id);
    });
  }

  // ---- messages

  void write(EndId id, Message message) {
    happens();
    End& end = end_of(id);
    const std::int64_t bytes = p_.message_header.count() + message.bytes;
    end.sender.write(now(), bytes);
    message.end = end.sender.written;
    end.messages.push_back(message);
    if (end.state == State::closed) {
      end.state = State::syn_sent;
      send_syn(id);
    }
    look_at_messages(id);
    line_up(id);
  }

  /// Those that `id` sends.
  void look_at_messages(EndId id) {
    const tcp_reference::Octet buffered = end_of(id).sender.buffered();
    const tcp_reference::Octet acknowledged = end_of(id).sender.oldest;
    const tcp_reference::Octet received = end_of(id.other()).receiver.expected;
    for (Message& message : end_of(id).messages) {
      const MessageId number = message.id;
      if (!message.departed && message.end <= buffered) {
        message.departed = true;
        number.listener->shipment_departed(number);
      }
      if (!message.delivered && message.end <= received) {
        message.delivered = true;
        at(now() + p_.delivery_latency.ps(), [number] { number.listener->shipment_delivered(number); });
      }
      if (message.completes && !message.completed && message.end <= acknowledged) {
        message.completed = true;
        number.listener->shipment_completed(number);
      }
    }
  }

  void fail(EndId id) {
    ++counters_.failed;
    if (!p_.handshake) ++counters_.opened;
    Connection& connection = connection_of(id);
    ++connection.incarnation;
    for (End& end : connection.ends) {
      add(counters_.sent, end.sender.counts);
      const std::vector<Message> messages = end.messages;
      std::destroy_at(&end);
      std::construct_at(&end, p_);
      for (const Message& message : messages)
        if (!message.delivered) message.id.listener->shipment_returned(message.id, Outcome::given_up);
    }
  }

  static void add(tcp_reference::Counts& to, const tcp_reference::Counts& more) {
    to.segments += more.segments;
    to.repeated += more.repeated;
    to.fast_recoveries += more.fast_recoveries;
    to.timeouts += more.timeouts;
    to.reductions += more.reductions;
    to.probes += more.probes;
  }

  // ---- the handshake

  void send_syn(EndId id) {
    End& end = end_of(id);
    ++end.syns;
    end.syn_sent_at = now();
    Segment segment;
    if (end.state == State::syn_received) segment = end.receiver.acknowledge(false);
    segment.syn = true;
    start(id, &End::retransmission, end.sender.round_trip.timeout);
    make(id, segment);
  }

  void take_syn(EndId id, const Segment& segment) {
    End& end = end_of(id);
    if (end.state == State::established) return acknowledge(id);
    end.receiver.echo = std::max(end.receiver.echo, segment.value);
    if (segment.ack) {
      const bool answers = end.state == State::syn_sent;
      established(id);
      if (answers) acknowledge(id);
      return line_up(id);
    }
    if (end.state != State::syn_received) {
      end.state = State::syn_received;
      end.syns = end.syn_timeouts = 0;
    }
    send_syn(id);
  }

  void established(EndId id) {
    End& end = end_of(id);
    end.state = State::established;
    if (end_of(id.other()).state != State::established) ++counters_.opened;
    end.retransmission.reset();
    end.sender.opened(end.syns == 1 ? now() - end.syn_sent_at : 0, end.syns > 1);
  }

  // ---- the port

  bool has_something(EndId id) {
    const End& end = end_of(id);
    return !end.ready.empty() || (end.state == State::established && end.sender.next());
  }

  void make(EndId id, const Segment& segment) {
    counters_.acknowledgements += segment.syn ? 0 : 1;
    end_of(id).ready.push_back(segment);
    line_up(id);
  }

  void line_up(EndId id) {
    Connection& connection = connection_of(id);
    if (!connection.in_line[id.side] && !connection.in_port[id.side] && has_something(id)) {
      connection.in_line[id.side] = true;
      hosts_[host_of(id)].line.push_back(id);
    }
    serve(host_of(id));
  }

  void serve(std::uint32_t number) {
    Host& host = hosts_[number];
    while (!host.busy && !host.line.empty()) {
      const EndId id = host.line.front();
      host.line.pop_front();
      connection_of(id).in_line[id.side] = false;
      if (has_something(id)) take_turn(id);
    }
  }

  void take_turn(EndId id) {
    End& end = end_of(id);
    Segment segment;
    if (!end.ready.empty()) {
      segment = end.ready.front();
      end.ready.pop_front();
    } else {
      const auto outgoing = *end.sender.next();
      segment = end.receiver.acknowledge(false);
      end.acknowledgement.reset();
      segment.data = outgoing.data;
      const bool is_new = end.sender.is_new(outgoing);
      segment.cwr = end.sender.send(now(), outgoing);
      if (!end.retransmission) start(id, &End::retransmission, end.sender.round_trip.timeout);
      if (is_new) schedule_probe(id);
    }
    segment.value = events_.now();
    segment.incarnation = connection_of(id).incarnation;
    hosts_[host_of(id)].busy = true;
    connection_of(id).in_port[id.side] = true;
    flying_.push_back({segment, id});
    network_.inject({.id = UnitId{flying_.size() - 1},
                     .from = PortId{host_of(id)},
                     .to = PortId{host_of(id.other())},
                     .size = Bytes(size_of(segment)),
                     .traffic_class = static_cast<std::uint8_t>(p_.traffic_class),
                     .entropy = static_cast<std::uint32_t>(id.connection)});
  }

  std::int64_t size_of(const Segment& segment) const {
    const std::int64_t header = p_.header.count();
    if (segment.syn) return header + (p_.timestamps ? 20 : p_.sack ? 12 : 8);
    const auto ranges = static_cast<std::int64_t>(segment.sack.size());
    return header + (p_.timestamps ? 12 : 0) + (ranges > 0 ? 4 + 8 * ranges : 0) + segment.data.size();
  }

  void unit_departed(UnitId unit, PortId from) override {
    happens();
    const EndId id = flying_[static_cast<std::size_t>(unit)].from;
    hosts_[static_cast<std::size_t>(from)].busy = false;
    connection_of(id).in_port[id.side] = false;
    line_up(id);
  }
  void unit_lost(UnitId) override {}
  void unit_delivered(UnitId unit, PortId) override {
    const auto number = static_cast<std::size_t>(unit);
    const MarkingNetwork* marking = network_.extensions().marking;
    flying_[number].segment.ce = marking != nullptr && marking->delivered_marked();
    at(now() + p_.receive_latency.ps(), [this, number] {
      const Flying flying = flying_[number];
      take_in(flying.from.other(), flying.segment);
    });
  }

  // ---- arrivals

  void take_in(EndId id, const Segment& segment) {
    happens();
    if (segment.incarnation != connection_of(id).incarnation) return;
    if (segment.syn) return take_syn(id, segment);
    End& end = end_of(id);
    if (end.state != State::established) established(id);
    const bool has_data = segment.data.size() > 0;
    if (end.sender.acknowledged(now(), segment, has_data)) {
      if (!end.sender.in_flight())
        end.retransmission.reset();
      else if (end.sender.restarts_timer)
        start(id, &End::retransmission, end.sender.round_trip.timeout);
      look_at_messages(id);
      choose_timer(id, true);
    } else {
      choose_timer(id, false);
    }
    line_up(id);
    if (has_data) take_data(id, segment);
  }

  // ---- RFC 8985, section 8: one timer, and what it is for

  void schedule_probe(EndId id) {
    End& end = end_of(id);
    const std::optional<std::int64_t> pto = end.sender.pto();
    if (!pto || end.waits_for == End::Wait::reordering) return;
    end.waits_for = End::Wait::probe;
    start_at(id, &End::retransmission, std::min(now() + *pto, end.times_out_at));
  }

  /// After an acknowledgement.
  void choose_timer(EndId id, bool has_new) {
    End& end = end_of(id);
    if (!end.sender.has_rack() || !end.sender.in_flight()) return;
    if (const auto ends = end.sender.reordering_ends()) {
      end.waits_for = End::Wait::reordering;
      return start_at(id, &End::retransmission, *ends);
    }
    if (end.waits_for == End::Wait::reordering)
      start(id, &End::retransmission, end.sender.round_trip.timeout);
    if (has_new) schedule_probe(id);
    if (end.waits_for == End::Wait::probe && !end.sender.pto()) {
      end.waits_for = End::Wait::timeout;
      start_at(id, &End::retransmission, end.times_out_at);
    }
  }

  void take_data(EndId id, const Segment& segment) {
    End& end = end_of(id);
    counters_.marked += segment.ce && (p_.ecn || p_.control == TcpParameters::Control::dctcp) ? 1 : 0;
    std::optional<Segment> before;
    const bool at_once = end.receiver.take(segment, before);
    if (before) {
      end.acknowledgement.reset();
      make(id, *before);
    }
    look_at_messages(id.other());
    if (at_once)
      acknowledge(id);
    else if (!end.acknowledgement)
      start(id, &End::acknowledgement, p_.acknowledge_delay.ps());
  }

  /// All that has come, by a segment of its own.
  void acknowledge(EndId id) {
    End& end = end_of(id);
    end.acknowledgement.reset();
    make(id, end.receiver.acknowledge(true));
  }

  void retransmission_ran_out(EndId id) {
    End& end = end_of(id);
    if (end.state != State::established) {
      if (++end.syn_timeouts > p_.handshake_tries) return fail(id);
      end.sender.round_trip.back_off();
      return send_syn(id);
    }
    switch (end.waits_for) {
      case End::Wait::timeout:
        end.sender.timed_out(now());
        if (end.sender.futile > p_.tries) return fail(id);
        break;
      case End::Wait::probe:
        end.sender.pto_expired();
        break;
      case End::Wait::reordering:
        end.sender.reordering_ran_out(now());
    }
    start(id, &End::retransmission, end.sender.round_trip.timeout);
    if (const auto ends = end.sender.reordering_ends()) {
      end.waits_for = End::Wait::reordering;
      start_at(id, &End::retransmission, *ends);
    }
    line_up(id);
  }

  EventQueue& events_;
  Network& network_;
  TcpParameters p_;
  std::vector<Host> hosts_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>, std::size_t> number_;
  std::deque<Connection> connections_;
  std::vector<Flying> flying_;
  std::deque<std::function<void()>> agenda_;
  Counters counters_;
  std::int64_t happened_at_ = -1;
  bool had_ties_ = false;
};

}  // namespace morgana::testing
