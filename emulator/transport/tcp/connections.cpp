// Tcp: how connections open, carry messages, and fail.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>

#include "emulator/transport/tcp/tcp.h"

namespace morgana {

using namespace tcp;

void Tcp::open(EndpointId id) {
  endpoints_[id].state = Endpoint::State::syn_sent;
  send_syn(id);
}

/// A SYN, or a SYN and ACK where one has come.
void Tcp::send_syn(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  ++endpoint.syns;
  endpoint.syn_sent_at = events_.now();
  Segment segment{.syn = true};
  if (endpoint.state == Endpoint::State::syn_received) {
    segment.acknowledges = true;
    segment.echo = endpoint.receiver->acknowledge(false).echo;
  }
  endpoint.ready.push_back(segment);
  start_timeout(id);
  line_up(id);
}

void Tcp::take_syn(EndpointId id, const Segment& segment) {
  Endpoint& endpoint = endpoints_[id];
  endpoint.receiver->opened(segment.value);
  switch (endpoint.state) {
    case Endpoint::State::closed:
    case Endpoint::State::syn_sent:
      if (segment.acknowledges) {
        established(id);
        return acknowledge_all(id);
      }
      endpoint.state = Endpoint::State::syn_received;
      endpoint.syns = endpoint.syn_timeouts = 0;
      return send_syn(id);
    case Endpoint::State::syn_received:
      if (!segment.acknowledges) return send_syn(id);
      established(id);
      return line_up(id);
    case Endpoint::State::established:
      return acknowledge_all(id);
  }
}

void Tcp::established(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  endpoint.state = Endpoint::State::established;
  endpoint.retransmission.clear();
  const bool repeated = endpoint.syns > 1;
  endpoint.sender->opened(repeated ? SimTime() : events_.now() - endpoint.syn_sent_at, repeated);
  if (endpoints_[other_end(id)].state != Endpoint::State::established) ++opened_;
}

void Tcp::take_in(std::uint32_t slot) {
  const Segment segment = segments_[slot];
  segments_.give_back(slot);
  const EndpointId id = segment.to;
  Endpoint& endpoint = endpoints_[id];
  if (segment.incarnation != endpoint.incarnation) return;
  if (segment.syn) return take_syn(id, segment);
  if (endpoint.state == Endpoint::State::syn_received) established(id);
  take_acknowledgement(id, segment);
  if (!segment.data.empty()) take_data(id, segment);
}

void Tcp::take_acknowledgement(EndpointId id, const Segment& segment) {
  Endpoint& endpoint = endpoints_[id];
  Sender& sender = *endpoint.sender;
  if (sender.acknowledged(events_.now(), segment, !segment.data.empty())) {
    endpoint.last_loss.clear();
    endpoint.stands_since = events_.now();
    look_for_departed(id);
    look_for_completed(id);
    if (!sender.in_flight())
      endpoint.retransmission.clear();
    else if (sender.restarts_timer())
      start_timeout(id);
    choose_timer(id, true);
  } else {
    choose_timer(id, false);
  }
  line_up(id);
}

void Tcp::start_timeout(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  endpoint.times_out_at = events_.now() + endpoint.sender->timeout();
  wait_for(id, Sender::Wait::timeout, endpoint.times_out_at);
}

void Tcp::wait_for(EndpointId id, Sender::Wait what, SimTime until) {
  endpoints_[id].waits_for = what;
  endpoints_[id].retransmission.set(until, events_, *this, id, retransmission_timer);
}

void Tcp::schedule_probe(EndpointId id) {
  const Endpoint& endpoint = endpoints_[id];
  const std::optional<SimTime> after = endpoint.sender->probe_after();
  if (after && endpoint.waits_for != Sender::Wait::reordering)
    wait_for(id, Sender::Wait::probe, std::min(events_.now() + *after, endpoint.times_out_at));
}

/// After an acknowledgement.
void Tcp::choose_timer(EndpointId id, bool has_new) {
  const Endpoint& endpoint = endpoints_[id];
  const Sender& sender = *endpoint.sender;
  if (parameters_.loss_detection != TcpParameters::LossDetection::rack || !sender.in_flight()) return;
  if (const std::optional<SimTime> ends = sender.reordering_ends())
    return wait_for(id, Sender::Wait::reordering, *ends);
  if (endpoint.waits_for == Sender::Wait::reordering) start_timeout(id);
  if (has_new) schedule_probe(id);
  if (endpoint.waits_for == Sender::Wait::probe && !sender.probe_after())
    wait_for(id, Sender::Wait::timeout, endpoint.times_out_at);
}

void Tcp::take_data(EndpointId id, const Segment& segment) {
  Endpoint& endpoint = endpoints_[id];
  if (segment.marked && endpoint.sender->hears_marks()) ++marked_;
  std::optional<Receiver::Acknowledgement> before;
  const Receiver::Due due = endpoint.receiver->take(segment, segment.marked, before);
  if (before) acknowledge(id, *before);
  if (due == Receiver::Due::at_once)
    acknowledge_all(id);
  else if (!endpoint.acknowledgement.set())
    endpoint.acknowledgement.set(events_.now() + parameters_.acknowledge_delay, events_, *this, id,
                                 acknowledgement_timer);
  look_for_delivered(id);
}

/// One of all that has come.
void Tcp::acknowledge_all(EndpointId id) {
  acknowledge(id, endpoints_[id].receiver->acknowledge(true));
}

void Tcp::acknowledge(EndpointId id, const Receiver::Acknowledgement& what) {
  Endpoint& endpoint = endpoints_[id];
  endpoint.acknowledgement.clear();
  ++acknowledgements_;
  endpoint.ready.push_back({.acknowledges = true,
                            .echoes_mark = what.echoes_mark,
                            .expected = what.expected,
                            .echo = what.echo,
                            .blocks = what.blocks});
  line_up(id);
}

/// Never tells within send().
void Tcp::look_for_departed(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  const Place buffered = endpoint.sender->buffered();
  for (; endpoint.departed < endpoint.messages.size() && endpoint.messages[endpoint.departed].end <= buffered;
       ++endpoint.departed) {
    const Message& message = endpoint.messages[endpoint.departed];
    const std::uint32_t slot = notices_.take(
        {.kind = Notice::Kind::departed, .message = message.id, .timer_wait = message.timer_wait.total()});
    events_.schedule(events_.now(), *this, TimerEvent{0, slot, told}.packed());
  }
}

/// What has come at this end.
void Tcp::look_for_delivered(EndpointId id) {
  Endpoint& from = endpoints_[other_end(id)];
  const Place expected = endpoints_[id].receiver->expected();
  for (; from.delivered < from.messages.size() && from.messages[from.delivered].end <= expected;
       ++from.delivered)
    tell_at_delivery({.kind = Notice::Kind::delivered,
                      .message = from.messages[from.delivered].id,
                      .timer_wait = from.messages[from.delivered].timer_wait.total()});
  if (from.delivered == from.messages.size()) return;
  Message& comes = from.messages[from.delivered];
  if (comes.pieces_to_come <= 1) return;
  const Bytes rest(static_cast<std::int64_t>(comes.end - expected));
  const std::int64_t to_come = pieces_to_come(rest, comes.piece);
  if (to_come >= comes.pieces_to_come) return;
  comes.pieces_to_come = to_come;
  tell_at_delivery({.kind = Notice::Kind::reached, .message = comes.id, .bytes = comes.bytes - rest});
}

/// What the other end has acknowledged.
void Tcp::look_for_completed(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  for (; !endpoint.messages.empty() && endpoint.messages.front().end <= endpoint.sender->oldest();
       --endpoint.departed, --endpoint.delivered) {
    const Message& done = endpoint.messages.front();
    if (done.completes)
      due_.push_back(
          {.kind = Notice::Kind::completed, .message = done.id, .timer_wait = done.timer_wait.total()});
    endpoint.messages.pop_front();
  }
}

/// All that the endpoint has to send waited for the timer that runs out now.
void Tcp::note_timer_wait(Endpoint& endpoint) const {
  for (Message& message : endpoint.messages) message.timer_wait.add(endpoint.stands_since, events_.now());
}

void Tcp::retransmission_ran_out(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  const Sender::Wait what = endpoint.waits_for;
  if (what != Sender::Wait::reordering) note_timer_wait(endpoint);
  if (endpoint.state != Endpoint::State::established) {
    if (++endpoint.syn_timeouts > parameters_.handshake_tries)
      return fail(id, fmt::format("no answer to {} SYNs", endpoint.syns));
    endpoint.sender->handshake_timed_out();
    return send_syn(id);
  }
  endpoint.sender->ran_out(events_.now(), what);
  if (what == Sender::Wait::timeout && endpoint.sender->futile_timeouts() > parameters_.tries)
    return fail(id, fmt::format("nothing was acknowledged after {} repetitions", parameters_.tries));
  start_timeout(id);
  if (const std::optional<SimTime> ends = endpoint.sender->reordering_ends())
    wait_for(id, Sender::Wait::reordering, *ends);
  line_up(id);
}

void Tcp::fail(EndpointId id, const std::string& why) {
  how_lost_ = "a TCP connection failed: " + why;
  if (!endpoints_[id].last_loss.empty()) how_lost_ += "; " + endpoints_[id].last_loss;
  ++failed_;
  for (const EndpointId end : {id, other_end(id)}) {
    Endpoint& endpoint = endpoints_[end];
    for (std::size_t number = endpoint.delivered; number < endpoint.messages.size(); ++number)
      due_.push_back({.kind = Notice::Kind::returned, .message = endpoint.messages[number].id});
    of_failed_ += endpoint.sender->counters();
    ++endpoint.incarnation;
    begin_anew(end);
  }
  if (!parameters_.handshake) ++opened_;
}

void Tcp::tell_at_delivery(const Notice& notice) {
  if (parameters_.delivery_latency == SimTime()) return due_.push_back(notice);
  const std::uint32_t slot = notices_.take(notice);
  events_.schedule(events_.now() + parameters_.delivery_latency, *this, TimerEvent{0, slot, told}.packed());
}

void Tcp::tell(const Notice& notice) {
  ShipmentListener& listener = *notice.message.listener;
  timer_wait_ = notice.timer_wait;
  switch (notice.kind) {
    case Notice::Kind::written:
      return write(notice);
    case Notice::Kind::departed:
      return listener.shipment_departed(notice.message);
    case Notice::Kind::reached:
      return listener.shipment_reached(notice.message, notice.bytes);
    case Notice::Kind::delivered:
      return listener.shipment_delivered(notice.message);
    case Notice::Kind::completed:
      return listener.shipment_completed(notice.message);
    case Notice::Kind::returned:
      return listener.shipment_returned(notice.message, Outcome::given_up);
  }
}

void Tcp::tell_what_is_due() {
  for (std::size_t place = 0; place < due_.size(); ++place) tell(Notice(due_[place]));
  due_.clear();
}

}  // namespace morgana
