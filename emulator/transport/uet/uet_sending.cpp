// Uet: what connections send, and what they learn of it.

#include <fmt/format.h>

#include <algorithm>

#include "emulator/transport/uet/uet.h"

namespace morgana {

using namespace uet;

/// Lines up, if it may.
void Uet::proceed(ConnectionId id) {
  Connection& connection = connections_[id];
  if (connection.in_port || !connection.has_to_send(events_.now())) return;
  if (!connection.may_send(framing_)) {
    if (connection.lacks_credit() && !connection.outbound.first_sent() &&
        connection.target(framing_, port_of(connection.from).line.size()) > connection.told_target)
      ask_for_credit(id);  // nothing under way could say so
    return watch(id);
  }
  if (connection.in_line) return;
  connection.in_line = true;
  Port& port = port_of(connection.from);
  port.line.push_back(id);
  serve(port);
}

void Uet::serve(Port& port) {
  while (!port.busy && !port.line.empty()) {
    const ConnectionId id = port.line.front();
    port.line.pop_front();
    Connection& connection = connections_[id];
    connection.in_line = false;
    if (!connection.has_to_send(events_.now())) continue;
    if (connection.may_send(framing_))
      send_packet(id);
    else
      watch(id);
  }
}

void Uet::send_packet(ConnectionId id) {
  Connection& connection = connections_[id];
  Outbound& outbound = connection.outbound;
  Port& port = port_of(connection.from);
  Header header{
      .connection = id, .entropy = connection.entropies->next(), .on_link = connection.next_size(framing_)};
  if (const auto repeat = outbound.to_repeat()) {
    header.psn = *repeat;
    header.repeated = true;
    outbound.send_again(header.psn, events_.now(), header.entropy);
    ++counters_.repeated;
  } else {
    header.psn = outbound.send_new(events_.now(), header.on_link, header.entropy);
    connection.left -= header.on_link;
    ++counters_.packets;
  }
  const Message& message = connection.message_of(header.psn);
  header.payload = connection.payload_of(header.psn, framing_);
  header.departs =
      !header.repeated && header.psn + 1 == message.end && message.part != Message::Part::read_data;
  if (header.departs) {
    header.message = message.id;
    header.timer_wait = message.timer_wait.total();
  }
  header.times = outbound[header.psn].times;
  header.asks = header.repeated || connection.left + outbound.left_to_repeat() == Bytes();
  if (connection.control != nullptr)
    header.asks = header.asks || outbound.under_way() + framing_.full_packet() > connection.control->window();
  if (connection.credited) {
    connection.credited->sent(header.on_link);
    header.asks = header.asks || connection.lacks_credit();
    header.credit = connection.told_target =
        connection.target(framing_, port_of(connection.from).line.size());
  }
  if (connection.control != nullptr) connection.control->sent(events_.now(), header.on_link);
  port.busy = connection.in_port = true;
  inject(header);
  watch(id);
}

void Uet::take_report(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  const Acknowledgement& report = header.report;
  const std::optional<SimTime> sent_at = connection.outbound.sent_at(report);
  bool is_news = false;
  const Bytes came = connection.outbound.take(report, [&](Psn psn) {
    is_news = true;
    acknowledged(connection, psn);
  });
  if (is_news) {
    connection.stands_since = events_.now();
    connection.last_loss.clear();
  }
  connection.entropies->learn(header.entropy, report.marked ? PathFeedback::marked : PathFeedback::good);
  if (connection.control != nullptr)
    connection.control->acknowledged({.now = events_.now(),
                                      .place = report.bytes,
                                      .sent = report.bytes + connection.outbound.under_way().count(),
                                      .returned = came,
                                      .round_trip = sent_at ? events_.now() - *sent_at : SimTime(),
                                      .delay = sent_at ? events_.now() - *sent_at : SimTime(),
                                      .marked = report.marked,
                                      .marked_bytes = report.marked ? header.on_link : Bytes(),
                                      .under_way = connection.outbound.under_way()});
  if (connection.credited) connection.credited->heard();
  connection.forget_done();
  watch(id);
  proceed(id);
}

/// A packet of the connection, for the first time.
void Uet::acknowledged(Connection& connection, Psn psn) {
  Message& message = connection.message_of(psn);
  if (--message.to_acknowledge > 0) return;
  message.acknowledged_at = events_.now();
  if (message.delivered)
    add_completion(notices_, message,
                   std::max(events_.now() + parameters_.completion_latency, message.delivered_at));
}

void Uet::take_nack(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  Outbound& outbound = connection.outbound;
  if (connection.credited) connection.credited->heard();
  // One of a sending that has been given up since says nothing of the one under
  // way.
  if (outbound.is_under_way(header.psn) && header.times == outbound[header.psn].times) {
    const PathFeedback at_last = header.marked ? PathFeedback::marked : PathFeedback::good;
    connection.entropies->learn(header.entropy, header.last_switch ? at_last : PathFeedback::trimmed);
    if (connection.control != nullptr)
      connection.control->trimmed({.now = events_.now(),
                                   .packet = outbound[header.psn].size,
                                   .under_way = outbound.under_way(),
                                   .credited = header.last_switch && connection.credited.has_value(),
                                   .round_trip = events_.now() - outbound[header.psn].at});
    outbound.give_up(header.psn, false);
  }
  watch(id);
  proceed(id);
}

void Uet::take_credit(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  if (!connection.credited) return;
  connection.credited->heard();
  connection.credited->grant(header.credit);
  watch(id);
  proceed(id);
}

/// Sets the timer for the packet that is under way longest, or for credit that
/// does not come.
void Uet::watch(ConnectionId id) {
  Connection& connection = connections_[id];
  if (connection.failed) return;
  const bool waits_for_credit = connection.lacks_credit() && connection.has_to_send(events_.now());
  connection.asks_later = connection.asks_later && waits_for_credit;
  SimTime due;
  if (const auto first = connection.outbound.first_sent()) {
    due = connection.outbound[*first].at + parameters_.timeout;
    if (connection.asks_later) due = std::min(due, connection.may_ask_at(parameters_.nscc.base_round_trip));
  } else if (connection.asks_later) {
    due = connection.may_ask_at(parameters_.nscc.base_round_trip);
  } else if (waits_for_credit && !connection.in_port) {
    due = std::max(connection.stands_since, connection.asked_for_credit.value_or(SimTime())) +
          connection.credit_patience + parameters_.timeout;
  } else {
    if (!connection.has_to_send(events_.now()) && connection.outbound.all_acknowledged())
      connection.credit_patience = SimTime();
    return connection.timeout.clear();
  }
  connection.timeout.set(std::max(due, events_.now()), events_, *this, id, timeout_timer);
}

void Uet::ran_out(ConnectionId id) {
  Connection& connection = connections_[id];
  const std::optional<Psn> first = connection.outbound.first_sent();
  if (first && connection.outbound[*first].at + parameters_.timeout > events_.now()) {
    if (connection.asks_later && events_.now() >= connection.may_ask_at(parameters_.nscc.base_round_trip))
      ask_for_credit(id);
    return watch(id);
  }
  if (first) {
    ++counters_.timeouts;
    for (Message& message : connection.messages)
      message.timer_wait.add(connection.stands_since, events_.now());
    const Outbound::Sent& packet = connection.outbound[*first];
    if (packet.timeouts >= parameters_.tries) return fail(id);
    connection.entropies->learn(packet.entropy, PathFeedback::timeout);
    connection.outbound.give_up(*first, true);
    if (connection.control != nullptr)
      connection.control->repeats(events_.now(), CongestionControl::Repetition::by_timeout);
  } else if (connection.lacks_credit() && !connection.asks_later) {
    // Neither what it asked for nor anything else has come.
    constexpr std::int64_t most_timeouts = 64;
    connection.credit_patience =
        std::min(2 * connection.credit_patience + parameters_.timeout, most_timeouts * parameters_.timeout);
  }
  if (connection.lacks_credit()) ask_for_credit(id);
  watch(id);
  proceed(id);
}

/// At most once in the longest round trip: what is too early for that is due
/// when that is over (watch).
void Uet::ask_for_credit(ConnectionId id) {
  Connection& connection = connections_[id];
  connection.asks_later = events_.now() < connection.may_ask_at(parameters_.nscc.base_round_trip);
  if (connection.asks_later) return;
  connection.asked_for_credit = events_.now();
  ++counters_.credit_requests;
  connection.told_target = connection.target(framing_, port_of(connection.from).line.size());
  inject({.kind = Header::Kind::credit_request,
          .connection = id,
          .entropy = connection.entropies->next(),
          .credit = connection.told_target});
}

void Uet::fail(ConnectionId id) {
  Connection& connection = connections_[id];
  ++counters_.failed;
  connection.failed = true;
  how_lost_ = fmt::format("given up after {} timeouts of one packet: the connection has failed",
                          parameters_.tries + 1);
  if (!connection.last_loss.empty())
    how_lost_ += "; the last of its packets to be lost: " + connection.last_loss;
  for (const Message& message : connection.messages)
    if (!message.delivered || (message.completes && message.to_acknowledge > 0))
      notices_.add_event({.kind = Notice::Kind::returned, .message = message.id},
                         std::max(events_.now(), message.delivered_at));
  connection.messages.clear();
  connection.outbound.clear();
  connection.left = Bytes();
  connection.end = connection.outbound.next();
  connection.timeout.clear();
  if (Port& port = port_of(connection.to); port.giver) port.giver->forget(id);
}

}  // namespace morgana
