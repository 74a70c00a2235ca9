#include "emulator/transport/pcaal/pcaal.h"

#include <utility>

namespace morgana {

PcAal::PcAal(EventQueue& events, CellNetwork& network, std::size_t hosts, const PcAalParameters& parameters)
    : TransferEngine(events, network, hosts, parameters, parameters.costs) {}

pcaal::Connection PcAal::open(HostId from, HostId to) {
  const auto contract = TrafficContract::of(parameters().category);
  const auto port = [](HostId host) { return static_cast<PortId>(host); };
  const ChannelId there = network().open(port(from), port(to), contract);
  const ChannelId here = network().open(port(to), port(from), contract);
  return {{from,
           to,
           {there, here},
           pcaal::Sender(parameters().first, parameters().window),
           pcaal::Receiver(parameters().first, parameters().window)}};
}

void PcAal::begin_anew(pcaal::Connection& connection) const {
  connection.past_stat_cells += connection.receiver.counters().stat_cells;
  connection.sender = pcaal::Sender(parameters().first, parameters().window);
  connection.receiver = pcaal::Receiver(parameters().first, parameters().window);
  for (LazyTimer& each : connection.timers) each.clear();
}

pcaal::Cutting PcAal::cutting(const Shipment& shipment) const {
  return {shipment, parameters().packing, parameters().room_of_cell(), parameters().element};
}

pcaal::Sd PcAal::sd(const pcaal::Connection&, const pcaal::OutgoingSd& data) const {
  const pcaal::ElementPiece& piece = data.piece;
  return {static_cast<std::uint16_t>(piece.message.number), piece.offset, piece.count, data.ns, piece.ends};
}

void PcAal::data_sent(ConnectionNumber number) {
  if (!timer(number, pcaal::poll_timer).set()) set_in(number, pcaal::poll_timer, parameters().poll);
}

// With nothing unacknowledged there is nothing to ask for: both timers rest until the next SD.
void PcAal::ran_out(ConnectionNumber number, std::uint8_t) {
  pcaal::Sender& sender = connection(number).sender;
  if (!sender.active()) return timer(number, pcaal::no_response_timer).clear();
  inject(number, pcaal::forth, sender.poll());
  set_in(number, pcaal::poll_timer, parameters().poll);
}

void PcAal::take(ConnectionNumber number, const pcaal::Sd& sd, const Frame& frame) {
  std::vector<pcaal::ElementPiece> in_order;
  if (const auto gap = connection(number).receiver.take(sd.ns, frame.piece, in_order))
    inject(number, pcaal::back, *gap);
  deliver(number, in_order);
}

void PcAal::take(ConnectionNumber number, const pcaal::Poll& poll, const Frame&) {
  for (pcaal::Stat& stat : connection(number).receiver.take(poll))
    inject(number, pcaal::back, std::move(stat));
}

void PcAal::take(ConnectionNumber number, const pcaal::Stat& stat, const Frame&) {
  if (connection(number).sender.take(stat) && timer(number, pcaal::no_response_timer).set())
    await_answer(number);
  proceed(number);
}

void PcAal::take(ConnectionNumber number, const pcaal::Ustat& ustat, const Frame&) {
  connection(number).sender.take(ustat);
  proceed(number);
}

std::vector<CounterTable> PcAal::counted() const {
  return tables_of(connections());
}

PcAalCounters PcAal::counters() const {
  return total(connections());
}

}  // namespace morgana
