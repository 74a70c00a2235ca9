#include "emulator/transport/infiniband/responder.h"

#include <algorithm>
#include <utility>

#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/queue_pair.h"

namespace morgana::rc {

bool PostedReceives::take(SimTime now) {
  if (receives_ == 0) return true;
  while (!reposts_.empty() && reposts_.front() <= now) {
    reposts_.erase(reposts_.begin());
    --used_;
  }
  if (used_ == receives_) return false;
  ++used_;
  return true;
}

Responder::Responder(QueuePair& pair)
    : pair_(pair), shared_(pair.shared), receives_(shared_.rules->receives) {}

bool Responder::wants_to_respond() const {
  return !responses_.empty() && responses_.front().ready <= shared_.now();
}

void Responder::proceed() {
  if (!wants_to_respond() || in_port_) return;
  if (is_data_next() && !pair_.flow.keeps_pace()) return;
  if (!std::exchange(in_line_, true)) shared_.nics.line_up(pair_, Turn::response, responses_.front().kind);
}

void Responder::take_turn() {
  in_line_ = false;
  if (wants_to_respond() && (!is_data_next() || pair_.flow.keeps_pace())) send();
}

bool Responder::fetches() const {
  return wants_to_respond() && responses_.front().kind == PacketKind::read_response &&
         responses_.front().bytes > Bytes();
}

void Responder::send() {
  Response& response = responses_.front();
  Header header{
      .connection = opposite(pair_.id), .kind = response.kind, .psn = shared_.rules.on_link(response.first)};
  RcCounters& counters = shared_.counters;
  Bytes extension = aeth, payload;
  bool done = true;
  if (response.kind == PacketKind::read_response) {
    payload = header.bytes = std::min(shared_.rules->path_mtu, response.bytes);
    response.bytes -= payload;
    header.first = !response.has_begun;
    if (response.first < answered_) ++counters.repeated_responses;
    header.last = done = ++response.first == response.end;
    answered_ = std::max(answered_, response.first);
    response.has_begun = true;
    if (!header.first && !header.last) extension = Bytes();
    ++counters.read_responses;
  } else if (response.kind == PacketKind::acknowledgement) {
    ++counters.acknowledgements;
  } else {
    if (response.kind == PacketKind::sequence_error && shared_.rules.selective()) {
      header.answers = shared_.rules.on_link(response.end);
      extension += selective_acknowledgement;
    }
    ++(response.kind == PacketKind::sequence_error ? counters.sequence_errors : counters.not_ready);
  }
  if (done) responses_.erase(responses_.begin());
  in_port_ = true;
  shared_.nics.read(pair_.host, payload);
  pair_.send(header, extension, payload);
}

void Responder::gets(const Header& request) {
  if (pair_.peer->has_failed() || pair_.has_failed()) return;
  const Psn psn = shared_.rules.extended(request.psn, expected_);
  const bool selective = shared_.rules.selective();
  if (psn > expected_ && shared_.rules.keeps_early()) {
    if (early_.try_emplace(psn, request).second) ++shared_.counters.kept;
    if (selective && !silent_) owe_nak(PacketKind::sequence_error, psn);
    return;
  }
  if (selective) return take_with_kept(request);
  take(request);
  while (!early_.empty() && early_.begin()->first <= expected_) {
    const auto next = early_.extract(early_.begin());
    if (next.key() == expected_) take(next.mapped());
  }
}

void Responder::take(const Header& request) {
  const Psn psn = shared_.rules.extended(request.psn, expected_);
  const bool is_duplicate = psn < expected_;
  if (psn == expected_) {
    if (!accept(request)) {
      silent_ = true;
      early_.clear();
      return owe_nak(PacketKind::not_ready, psn + 1);
    }
    silent_ = false;
  } else if (psn > expected_) {
    if (std::exchange(silent_, true)) return;
    return owe_nak(PacketKind::sequence_error, expected_ + 1);
  }
  const SimTime now = shared_.now();
  if (request.verb == Verb::read) {
    if (is_duplicate) pair_.flow.repeats_responses();
    const SimTime at = now + shared_.rules.time_to_fetch(request.bytes);
    owe({PacketKind::read_response, psn, psn + request.count, request.bytes, false, at});
    if (at > now)
      shared_.events.schedule(at, shared_.handler, TimerEvent{0, opposite(pair_.id), ready}.packed());
  } else if (request.asks) {
    owe({PacketKind::acknowledgement, expected_ - 1, expected_, Bytes(), false, now});
  }
  proceed();
}

/// With selective repeat: a request that is not early, and the kept ones that it lets in. The last of them is
/// acknowledged for all.
void Responder::take_with_kept(const Header& request) {
  Header next = request;
  bool asked = false;
  for (;;) {
    const Psn psn = shared_.rules.extended(next.psn, expected_);
    const Psn end = psn + (next.verb == Verb::read ? next.count : 1);
    const bool lets_in = psn == expected_ && early_.contains(end);
    asked |= next.asks;
    next.asks = asked && !lets_in;
    take(next);
    if (!lets_in || expected_ != end) return;
    next = early_.extract(end).mapped();
  }
}

/// @return whether there was a receive for it, where it takes one
bool Responder::accept(const Header& request) {
  const bool consumes = (request.verb == Verb::send && request.first) ||
                        (request.verb == Verb::write_immediate && request.last);
  if (consumes) {
    if (!receives_.take(shared_.now())) return false;
    shared_.nics.read_receive(pair_.host);
  }
  expected_ += request.verb == Verb::read ? request.count : 1;
  if (request.verb == Verb::read) return true;
  const bool completes = request.last && request.verb != Verb::write;
  in_memory_ = shared_.nics.time_in_memory(
      pair_.host, {request.bytes, completes, request.first && request.last}, in_memory_);
  if (!request.last) return true;
  SimTime delivered = in_memory_;
  if (request.verb != Verb::write) {
    delivered += shared_.rules->completion_latency;
    receives_.post_again(delivered + shared_.rules->repost);
  }
  const SimTime timer_wait = pair_.peer->requester.accepted(expected_, delivered);
  if (request.reports) shared_.notices.add({Notice::Kind::delivered, request.message, timer_wait}, delivered);
  return true;
}

/// Acknowledgements that follow each other are one.
void Responder::owe(const Response& response) {
  if (response.kind == PacketKind::acknowledgement && !responses_.empty() &&
      responses_.back().kind == PacketKind::acknowledgement)
    responses_.back() = response;
  else
    responses_.push_back(response);
}

/// Of the expected packet.
void Responder::owe_nak(PacketKind kind, Psn end) {
  owe({kind, expected_, end, Bytes(), false, shared_.now()});
  proceed();
}

}  // namespace morgana::rc
