// ReliableConnections: how a queue pair answers the requests of the other one.

#include <algorithm>

#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/reliable_connections.h"

namespace morgana {

using namespace rc;

bool ReliableConnections::wants_to_respond(ConnectionId id) const {
  const Connection& connection = connections_[id];
  return !connection.responses.empty() && connection.responses.front().ready <= events_.now();
}

void ReliableConnections::respond(ConnectionId id) {
  const Connection& connection = connections_[id];
  if (!wants_to_respond(id) || connection.response_in_port) return;
  if (is_data(connection.responses.front().kind) && !keeps_pace(opposite(id))) return;
  line_up(id, Turn::What::response);
}

void ReliableConnections::send_response(ConnectionId id) {
  Connection& connection = connections_[id];
  Response& response = connection.responses.front();
  Header header{.connection = id, .kind = response.kind, .psn = on_link(response.first)};
  Bytes extension = aeth, payload;
  bool done = true;
  if (response.kind == PacketKind::read_response) {
    payload = header.bytes = std::min(parameters_.path_mtu, response.bytes);
    response.bytes -= payload;
    header.first = !response.has_begun;
    header.last = done = ++response.first == response.end;
    response.has_begun = true;
    if (!header.first && !header.last) extension = Bytes();
    ++counters_.read_responses;
  } else if (response.kind == PacketKind::acknowledgement) {
    ++counters_.acknowledgements;
  } else {
    if (response.kind == PacketKind::sequence_error && selective_) {
      header.answers = on_link(response.end);
      extension += selective_acknowledgement;
    }
    ++(response.kind == PacketKind::sequence_error ? counters_.sequence_errors : counters_.not_ready);
  }
  if (done) connection.responses.erase(connection.responses.begin());
  connection.response_in_port = true;
  if (bus_ && payload > Bytes()) bus_->read(connection.to, payload);
  inject(header, extension, payload);
}

void ReliableConnections::responder_gets(const Header& header) {
  const ConnectionId id = header.connection;
  Connection& connection = connections_[id];
  if (connection.failed || connections_[opposite(id)].failed) return;
  const Psn psn = extended(header.psn, connection.expected);
  if (psn > connection.expected && keeps_early_) {
    if (connection.early_requests.try_emplace(psn, header).second) ++counters_.kept;
    if (!selective_ || connection.silent) return;
    owe(connection, {PacketKind::sequence_error, connection.expected, psn, Bytes(), false, events_.now()});
    return respond(id);
  }
  if (selective_) return take_with_kept(id, header);
  take_request(id, header);
  auto& early = connection.early_requests;
  while (!early.empty() && early.begin()->first <= connection.expected) {
    const auto next = early.extract(early.begin());
    if (next.key() == connection.expected) take_request(id, next.mapped());
  }
}

void ReliableConnections::take_request(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  const Psn psn = extended(header.psn, connection.expected);
  const bool is_duplicate = psn < connection.expected;
  if (psn == connection.expected) {
    if (!accept(connection, header)) {
      connection.silent = true;
      connection.early_requests.clear();
      owe(connection, {PacketKind::not_ready, psn, psn + 1, Bytes(), false, events_.now()});
      return respond(id);
    }
    connection.silent = false;
  } else if (psn > connection.expected) {
    if (connection.silent) return;
    connection.silent = true;
    owe(connection, {PacketKind::sequence_error, connection.expected, connection.expected + 1, Bytes(), false,
                     events_.now()});
    return respond(id);
  }
  if (header.verb == Verb::read) {
    if (is_duplicate) repeat_responses(connections_[opposite(id)]);
    const SimTime at = events_.now() + time_to_fetch(header.bytes);
    owe(connection, {PacketKind::read_response, psn, psn + header.count, header.bytes, false, at});
    if (at > events_.now()) events_.schedule(at, *this, TimerEvent{0, id, ready}.packed());
  } else if (header.asks) {
    owe(connection, {PacketKind::acknowledgement, connection.expected - 1, connection.expected, Bytes(),
                     false, events_.now()});
  }
  respond(id);
}

/// @return whether there was a receive for it, where it takes one
bool ReliableConnections::accept(Connection& connection, const Header& header) {
  const bool consumes =
      (header.verb == Verb::send && header.first) || (header.verb == Verb::write_immediate && header.last);
  if (consumes && !takes_receive(connection)) return false;
  connection.expected += header.verb == Verb::read ? header.count : 1;
  if (header.verb == Verb::read) return true;
  connection.in_memory = time_in_memory(connection.to, header.bytes, connection.in_memory);
  if (!header.last) return true;
  SimTime delivered = connection.in_memory;
  if (header.verb != Verb::write) {
    delivered += parameters_.completion_latency;
    if (parameters_.receives > 0) connection.reposts.push_back(delivered + parameters_.repost);
  }
  SimTime timer_wait;
  for (WorkRequest& request : connection.requests) {
    if (request.end < connection.expected) continue;
    request.delivered = delivered;
    timer_wait = request.timer_wait.total();
    break;
  }
  if (header.reports) notify(Notice::Kind::delivered, header.message, delivered, timer_wait);
  return true;
}

bool ReliableConnections::takes_receive(Connection& connection) {
  if (parameters_.receives == 0) return true;
  while (!connection.reposts.empty() && connection.reposts.front() <= events_.now()) {
    connection.reposts.erase(connection.reposts.begin());
    --connection.receives_used;
  }
  if (connection.receives_used == parameters_.receives) return false;
  ++connection.receives_used;
  return true;
}

/// Acknowledgements that follow each other are one.
void ReliableConnections::owe(Connection& connection, const Response& response) {
  if (response.kind == PacketKind::acknowledgement && !connection.responses.empty() &&
      connection.responses.back().kind == PacketKind::acknowledgement)
    connection.responses.back() = response;
  else
    connection.responses.push_back(response);
}

}  // namespace morgana
