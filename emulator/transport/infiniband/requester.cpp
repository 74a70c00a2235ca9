// ReliableConnections: what a queue pair sends, and what becomes of it.

#include <algorithm>
#include <utility>

#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/reliable_connections.h"

namespace morgana {

using namespace rc;

bool ReliableConnections::wants_to_request(const Connection& connection) const {
  if (connection.failed || connection.waits) return false;
  if (repeats(connection)) return true;
  if (connection.sending == connection.requests.size()) return false;
  const WorkRequest& request = connection.requests[connection.sending];
  return request.ready <= events_.now() &&
         static_cast<std::int64_t>(connection.next - connection.oldest) < parameters_.outstanding_packets &&
         static_cast<std::int64_t>(connection.sending) < parameters_.outstanding_messages &&
         (request.verb != Verb::read || connection.reads < parameters_.outstanding_reads);
}

void ReliableConnections::proceed(ConnectionId id) {
  Connection& connection = connections_[id];
  const bool would_send = wants_to_request(connection);
  const bool is_held = has_windows_ && is_window_closed(connection);
  if ((would_send && !is_held) || connection.request_in_port || connection.waits || connection.failed ||
      (connection.oldest == connection.next && !(is_held && connection.window->is_held)))
    connection.timeout.clear();
  else
    await_answer(id);
  if (would_send && !connection.request_in_port && keeps_pace(id)) line_up(id, Turn::What::request);
}

/// Of a requester that wants to send.
ReliableConnections::Psn ReliableConnections::psn_to_send(const Connection& connection) {
  return repeats(connection) ? *connection.recovery->lost.begin() : connection.next;
}

const rc::WorkRequest& ReliableConnections::request_of(const Connection& connection, Psn psn) {
  if (psn == connection.next) return connection.requests[connection.sending];
  return *std::ranges::partition_point(connection.requests,
                                       [psn](const WorkRequest& one) { return one.end <= psn; });
}

void ReliableConnections::send_request(ConnectionId id) {
  Connection& connection = connections_[id];
  const bool again = repeats(connection);
  const Psn psn = again ? take_lost(connection) : connection.next;
  const WorkRequest& request = request_of(connection, psn);
  const Psn number = psn - request.first;
  const Bytes before = static_cast<std::int64_t>(number) * parameters_.path_mtu;
  const bool reads = request.verb == Verb::read;
  const bool writes = request.verb == Verb::write || request.verb == Verb::write_immediate;
  Psn after = psn + 1;
  if (reads) after = again ? end_of_hole(connection, psn, request.end) : request.end;
  if (!again) connection.next = after;

  Header header{.connection = id,
                .kind = PacketKind::request,
                .verb = request.verb,
                .psn = on_link(psn),
                .first = number == 0,
                .last = after == request.end,
                .message = request.id,
                .timer_wait = request.timer_wait.total()};
  const bool is_new = psn >= connection.never_sent;
  connection.never_sent = std::max(connection.never_sent, connection.next);
  header.departs = is_new && header.last && request.reports;
  header.reports = header.last && request.reports;
  Bytes extension, payload;
  if (reads) {
    extension = reth;
    header.count = static_cast<std::uint32_t>(after - psn);
    header.bytes =
        std::min(request.bytes - before, static_cast<std::int64_t>(after - psn) * parameters_.path_mtu);
  } else {
    const std::int64_t every = parameters_.acknowledge_every;
    header.asks =
        header.last || again || has_windows_ ||
        (every > 0 && (static_cast<std::int64_t>(number) + 1) % every == 0) ||
        static_cast<std::int64_t>(connection.next - connection.oldest) >= parameters_.outstanding_packets;
    payload = header.bytes = std::min(parameters_.path_mtu, request.bytes - before);
    if (writes && header.first) extension += reth;
    if (request.verb == Verb::write_immediate && header.last) extension += immediate_data;
  }
  if (header.last && !again) {
    ++connection.sending;
    if (reads) ++connection.reads;
  }
  ++(is_new ? counters_.requests : counters_.repeated);
  connection.request_in_port = true;
  connection.timeout.clear();
  if (bus_ && payload > Bytes() && request.bytes > parameters_.inline_limit)
    bus_->read(connection.from, payload);
  inject(header, extension, payload);
}

/// The first response that a read among the requests up to that PSN lacks; a later PSN if there is none.
ReliableConnections::Psn ReliableConnections::missing_response(const Connection& connection,
                                                               Psn up_to) const {
  for (const WorkRequest& request : connection.requests) {
    if (request.first > up_to) break;
    if (request.verb == Verb::read) return std::max(request.first, connection.oldest);
  }
  return up_to + 1;
}

void ReliableConnections::requester_gets(const Header& header) {
  const ConnectionId id = header.connection;
  Connection& connection = connections_[id];
  if (connection.failed) return;
  if (header.kind == PacketKind::notification) return connection.control->notified(events_.now());
  if (header.kind == PacketKind::feedback) return;
  if (selective_)
    requester_learns(id, header);
  else
    take_answers(id, header);
}

/// With all that was kept and comes next.
void ReliableConnections::take_answers(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  if (!take_answer(id, header)) {
    connection.early_answers.emplace(extended(header.psn, connection.oldest), header);
    ++counters_.kept;
    return proceed(id);
  }
  auto& early = connection.early_answers;
  while (!connection.failed && !early.empty() && take_answer(id, early.begin()->second))
    early.erase(early.begin());
}

/// @return whether it could be dealt with, not having to be kept
bool ReliableConnections::take_answer(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  const Psn psn = extended(header.psn, connection.oldest);
  const bool nak = header.kind == PacketKind::sequence_error || header.kind == PacketKind::not_ready;
  if (psn < connection.oldest) return true;
  if (nak && psn == 0) {
    if (header.kind == PacketKind::sequence_error)
      retry(id);
    else
      wait_for_receiver(id);
    proceed(id);
    return true;
  }
  const Psn acknowledged = nak ? psn - 1 : psn;
  const Psn missing = missing_response(connection, acknowledged);
  if (header.kind == PacketKind::read_response && missing == psn) {
    connection.read_in_memory = time_in_memory(connection.from, header.bytes, connection.read_in_memory);
    acknowledge(id, psn + 1);
  } else if (missing <= acknowledged) {
    acknowledge(id, missing);
    if (keeps_early_) return false;
    implied_nak(id, missing);
  } else if (header.kind == PacketKind::acknowledgement) {
    acknowledge(id, psn + 1);
  } else if (nak) {
    acknowledge(id, psn);
    if (header.kind == PacketKind::sequence_error)
      retry(id);
    else
      wait_for_receiver(id);
  }
  proceed(id);
  return true;
}

void ReliableConnections::acknowledge(ConnectionId id, Psn up_to) {
  Connection& connection = connections_[id];
  if (up_to <= connection.oldest) return;
  connection.oldest = up_to;
  if (connection.recovery != nullptr) recovery_acknowledges(connection, up_to);
  connection.next = std::max(connection.next, up_to);
  while (connection.sending < connection.requests.size() &&
         connection.requests[connection.sending].end <= connection.next) {
    if (connection.requests[connection.sending].verb == Verb::read) ++connection.reads;
    ++connection.sending;
  }
  connection.futile = connection.futile_rnr = 0;
  connection.last_loss.clear();
  connection.timeout.clear();
  while (!connection.requests.empty() && connection.requests.front().end <= up_to) {
    const WorkRequest done = connection.requests.front();
    connection.requests.pop_front();
    --connection.sending;
    if (done.verb == Verb::read) {
      --connection.reads;
      if (done.reports)
        notify(Notice::Kind::delivered, done.id, connection.read_in_memory + parameters_.completion_latency,
               done.timer_wait.total());
    } else if (done.completes) {
      notify(Notice::Kind::completed, done.id,
             std::max(events_.now() + parameters_.completion_latency, done.delivered),
             done.timer_wait.total());
    }
  }
}

void ReliableConnections::implied_nak(ConnectionId id, Psn missing) {
  if (std::exchange(connections_[id].implied, missing) != missing) retry(id);
}

void ReliableConnections::retry(ConnectionId id, CongestionControl::Repetition why) {
  Connection& connection = connections_[id];
  if (connection.control != nullptr) connection.control->repeats(events_.now(), why);
  if (++connection.futile > parameters_.retry_count)
    return fail(id, "after " + std::to_string(parameters_.retry_count) + " retries");
  if (!selective_) return go_back(connection);
  if (why != CongestionControl::Repetition::by_timeout) return;
  find_all_lost(connection);
  forget_under_way(connection);
}

void ReliableConnections::wait_for_receiver(ConnectionId id) {
  Connection& connection = connections_[id];
  if (connection.waits) return;
  constexpr unsigned without_end = 7;
  if (parameters_.rnr_retry < without_end && ++connection.futile_rnr > parameters_.rnr_retry)
    return fail(id, "after " + std::to_string(parameters_.rnr_retry) +
                        " retries, as no receive was posted (RNR NAK)");
  go_back(connection);
  connection.waits = true;
  connection.rnr.set(events_.now() + parameters_.rnr_timer, events_, *this, id, rnr_wait);
  connection.stands_since = events_.now();
}

void ReliableConnections::go_back(Connection& connection) const {
  if (connection.recovery != nullptr) forget_recovery(connection);
  connection.next = connection.oldest;
  connection.sending = 0;
  connection.reads = 0;
  forget_under_way(connection);
}

void ReliableConnections::fail(ConnectionId id, const std::string& how) {
  Connection& connection = connections_[id];
  ++counters_.failed;
  connection.failed = true;
  how_lost_ = "given up " + how + ": the queue pair has failed";
  if (!connection.last_loss.empty())
    how_lost_ += "; the last of its packets to be lost: " + connection.last_loss;
  for (const WorkRequest& request : connection.requests) {
    if (!request.reports) continue;
    const bool accepted = request.verb != Verb::read && request.end <= connection.expected;
    if (!accepted || request.completes)
      notify(Notice::Kind::returned, request.id, std::max(events_.now(), request.delivered));
  }
  connection.requests.clear();
  if (connection.recovery != nullptr) forget_recovery(connection);
  connection.sending = 0;
  connection.reads = 0;
  connection.oldest = connection.next = connection.end;
  connection.timeout.clear();
  connections_[opposite(id)].responses.clear();
}

}  // namespace morgana
