#include "emulator/transport/ece/ece.h"

#include <algorithm>
#include <utility>

namespace morgana {
namespace {
namespace ece_detail {

ece::Receiver receiver_of(const EceParameters& parameters, SimTime begin) {
  const ece::LatencyMonitor::Limits limits{parameters.upper, parameters.lower, parameters.monitoring,
                                           parameters.missing};
  return {parameters.engine, parameters.first, parameters.window, limits, begin};
}

ece::Sender sender_of(const EceParameters& parameters) {
  return {parameters.engine, parameters.polls, parameters.first, parameters.window};
}

}  // namespace ece_detail
}  // namespace

// Cells cost hosts nothing.
Ece::Ece(EventQueue& events, CellNetwork& network, std::size_t hosts, const EceParameters& parameters)
    : TransferEngine(events, network, hosts, parameters, PduCosts{}) {}

ece::Connection Ece::open(HostId from, HostId to) {
  const auto open = [&](ece::Path path) {
    const bool back = path == ece::Path::feedback;
    return network().open(static_cast<PortId>(back ? to : from), static_cast<PortId>(back ? from : to),
                          TrafficContract::of(ece::category_of(path)));
  };
  const ChannelId ordinary = open(ece::Path::ordinary), backup = open(ece::Path::backup),
                  feedback = open(ece::Path::feedback);
  const ChannelId told_time =
      parameters().resynchronisation > SimTime() ? open(ece::Path::clock) : ChannelId{};
  const SimTime now = events().now();
  const auto clock = ece::HostClock::of(index(from), hosts(), parameters().drift);
  const SimTime begin = clock.at(now) + parameters().monitoring;
  return {{from,
           to,
           {ordinary, backup, feedback, told_time},
           ece_detail::sender_of(parameters()),
           ece_detail::receiver_of(parameters(), begin)},
          clock,
          ece::SenderTime(ece::HostClock::of(index(to), hosts(), parameters().drift), clock, now),
          begin};
}

void Ece::opened(ConnectionNumber number) {
  const ece::Connection& pair = connection(number);
  set(number, ece::monitoring_timer, pair.clock.when(pair.next_monitoring));
  await_missing(number);
  if (parameters().resynchronisation > SimTime())
    set_in(number, ece::resynchronisation_timer, parameters().resynchronisation);
}

// The monitoring goes on.
void Ece::begin_anew(ece::Connection& connection) const {
  connection.past_lstats += connection.receiver.counters().lstats;
  connection.past_missing += connection.receiver.counters().missing;
  connection.past_changes += connection.sender.changes();
  if (connection.sender.mode() == ece::LatencyMode::high)
    connection.high_for += events().now() - connection.high_since;
  connection.sender = ece_detail::sender_of(parameters());
  connection.receiver = ece_detail::receiver_of(parameters(), connection.next_monitoring);
  connection.timers[ece::no_response_timer].clear();
}

pcaal::Cutting Ece::cutting(const Shipment& shipment) const {
  return {shipment, pcaal::Packing::several, Bytes(ece::room_for_data), parameters().element};
}

// Of a duplicated SD the copy on the backup connection does not hold up the next: it waits at that
// connection's source.
Ece::DataPaths Ece::paths_of_data(const ece::Connection& connection) const {
  const ece::LatencyMode mode = connection.sender.mode();
  const auto backup = ece::number_of(ece::Path::backup);
  if (!ece::data_take_ordinary(parameters().engine, mode)) return {backup};
  DataPaths paths{ece::number_of(ece::Path::ordinary)};
  if (ece::data_take_backup(mode)) paths.copy = backup;
  return paths;
}

std::optional<pcaal::OutgoingSd> Ece::next(ece::Connection& connection) {
  return connection.sender.next(connection.clock.at(events().now()));
}

ece::Sd Ece::sd(const ece::Connection& connection, const pcaal::OutgoingSd& data) const {
  const pcaal::ElementPiece& piece = data.piece;
  const ece::Stamp sent = ece::stamp_of(connection.clock.at(events().now()));
  return {pcaal::Sd{static_cast<std::uint16_t>(piece.message.number), piece.offset, piece.count, data.ns,
                    piece.ends},
          ece::carried_by_sd(sent)};
}

void Ece::came_through(ece::Connection& connection, const Frame& frame) {
  connection.cell_latency[frame.path].add(events().now() - frame.handed);
}

void Ece::inject_on(ConnectionNumber number, ece::Path path, ece::Pdu pdu) {
  inject(number, ece::number_of(path), std::move(pdu));
}

void Ece::answer(ConnectionNumber number, ece::Receiver::Answers answers) {
  for (ece::Pdu& pdu : answers) inject_on(number, ece::Path::feedback, std::move(pdu));
}

void Ece::answered(ConnectionNumber number) {
  LazyTimer& no_response = timer(number, ece::no_response_timer);
  if (!connection(number).sender.active())
    no_response.clear();
  else if (no_response.set())
    await_answer(number);
}

void Ece::take(ConnectionNumber number, const ece::Sd& sd, const Frame& frame) {
  ece::Connection& pair = connection(number);
  std::vector<pcaal::ElementPiece> in_order;
  answer(number, pair.receiver.take(sd, static_cast<ece::Path>(frame.path), pair.time.at(events().now()),
                                    frame.piece, in_order));
  deliver(number, in_order);
}

void Ece::take(ConnectionNumber number, const ece::Poll& poll, const Frame& frame) {
  ece::Connection& pair = connection(number);
  answer(number, pair.receiver.take(poll, static_cast<ece::Path>(frame.path), pair.time.at(events().now())));
  await_missing(number);
}

void Ece::take(ConnectionNumber number, const ece::Lme& lme, const Frame&) {
  ece::Connection& pair = connection(number);
  answer(number, pair.receiver.take(lme, pair.time.at(events().now())));
  await_missing(number);
}

void Ece::take(ConnectionNumber number, const ece::Stat& stat, const Frame&) {
  ece::Sender& sender = connection(number).sender;
  const ece::LatencyMode before = sender.mode();
  if (sender.take(stat)) answered(number);
  mode_was(number, before);
  proceed(number);
}

void Ece::take(ConnectionNumber number, const ece::Lstat& lstat, const Frame&) {
  ece::Connection& pair = connection(number);
  const ece::LatencyMode before = pair.sender.mode();
  std::vector<pcaal::OutgoingSd> late;
  const bool fits = pair.sender.take(lstat, late);
  pair.late += late.size();
  for (const pcaal::OutgoingSd& data : late) send_data(number, data, ece::number_of(ece::Path::backup));
  if (fits) answered(number);
  mode_was(number, before);
  proceed(number);
}

void Ece::take(ConnectionNumber number, const ece::Ustat& ustat, const Frame&) {
  connection(number).sender.take(ustat);
  proceed(number);
}

void Ece::mode_was(ConnectionNumber number, ece::LatencyMode before) {
  ece::Connection& pair = connection(number);
  if (pair.sender.mode() == before) return;
  if (before == ece::LatencyMode::low)
    pair.high_since = events().now();
  else
    pair.high_for += events().now() - pair.high_since;
}

// A cell of CBR takes what an empty network takes: that is what was agreed for it.
void Ece::take(ConnectionNumber number, const ece::Clock& clock, const Frame&) {
  ece::Connection& pair = connection(number);
  const SimTime now = events().now();
  const SimTime taken = pair.time.at(now);
  const std::int32_t ahead = ece::microseconds(ece::stamp_of(taken), clock.sent);
  const SimTime told = SimTime::from_ps(taken.ps() / ece::stamp_unit.ps() * ece::stamp_unit.ps());
  pair.time.set(now, told + ahead * ece::stamp_unit + network().least_latency());
  await_missing(number);
}

void Ece::monitor(ConnectionNumber number) {
  ece::Connection& pair = connection(number);
  for (auto& [pdu, path] : pair.sender.monitor(pair.clock.at(events().now())))
    inject_on(number, path, std::move(pdu));
  pair.next_monitoring += parameters().monitoring;
  set(number, ece::monitoring_timer, pair.clock.when(pair.next_monitoring));
}

void Ece::await_missing(ConnectionNumber number) {
  ece::Connection& pair = connection(number);
  const SimTime at = pair.time.when(pair.receiver.missing_at());
  set(number, ece::missing_timer, std::max(at, events().now()));
}

// The timer may have been set by a clock that has been put right since.
void Ece::look_for_missing(ConnectionNumber number) {
  ece::Connection& pair = connection(number);
  ece::Receiver::Answers answers;
  if (pair.time.at(events().now()) >= pair.receiver.missing_at()) answers = pair.receiver.miss();
  answer(number, std::move(answers));
  await_missing(number);
}

void Ece::tell_time(ConnectionNumber number) {
  ece::Connection& pair = connection(number);
  inject_on(number, ece::Path::clock, ece::Clock{ece::stamp_of(pair.clock.at(events().now()))});
  set_in(number, ece::resynchronisation_timer, parameters().resynchronisation);
}

void Ece::ran_out(ConnectionNumber number, std::uint8_t timer) {
  switch (static_cast<ece::Timer>(timer)) {
    case ece::monitoring_timer:
      return monitor(number);
    case ece::missing_timer:
      return look_for_missing(number);
    case ece::resynchronisation_timer:
      return tell_time(number);
    case ece::no_response_timer:
      return;  // The engine releases the connection.
  }
}

std::vector<CounterTable> Ece::counted() const {
  return ece::tables_of(connections(), events().now());
}

EceCounters Ece::counters() const {
  return ece::total(connections());
}

}  // namespace morgana
