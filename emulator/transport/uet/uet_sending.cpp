// Uet: what connections send, and what they learn of it.

#include <fmt/format.h>

#include <algorithm>

#include "emulator/transport/uet/uet.h"

namespace morgana {

using namespace uet;

bool Uet::has_to_send(const Connection& connection) const {
  if (connection.failed) return false;
  if (connection.outbound.to_repeat()) return true;
  const Psn next = connection.outbound.next();
  return next < connection.end && message_of(connection, next).ready <= events_.now();
}

Bytes Uet::payload_of(const Message& message, Psn psn) const {
  const auto before = static_cast<std::int64_t>(psn - message.first) * parameters_.payload.count();
  return std::min(parameters_.payload, message.bytes - Bytes(before));
}

/// Of the packet that is its turn.
Bytes Uet::next_size(const Connection& connection) const {
  if (const auto repeat = connection.outbound.to_repeat()) return connection.outbound[*repeat].size;
  const Psn next = connection.outbound.next();
  return on_link(payload_of(message_of(connection, next), next));
}

bool Uet::may_send(const Connection& connection) const {
  if (lacks_credit(connection)) return false;
  return connection.control == nullptr ||
         connection.outbound.under_way() + next_size(connection) <= connection.control->window();
}

bool Uet::lacks_credit(const Connection& connection) const {
  return connection.credited && !connection.credited->may_send();
}

/// For RCCC.
std::int64_t Uet::target_of(const Connection& connection) const {
  Bytes left = connection.left + connection.outbound.left_to_repeat();
  if (connection.control != nullptr) left = std::min(left, connection.control->window() + full_packet_);
  const std::size_t in_line = ports_[index(connection.from)].line.size();
  return connection.credited->target(left, full_packet_, connection.in_line ? in_line : in_line + 1);
}

/// Lines up, if it may.
void Uet::proceed(ConnectionId id) {
  Connection& connection = connections_[id];
  if (connection.in_port || !has_to_send(connection)) return;
  if (!may_send(connection)) {
    if (lacks_credit(connection) && !connection.outbound.first_sent() &&
        target_of(connection) > connection.told_target)
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
    if (!has_to_send(connection)) continue;
    if (may_send(connection))
      send_packet(id);
    else
      watch(id);
  }
}

void Uet::send_packet(ConnectionId id) {
  Connection& connection = connections_[id];
  Outbound& outbound = connection.outbound;
  Port& port = port_of(connection.from);
  Header header{.connection = id, .entropy = connection.entropies->next(), .on_link = next_size(connection)};
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
  const Message& message = message_of(connection, header.psn);
  header.payload = payload_of(message, header.psn);
  header.departs =
      !header.repeated && header.psn + 1 == message.end && message.part != Message::Part::read_data;
  if (header.departs) {
    header.message = message.id;
    header.timer_wait = message.timer_wait.total();
  }
  header.times = outbound[header.psn].times;
  header.asks = header.repeated || connection.left + outbound.left_to_repeat() == Bytes();
  if (connection.control != nullptr)
    header.asks = header.asks || outbound.under_way() + full_packet_ > connection.control->window();
  if (connection.credited) {
    connection.credited->sent(header.on_link);
    header.asks = header.asks || lacks_credit(connection);
    header.credit = connection.told_target = target_of(connection);
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
  forget_done(connection);
  watch(id);
  proceed(id);
}

/// A packet of the connection, for the first time.
void Uet::acknowledged(Connection& connection, Psn psn) {
  Message& message = message_of(connection, psn);
  if (--message.to_acknowledge > 0) return;
  message.acknowledged_at = events_.now();
  if (message.delivered)
    complete(message, std::max(events_.now() + parameters_.completion_latency, message.delivered_at));
}

/// Its sender is to know that, if it asked for it.
void Uet::complete(const Message& message, SimTime at) {
  if (message.completes && message.part == Message::Part::whole)
    notify({.kind = Notice::Kind::completed, .message = message.id, .timer_wait = message.timer_wait.total()},
           at);
}

void Uet::take_nack(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  Outbound& outbound = connection.outbound;
  if (connection.credited) connection.credited->heard();
  // One of a sending that has been given up since says nothing of the one under way.
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

/// Sets the timer for the packet that is under way longest, or for credit that does not come.
void Uet::watch(ConnectionId id) {
  Connection& connection = connections_[id];
  if (connection.failed) return;
  const bool waits_for_credit = lacks_credit(connection) && has_to_send(connection);
  connection.asks_later = connection.asks_later && waits_for_credit;
  SimTime due;
  if (const auto first = connection.outbound.first_sent()) {
    due = connection.outbound[*first].at + parameters_.timeout;
    if (connection.asks_later) due = std::min(due, may_ask_at(connection));
  } else if (connection.asks_later) {
    due = may_ask_at(connection);
  } else if (waits_for_credit && !connection.in_port) {
    due = std::max(connection.stands_since, connection.asked_for_credit.value_or(SimTime())) +
          connection.credit_patience + parameters_.timeout;
  } else {
    if (!has_to_send(connection) && connection.outbound.all_acknowledged())
      connection.credit_patience = SimTime();
    return connection.timeout.clear();
  }
  connection.timeout.set(std::max(due, events_.now()), events_, *this, id, timeout_timer);
}

void Uet::ran_out(ConnectionId id) {
  Connection& connection = connections_[id];
  const std::optional<Psn> first = connection.outbound.first_sent();
  if (first && connection.outbound[*first].at + parameters_.timeout > events_.now()) {
    if (connection.asks_later && events_.now() >= may_ask_at(connection)) ask_for_credit(id);
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
  } else if (lacks_credit(connection) && !connection.asks_later) {
    // Neither what it asked for nor anything else has come.
    constexpr std::int64_t most_timeouts = 64;
    connection.credit_patience =
        std::min(2 * connection.credit_patience + parameters_.timeout, most_timeouts * parameters_.timeout);
  }
  if (lacks_credit(connection)) ask_for_credit(id);
  watch(id);
  proceed(id);
}

SimTime Uet::may_ask_at(const Connection& connection) const {
  return connection.asked_for_credit ? *connection.asked_for_credit + parameters_.nscc.base_round_trip
                                     : SimTime();
}

/// At most once in the longest round trip: what is too early for that is due when that is over (watch).
void Uet::ask_for_credit(ConnectionId id) {
  Connection& connection = connections_[id];
  connection.asks_later = events_.now() < may_ask_at(connection);
  if (connection.asks_later) return;
  connection.asked_for_credit = events_.now();
  ++counters_.credit_requests;
  connection.told_target = target_of(connection);
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
      notify({.kind = Notice::Kind::returned, .message = message.id},
             std::max(events_.now(), message.delivered_at));
  connection.messages.clear();
  connection.outbound.clear();
  connection.left = Bytes();
  connection.end = connection.outbound.next();
  connection.timeout.clear();
  if (Port& port = port_of(connection.to); port.giver) port.giver->forget(id);
}

}  // namespace morgana
