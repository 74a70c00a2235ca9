#include "emulator/transport/sscop/sscop.h"

#include <utility>

#include "emulator/transport/aal5/aal5.h"

namespace morgana {
using namespace sscop;

Sscop::Sscop(EventQueue& events, CellNetwork& network, std::size_t hosts, const SscopParameters& parameters)
    : TransferEngine(events, network, hosts, parameters, parameters.costs) {}

sscop::Connection Sscop::open(HostId from, HostId to) {
  const auto contract = TrafficContract::of(parameters().category);
  const auto port = [](HostId host) { return static_cast<PortId>(host); };
  const ChannelId there = network().open(port(from), port(to), contract);
  const ChannelId here = network().open(port(to), port(from), contract);
  return {from,
          to,
          {there, here},
          Sender(parameters().first, parameters().window),
          Receiver(parameters().first, parameters().window, parameters().longest_list)};
}

// As after END and BGN.
void Sscop::begin_anew(sscop::Connection& connection) const {
  connection.sender = Sender(parameters().first, parameters().window);
  connection.receiver = Receiver(parameters().first, parameters().window, parameters().longest_list);
  for (LazyTimer& each : connection.timers) each.clear();
}

sscop::FrameCutting Sscop::cutting(const Shipment& shipment) const {
  return {shipment.id, shipment.bytes, parameters().frame};
}

Sd Sscop::sd(const sscop::Connection&, const OutgoingSd& data) const {
  return {static_cast<std::uint32_t>(data.piece.bytes.count()), data.ns};
}

std::uint32_t Sscop::cells_of(const sscop::Pdu& pdu) const {
  return cells_of_packet(AdaptationLayer::aal5, Bytes(static_cast<std::int64_t>(size_of(pdu))));
}

// An SD begins the active phase.
void Sscop::data_sent(ConnectionNumber number) {
  timer(number, keep_alive_timer).clear();
  timer(number, idle_timer).clear();
  if (parameters().poll_every > 0 && connection(number).sender.vt_pd() >= parameters().poll_every) {
    send_poll(number);
    set_in(number, poll_timer, parameters().poll);
  } else if (!timer(number, poll_timer).set()) {
    set_in(number, poll_timer, parameters().poll);
  }
}

void Sscop::send_poll(ConnectionNumber number) {
  inject(number, forth, connection(number).sender.poll());
}

void Sscop::ran_out(ConnectionNumber number, std::uint8_t timer) {
  switch (static_cast<Timer>(timer)) {
    case poll_timer:
      return poll_ran_out(number);
    case keep_alive_timer:
      return keep_alive_ran_out(number);
    case idle_timer:
      return idle_ran_out(number);
    case no_response_timer:
      return;  // The engine releases the connection.
  }
}

// The active phase lasts until a POLL goes with nothing unacknowledged; the transient one until it is
// answered.
void Sscop::poll_ran_out(ConnectionNumber number) {
  send_poll(number);
  if (connection(number).sender.active())
    set_in(number, poll_timer, parameters().poll);
  else
    set_in(number, keep_alive_timer, parameters().keep_alive);
}

void Sscop::keep_alive_ran_out(ConnectionNumber number) {
  send_poll(number);
  set_in(number, keep_alive_timer, parameters().keep_alive);
}

void Sscop::idle_ran_out(ConnectionNumber number) {
  await_answer(number);
  keep_alive_ran_out(number);
}

void Sscop::answered(ConnectionNumber number) {
  if (timer(number, poll_timer).set()) {
    await_answer(number);
  } else if (timer(number, keep_alive_timer).set()) {
    timer(number, keep_alive_timer).clear();
    timer(number, no_response_timer).clear();
    set_in(number, idle_timer, parameters().idle);
  }
}

void Sscop::take(ConnectionNumber number, const Sd& sd, const Frame& frame) {
  std::vector<Piece> in_order;
  if (const auto gap = connection(number).receiver.take(sd.ns, frame.piece, in_order))
    inject(number, back, *gap);
  deliver(number, in_order);
}

void Sscop::take(ConnectionNumber number, const sscop::Poll& poll, const Frame&) {
  for (Stat& stat : connection(number).receiver.take(poll)) inject(number, back, std::move(stat));
}

void Sscop::take(ConnectionNumber number, const Stat& stat, const Frame&) {
  if (connection(number).sender.take(stat)) answered(number);
  proceed(number);
}

void Sscop::take(ConnectionNumber number, const sscop::Ustat& ustat, const Frame&) {
  connection(number).sender.take(ustat);
  proceed(number);
}

std::vector<CounterTable> Sscop::counted() const {
  return tables_of(connections());
}

SscopCounters Sscop::counters() const {
  return total(connections());
}

}  // namespace morgana
