// ReliableConnections: selective repeat. What a requester knows to be lost, and what a responder
// acknowledges.

#include <algorithm>

#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/reliable_connections.h"

namespace morgana {

using namespace rc;

/// Of requests and read responses, so far as is known.
bool ReliableConnections::has_few_under_way(const Connection& connection) const {
  const auto& early = connection.early_answers;
  const auto come = std::count_if(early.begin(), early.end(), [](const auto& one) {
    return one.second.kind == PacketKind::read_response;
  });
  const auto kept = static_cast<std::int64_t>(connection.recovery->kept.size());
  return static_cast<std::int64_t>(connection.next - connection.oldest) - kept - come <=
         parameters_.low_timeout_packets;
}

ReliableConnections::Psn ReliableConnections::take_lost(Connection& connection) {
  return connection.recovery->lost.extract(connection.recovery->lost.begin()).value();
}

/// One past the last response that is missing from `first` on, of a read up to `end`.
ReliableConnections::Psn ReliableConnections::end_of_hole(const Connection& connection, Psn first, Psn end) {
  const auto& early = connection.early_answers;
  for (auto place = early.upper_bound(first); place != early.end() && place->first < end; ++place)
    if (place->second.kind == PacketKind::read_response) return place->first;
  return end;
}

void ReliableConnections::requester_learns(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  LossRecovery& recovery = *connection.recovery;
  const Psn psn = extended(header.psn, connection.oldest);
  if (header.kind == PacketKind::not_ready) return take_answers(id, header);

  const bool is_nak = header.kind == PacketKind::sequence_error;
  const bool did_last = recovery.lasts;
  const Psn up_to = is_nak ? psn : psn + 1;  // of requests: all before it are accepted
  if (header.kind != PacketKind::read_response) recovery.accepted = std::max(recovery.accepted, up_to);
  if (is_nak && !connection.waits) {
    const Psn kept = extended(header.answers, connection.oldest);
    if (kept > recovery.accepted && kept < connection.next) {
      recovery.kept.insert(kept);
      recovery.lost.erase(kept);
      find_lost_requests(connection, recovery.requests, kept);
    }
    if (!recovery.lost.empty() && !recovery.by_request && psn == recovery.accepted) {
      enter_recovery(connection);
      recovery.by_request = true;
      recovery.cumulative = psn;
    }
  }
  // All responses before it have left before it.
  const Psn come = std::min(up_to, connection.next);
  const bool responds = header.kind == PacketKind::read_response && come == up_to;
  find_lost_responses(connection, recovery.responses, responds ? psn : come);
  if (responds) recovery.responses = std::max(recovery.responses, come);
  if (!recovery.lost.empty() && !recovery.lasts) enter_recovery(connection);

  Header answer = header;
  if (is_nak) {
    answer.kind = PacketKind::acknowledgement;
    answer.psn = (header.psn + psns - 1) % psns;
  }
  if (up_to > 0) take_answers(id, answer);
  if (header.kind != PacketKind::read_response && up_to == connection.oldest)
    partly_acknowledged(connection, up_to);
  if (!connection.failed && recovery.lasts && !did_last) retry(id);
  proceed(id);
}

/// Of the requests `from` .. `to`-1 those that the responder has neither accepted nor kept.
void ReliableConnections::find_lost_requests(Connection& connection, Psn from, Psn to) const {
  LossRecovery& recovery = *connection.recovery;
  from = std::max({from, connection.oldest, recovery.accepted});
  for (const WorkRequest& request : connection.requests) {
    if (request.first >= to) break;
    const bool reads = request.verb == Verb::read;
    const Psn end = std::min(reads ? request.first + 1 : request.end, to);
    for (Psn psn = std::max(request.first, from); psn < end; ++psn)
      if (!recovery.kept.contains(psn)) recovery.lost.insert(psn);
  }
  recovery.requests = std::max(recovery.requests, to);
}

/// Of the read responses `from` .. `to`-1 those that have not come: the first of each hole.
void ReliableConnections::find_lost_responses(Connection& connection, Psn from, Psn to) const {
  LossRecovery& recovery = *connection.recovery;
  from = std::max(from, connection.oldest);
  if (from >= to) return;
  const auto has_come = [&connection](Psn psn) {
    const auto [first, last] = connection.early_answers.equal_range(psn);
    return std::any_of(first, last,
                       [](const auto& one) { return one.second.kind == PacketKind::read_response; });
  };
  for (const WorkRequest& request : connection.requests) {
    if (request.first >= to) break;
    if (request.verb != Verb::read) continue;
    Psn psn = std::max(request.first, from);
    const Psn end = std::min(request.end, to);
    while (psn < end) {
      if (has_come(psn)) {
        ++psn;
      } else {
        recovery.lost.insert(psn);
        psn = end_of_hole(connection, psn, request.end);
      }
    }
  }
  recovery.responses = std::max(recovery.responses, to);
}

/// After a timeout: the oldest packet, and what was known to be lost, as it was repeated in vain.
void ReliableConnections::find_all_lost(Connection& connection) const {
  LossRecovery& recovery = *connection.recovery;
  enter_recovery(connection);
  recovery.by_request = true;
  recovery.cumulative = connection.oldest;
  recovery.lost.clear();
  find_lost_requests(connection, connection.oldest, recovery.requests);
  find_lost_responses(connection, connection.oldest, recovery.responses);
  recovery.lost.insert(connection.oldest);
}

void ReliableConnections::enter_recovery(Connection& connection) {
  connection.recovery->lasts = true;
  connection.recovery->until = connection.next;
}

/// The first packet that was repeated has come, so that what was sent before it has come or is lost.
void ReliableConnections::partly_acknowledged(Connection& connection, Psn up_to) {
  LossRecovery& recovery = *connection.recovery;
  if (!recovery.lasts || !recovery.by_request || up_to <= recovery.cumulative || up_to >= recovery.until ||
      up_to < recovery.requests || recovery.kept.contains(up_to))
    return;
  recovery.lost.insert(up_to);
  recovery.requests = up_to + 1;
}

void ReliableConnections::recovery_acknowledges(Connection& connection, Psn up_to) {
  LossRecovery& recovery = *connection.recovery;
  recovery.kept.erase(recovery.kept.begin(), recovery.kept.lower_bound(up_to));
  recovery.lost.erase(recovery.lost.begin(), recovery.lost.lower_bound(up_to));
  if (up_to >= recovery.until) recovery.lasts = recovery.by_request = false;
}

void ReliableConnections::forget_recovery(Connection& connection) {
  LossRecovery& recovery = *connection.recovery;
  const Psn accepted = recovery.accepted;
  recovery = LossRecovery();
  recovery.accepted = accepted;
}

/// A request that is not early, and the kept ones that it lets in. The last of them is acknowledged for all.
void ReliableConnections::take_with_kept(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  auto& early = connection.early_requests;
  Header next = header;
  bool asked = false;
  for (;;) {
    const Psn psn = extended(next.psn, connection.expected);
    const Psn end = psn + (next.verb == Verb::read ? next.count : 1);
    const bool lets_in = psn == connection.expected && early.contains(end);
    asked |= next.asks;
    next.asks = asked && !lets_in;
    take_request(id, next);
    if (!lets_in || connection.expected != end) return;
    next = early.extract(end).mapped();
  }
}

}  // namespace morgana
