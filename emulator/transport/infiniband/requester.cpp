#include "emulator/transport/infiniband/requester.h"

#include <algorithm>
#include <utility>

#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/queue_pair.h"

namespace morgana::rc {

Requester::Requester(QueuePair& pair)
    : pair_(pair),
      shared_(pair.shared),
      recovery_(shared_.rules.selective() ? std::make_unique<LossRecovery>() : nullptr),
      timer_(shared_, pair.id) {}

void Requester::post(const Shipment& shipment, Bytes bytes, bool last) {
  const bool reads = shipment.verb == Verb::read;
  const bool fetches = !reads && bytes > shared_.rules->inline_limit;
  const SimTime taken = shared_.nics.take_work_request(
      pair_.host, size_of_work_request(shipment.verb, bytes, !reads && !fetches));
  WorkRequest request;
  request.id = shipment.id;
  request.verb = shipment.verb;
  request.reports = last;
  request.completes = last && shipment.completes;
  request.bytes = bytes;
  request.ready = taken + (fetches ? shared_.rules.time_to_fetch(bytes) : SimTime());
  request.timer_wait = TimerWait(shared_.now());
  queue_.add(request, shared_.rules.packets_of(bytes));
  if (queue_.ready() > shared_.now())
    shared_.events.schedule(queue_.ready(), shared_.handler, TimerEvent{0, pair_.id, ready}.packed());
  else
    proceed();
}

bool Requester::wants_to_send() const {
  if (failed_ || waits_) return false;
  if (repeats()) return true;
  const WorkRequest* const request = queue_.to_send();
  return request != nullptr && request->ready <= shared_.now() &&
         queue_.under_way() < shared_.rules->outstanding_packets &&
         queue_.messages_before() < shared_.rules->outstanding_messages &&
         (request->verb != Verb::read || queue_.reads_before() < shared_.rules->outstanding_reads);
}

void Requester::proceed() {
  const bool would_send = wants_to_send();
  const bool is_held = pair_.flow.is_window_closed();
  if ((would_send && !is_held) || in_port_ || waits_ || failed_ ||
      (!queue_.is_anything_under_way() && !(is_held && pair_.flow.has_held())))
    timer_.clear();
  else
    timer_.await_answer();
  if (would_send && !in_port_ && pair_.flow.keeps_pace() && !std::exchange(in_line_, true))
    shared_.nics.line_up(pair_, Turn::request, PacketKind::request);
}

void Requester::take_turn() {
  in_line_ = false;
  if (wants_to_send() && pair_.flow.keeps_pace()) send();
}

bool Requester::fetches() const {
  if (!wants_to_send()) return false;
  const WorkRequest& request = queue_.request_of(psn_to_send());
  return request.verb != Verb::read && request.bytes > shared_.rules->inline_limit;
}

void Requester::send() {
  const bool again = repeats();
  const Psn psn = again ? recovery_->take_lost() : queue_.next();
  const WorkRequest& request = queue_.request_of(psn);
  const Psn number = psn - request.first;
  const Bytes mtu = shared_.rules->path_mtu;
  const Bytes before = static_cast<std::int64_t>(number) * mtu;
  const bool reads = request.verb == Verb::read;
  const bool writes = request.verb == Verb::write || request.verb == Verb::write_immediate;
  Psn after = psn + 1;
  if (reads) after = again ? early_.end_of_hole(psn, request.end) : request.end;
  const bool is_new = !again && queue_.send_up_to(after);

  Header header{.connection = pair_.id,
                .kind = PacketKind::request,
                .verb = request.verb,
                .psn = shared_.rules.on_link(psn),
                .first = number == 0,
                .last = after == request.end,
                .message = request.id,
                .timer_wait = request.timer_wait.total()};
  header.departs = is_new && header.last && request.reports;
  header.reports = header.last && request.reports;
  Bytes extension, payload;
  if (reads) {
    extension = reth;
    header.count = static_cast<std::uint32_t>(after - psn);
    header.bytes = std::min(request.bytes - before, static_cast<std::int64_t>(after - psn) * mtu);
  } else {
    header.asks = asks(header, number, again);
    payload = header.bytes = std::min(mtu, request.bytes - before);
    if (writes && header.first) extension += reth;
    if (request.verb == Verb::write_immediate && header.last) extension += immediate_data;
  }
  ++(is_new ? shared_.counters.requests : shared_.counters.repeated);
  in_port_ = true;
  timer_.clear();
  if (request.bytes > shared_.rules->inline_limit) shared_.nics.read(pair_.host, payload);
  pair_.send(header, extension, payload);
}

/// Whether a packet of a send or write, already counted as sent, asks for an acknowledgement.
/// @param number  in its work request, from 0
bool Requester::asks(const Header& header, Psn number, bool again) const {
  const std::int64_t every = shared_.rules->acknowledge_every;
  return header.last || again || shared_.rules.has_windows() ||
         (every > 0 && (static_cast<std::int64_t>(number) + 1) % every == 0) ||
         queue_.under_way() >= shared_.rules->outstanding_packets;
}

void Requester::gets(const Header& answer) {
  if (recovery_ != nullptr && answer.kind != PacketKind::not_ready)
    learn(answer);
  else
    take_answers(answer);
}

/// With selective repeat: what the answer says of other packets, too.
void Requester::learn(const Header& header) {
  const Psn psn = shared_.rules.extended(header.psn, queue_.oldest());
  const bool is_nak = header.kind == PacketKind::sequence_error;
  const bool did_last = recovery_->lasts();
  const Psn up_to = is_nak ? psn : psn + 1;  // of requests: all before it are accepted
  std::optional<Psn> answers;
  if (is_nak && !waits_) answers = shared_.rules.extended(header.answers, queue_.oldest());
  recovery_->learn(queue_, early_, header.kind, psn, answers);

  Header answer = header;
  if (is_nak) {
    answer.kind = PacketKind::acknowledgement;
    answer.psn = (header.psn + psns - 1) % psns;
  }
  if (up_to > 0) take_answers(answer);
  if (header.kind != PacketKind::read_response && up_to == queue_.oldest())
    recovery_->partly_acknowledged(up_to);
  if (!failed_ && recovery_->lasts() && !did_last) retry();
  proceed();
}

/// With all that was kept and comes next.
void Requester::take_answers(const Header& header) {
  if (!take_answer(header)) {
    early_.keep(shared_.rules.extended(header.psn, queue_.oldest()), header);
    ++shared_.counters.kept;
    return proceed();
  }
  while (!failed_ && !early_.empty() && take_answer(early_.first())) early_.drop_first();
}

/// @return whether it could be dealt with, not having to be kept
bool Requester::take_answer(const Header& header) {
  const Psn psn = shared_.rules.extended(header.psn, queue_.oldest());
  const bool nak = header.kind == PacketKind::sequence_error || header.kind == PacketKind::not_ready;
  if (psn < queue_.oldest()) return true;
  if (nak && psn == 0) {
    take_nak(header.kind);
    proceed();
    return true;
  }
  const Psn acknowledged = nak ? psn - 1 : psn;
  const Psn missing = queue_.missing_response(acknowledged);
  if (header.kind == PacketKind::read_response && missing == psn) {
    in_memory_ = shared_.nics.time_in_memory(pair_.host, {header.bytes}, in_memory_);
    acknowledge(psn + 1);
  } else if (missing <= acknowledged) {
    acknowledge(missing);
    if (shared_.rules.keeps_early()) return false;
    implied_nak(missing);
  } else if (header.kind == PacketKind::acknowledgement) {
    acknowledge(psn + 1);
  } else if (nak) {
    acknowledge(psn);
    take_nak(header.kind);
  }
  proceed();
  return true;
}

/// Of the oldest PSN.
void Requester::take_nak(PacketKind kind) {
  if (kind == PacketKind::sequence_error)
    retry();
  else
    wait_for_receiver();
}

void Requester::acknowledge(Psn up_to) {
  if (up_to <= queue_.oldest()) return;
  if (recovery_ != nullptr) recovery_->acknowledge(up_to);
  queue_.acknowledge(up_to);
  futile_ = futile_rnr_ = 0;
  last_loss_.clear();
  timer_.clear();
  while (const auto done = queue_.take_done()) tell_done(*done);
}

void Requester::tell_done(const WorkRequest& done) {
  const SimTime completes_after = shared_.rules->completion_latency, timer_wait = done.timer_wait.total();
  if (done.verb == Verb::read && done.reports)
    shared_.notices.add({Notice::Kind::delivered, done.id, timer_wait}, in_memory_ + completes_after);
  else if (done.verb != Verb::read && done.completes)
    shared_.notices.add({Notice::Kind::completed, done.id, timer_wait},
                        std::max(shared_.now() + completes_after, done.delivered));
}

void Requester::implied_nak(Psn missing) {
  if (std::exchange(implied_, missing) != missing) retry();
}

void Requester::retry(Repetition why) {
  pair_.flow.repeats(why);
  if (++futile_ > shared_.rules->retry_count)
    return fail("after " + std::to_string(shared_.rules->retry_count) + " retries");
  if (recovery_ == nullptr) return go_back();
  if (why != Repetition::by_timeout) return;
  recovery_->find_all_lost(queue_, early_);
  pair_.flow.forget_under_way();
}

void Requester::wait_for_receiver() {
  if (waits_) return;
  constexpr unsigned without_end = 7;
  const unsigned most = shared_.rules->rnr_retry;
  if (most < without_end && ++futile_rnr_ > most)
    return fail("after " + std::to_string(most) + " retries, as no receive was posted (RNR NAK)");
  go_back();
  waits_ = true;
  timer_.await_receiver();
}

void Requester::go_back() {
  if (recovery_ != nullptr) recovery_->forget();
  queue_.go_back();
  pair_.flow.forget_under_way();
}

void Requester::fail(const std::string& how) {
  ++shared_.counters.failed;
  failed_ = true;
  shared_.how_lost = "given up " + how + ": the queue pair has failed";
  if (!last_loss_.empty()) shared_.how_lost += "; the last of its packets to be lost: " + last_loss_;
  for (const WorkRequest& request : queue_.requests()) {
    if (!request.reports) continue;
    const bool accepted = request.verb != Verb::read && request.end <= pair_.peer->responder.expected();
    if (!accepted || request.completes)
      shared_.notices.add({Notice::Kind::returned, request.id}, std::max(shared_.now(), request.delivered));
  }
  if (recovery_ != nullptr) recovery_->forget();
  queue_.clear();
  timer_.clear();
  pair_.responder.forget_responses();
}

void Requester::handle_timer(const TimerEvent& event) {
  if (!timer_.run_out(event)) return;
  if (event.kind == acknowledgement_timeout) return answer_is_overdue();
  waits_ = false;
  queue_.note_timer_wait(timer_.since(), shared_.now());
  proceed();
}

void Requester::answer_is_overdue() {
  if (timer_.was_low() && !has_few_under_way()) return timer_.run_on();
  ++shared_.counters.timeouts;
  queue_.note_timer_wait(timer_.since(), shared_.now());
  if (queue_.is_anything_under_way())
    retry(Repetition::by_timeout);
  else
    pair_.flow.forget_under_way();
  if (shared_.rules.has_windows())
    pair_.flow_may_send();
  else
    proceed();
}

/// Of requests and read responses, so far as is known.
bool Requester::has_few_under_way() const {
  return queue_.under_way() - recovery_->kept() - early_.responses() <= shared_.rules->low_timeout_packets;
}

void Requester::await_report() {
  if (!in_port_ && !waits_ && !failed_) timer_.await_answer();
}

void Requester::report_came() {
  if (!queue_.is_anything_under_way()) timer_.clear();
}

// Formatting how a packet was lost takes time, and most losses are made good by the first retry.
void Requester::note_loss() {
  if (futile_ == 0) return;
  last_loss_ = shared_.network.how_lost();
  shared_.remedy = shared_.network.remedy();
}

}  // namespace morgana::rc
