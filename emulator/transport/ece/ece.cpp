#include "emulator/transport/ece/ece.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>
#include <variant>

#include "emulator/transport/ece/pdu.h"
#include "emulator/transport/pcaal/cutting.h"

namespace morgana {
namespace {
namespace ece_detail {

// So many SDs of a connection stand at the interface, that the link has no pause between them and one that is
// to be sent again waits for no more than these.
constexpr std::uint32_t most_in_interface = 2;

}  // namespace ece_detail
}  // namespace

Ece::Ece(EventQueue& events, CellNetwork& network, std::size_t hosts, const EceParameters& parameters)
    : events_(events), network_(network), parameters_(parameters), hosts_(hosts) {
  parameters.check();
  network.report_to(*this);
}

Ece::ConnectionNumber Ece::connection_between(HostId from, HostId to) {
  const auto [place, added] = connection_.try_emplace(index(from) * hosts_ + index(to),
                                                      static_cast<ConnectionNumber>(connections_.size()));
  if (!added) return place->second;
  const ConnectionNumber number = place->second;
  connections_.push_back(ece::open_connection(network_, from, to, hosts_, parameters_, events_.now()));
  ece::Connection& connection = connections_.back();
  set(connection.monitoring, connection.clock.when(connection.next_monitoring), monitoring_timer, number);
  await_missing(number);
  if (parameters_.resynchronisation > SimTime())
    set(connection.resynchronisation, events_.now() + parameters_.resynchronisation, resynchronisation_timer,
        number);
  return number;
}

void Ece::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < hosts_ && index(shipment.to) < hosts_);
  const ConnectionNumber number = connection_between(shipment.from, shipment.to);
  ece::Connection& connection = connections_[number];
  connection.undelivered.push_back({shipment.id, parameters_.stream && shipment.streamed, events_.now()});
  for (const pcaal::Piece& piece :
       pcaal::cut(shipment, pcaal::Packing::several, Bytes(ece::room_for_data), parameters_.element))
    connection.sender.append(piece);
  proceed(number);
}

// Whatever has changed for the sender: SDs go as far as interface and window allow. Of a duplicated one the
// copy on the backup connection does not hold up the next: it waits at that connection's source.
void Ece::proceed(ConnectionNumber number) {
  ece::Connection& connection = connections_[number];
  while (true) {
    const ece::Mode mode = connection.sender.mode();
    const bool ordinary = ece::data_take_ordinary(parameters_.engine, mode);
    const ece::Path first = ordinary ? ece::Path::ordinary : ece::Path::backup;
    if (connection.in_interface_of(first) >= ece_detail::most_in_interface) break;
    const std::optional<pcaal::Outgoing> data = connection.sender.next(connection.clock.at(events_.now()));
    if (!data) break;
    if (parameters_.tries > 0 && data->repetitions > parameters_.tries)
      return release(number, Outcome::unstable,
                     "unstable: a cell was sent again " + std::to_string(parameters_.tries) +
                         " times in vain (transport.tries)");
    if (data->first_time)
      connection.counters.user_bytes += static_cast<std::uint64_t>(data->piece.bytes.count());
    send_data(number, *data, first);
    if (ordinary && ece::data_take_backup(mode)) send_data(number, *data, ece::Path::backup);
    data_sent(number);
  }
  if (connection.sender.active() == connection.holds) return;
  connection.holds = !connection.holds;
  if (connection.holds)
    events_.hold();
  else
    events_.release();
}

void Ece::send_data(ConnectionNumber number, const pcaal::Outgoing& data, ece::Path path) {
  ece::Connection& connection = connections_[number];
  const pcaal::Piece& piece = data.piece;
  const ece::Stamp sent = ece::stamp_of(connection.clock.at(events_.now()));
  ++connection.in_interface_of(path);
  ++connection.counters.of(path).data;
  inject(number, path,
         ece::Sd{pcaal::Sd{static_cast<std::uint16_t>(piece.message.number), piece.offset, piece.count,
                           data.ns, piece.ends},
                 ece::carried_by_sd(sent)},
         piece);
}

void Ece::data_sent(ConnectionNumber number) {
  ece::Connection& connection = connections_[number];
  if (!connection.no_response.set())
    set(connection.no_response, events_.now() + parameters_.no_response, no_response_timer, number);
}

void Ece::answered(ConnectionNumber number) {
  ece::Connection& connection = connections_[number];
  if (!connection.sender.active())
    connection.no_response.clear();
  else if (connection.no_response.set())
    set(connection.no_response, events_.now() + parameters_.no_response, no_response_timer, number);
}

// Both ends begin anew; the next message uses fresh connections.
void Ece::release(ConnectionNumber number, Outcome outcome, const std::string& why) {
  ece::Connection& connection = connections_[number];
  how_lost_ = why;
  std::deque<ece::Undelivered> returned;
  returned.swap(connection.undelivered);
  connection.counters.given_up += returned.size();
  connection.begin_anew(parameters_, events_.now());
  proceed(number);
  for (const ece::Undelivered& each : returned)
    each.message.listener->shipment_returned(each.message, outcome);
}

void Ece::inject(ConnectionNumber number, ece::Path path, ece::Pdu pdu, const pcaal::Piece& piece) {
  ece::Connection& connection = connections_[number];
  ++connection.counters.of(path).cells;
  const std::uint32_t slot =
      frames_.take(Frame{number, connection.incarnation, path, events_.now(), std::move(pdu), piece});
  network_.inject(CellTrain{UnitId{slot}, connection.channel(path), 1});
}

void Ece::answer(ConnectionNumber number, ece::Receiver::Answers answers) {
  for (ece::Pdu& pdu : answers) inject(number, ece::Path::feedback, std::move(pdu));
}

void Ece::unit_departed(UnitId id, PortId) {
  const Frame& frame = frame_of(id);
  if (!std::holds_alternative<ece::Sd>(frame.pdu)) return;
  const ConnectionNumber number = frame.connection;
  const pcaal::Piece piece = frame.piece;
  const bool present = frame.incarnation == connections_[number].incarnation;
  --connections_[number].in_interface_of(frame.path);
  if (present && piece.ends) tell_departure(number, piece.message);
  proceed(number);
}

// Of the copies and repetitions of a message's last SD the first that leaves tells.
void Ece::tell_departure(ConnectionNumber number, MessageId message) {
  std::deque<ece::Undelivered>& undelivered = connections_[number].undelivered;
  const auto found = std::ranges::find(undelivered, message, &ece::Undelivered::message);
  if (found == undelivered.end() || found->departed) return;
  found->departed = true;
  message.listener->shipment_departed(message);
}

void Ece::unit_delivered(UnitId id, PortId) {
  const Frame frame = std::move(frame_of(id));
  frames_.give_back(static_cast<std::uint32_t>(id));
  ece::Connection& connection = connections_[frame.connection];
  ++connection.counters.of(frame.path).carried;
  connection.cell_latency[static_cast<std::size_t>(frame.path)].add(events_.now() - frame.handed);
  if (frame.incarnation != connection.incarnation) return;
  std::visit([&](const auto& pdu) { take(frame.connection, pdu, frame); }, frame.pdu);
}

void Ece::take(ConnectionNumber number, const ece::Sd& sd, const Frame& frame) {
  ece::Connection& connection = connections_[number];
  std::vector<pcaal::Piece> in_order;
  answer(number,
         connection.receiver.take(sd, frame.path, connection.time.at(events_.now()), frame.piece, in_order));
  for (const pcaal::Piece& piece : in_order) {
    if (connection.incarnation != frame.incarnation) return;  // a listener's message was one too many
    piece_in_order(number, piece);
  }
}

void Ece::piece_in_order(ConnectionNumber number, const pcaal::Piece& piece) {
  ece::Connection& connection = connections_[number];
  assert(!connection.undelivered.empty() && connection.undelivered.front().message == piece.message);
  ece::Undelivered& front = connection.undelivered.front();
  if (piece.ends) {
    connection.latency.add(events_.now() - front.since);
    const bool departed = front.departed;
    connection.undelivered.pop_front();
    // A repetition over one connection may come while the first copy waits at the source of the other.
    if (!departed) piece.message.listener->shipment_departed(piece.message);
    piece.message.listener->shipment_delivered(piece.message);
  } else if (front.streamed) {
    front.prefix += piece.bytes;
    piece.message.listener->shipment_reached(piece.message, front.prefix);
  }
}

void Ece::take(ConnectionNumber number, const ece::Poll& poll, const Frame& frame) {
  ece::Connection& connection = connections_[number];
  answer(number, connection.receiver.take(poll, frame.path, connection.time.at(events_.now())));
  await_missing(number);
}

void Ece::take(ConnectionNumber number, const ece::Lme& lme, const Frame&) {
  ece::Connection& connection = connections_[number];
  answer(number, connection.receiver.take(lme, connection.time.at(events_.now())));
  await_missing(number);
}

void Ece::take(ConnectionNumber number, const ece::Stat& stat, const Frame&) {
  ece::Connection& connection = connections_[number];
  const ece::Mode before = connection.sender.mode();
  if (connection.sender.take(stat)) answered(number);
  mode_was(number, before);
  proceed(number);
}

void Ece::take(ConnectionNumber number, const ece::Lstat& lstat, const Frame&) {
  ece::Connection& connection = connections_[number];
  const ece::Mode before = connection.sender.mode();
  std::vector<pcaal::Outgoing> late;
  const bool fits = connection.sender.take(lstat, late);
  connection.counters.late += late.size();
  for (const pcaal::Outgoing& data : late) send_data(number, data, ece::Path::backup);
  if (fits) answered(number);
  mode_was(number, before);
  proceed(number);
}

void Ece::take(ConnectionNumber number, const ece::Ustat& ustat, const Frame&) {
  connections_[number].sender.take(ustat);
  proceed(number);
}

void Ece::mode_was(ConnectionNumber number, ece::Mode before) {
  ece::Connection& connection = connections_[number];
  if (connection.sender.mode() == before) return;
  if (before == ece::Mode::low)
    connection.high_since = events_.now();
  else
    connection.high_for += events_.now() - connection.high_since;
}

// A cell of CBR takes what an empty network takes: that is what was agreed for it.
void Ece::take(ConnectionNumber number, const ece::Clock& clock, const Frame&) {
  ece::Connection& connection = connections_[number];
  const SimTime now = events_.now();
  const SimTime taken = connection.time.at(now);
  const std::int32_t ahead = ece::microseconds(ece::stamp_of(taken), clock.sent);
  const SimTime told = SimTime::from_ps(taken.ps() / ece::stamp_unit.ps() * ece::stamp_unit.ps());
  connection.time.set(now, told + ahead * ece::stamp_unit + network_.least_latency());
  await_missing(number);
}

void Ece::monitor(ConnectionNumber number) {
  ece::Connection& connection = connections_[number];
  for (auto& [pdu, path] : connection.sender.monitor(connection.clock.at(events_.now())))
    inject(number, path, std::move(pdu));
  connection.next_monitoring += parameters_.monitoring;
  set(connection.monitoring, connection.clock.when(connection.next_monitoring), monitoring_timer, number);
}

void Ece::await_missing(ConnectionNumber number) {
  ece::Connection& connection = connections_[number];
  const SimTime at = connection.time.when(connection.receiver.missing_at());
  set(connection.missing, std::max(at, events_.now()), missing_timer, number);
}

// The timer may have been set by a clock that has been put right since.
void Ece::look_for_missing(ConnectionNumber number) {
  ece::Connection& connection = connections_[number];
  ece::Receiver::Answers answers;
  if (connection.time.at(events_.now()) >= connection.receiver.missing_at())
    answers = connection.receiver.miss();
  answer(number, std::move(answers));
  await_missing(number);
}

void Ece::tell_time(ConnectionNumber number) {
  ece::Connection& connection = connections_[number];
  inject(number, ece::Path::clock, ece::Clock{ece::stamp_of(connection.clock.at(events_.now()))});
  set(connection.resynchronisation, events_.now() + parameters_.resynchronisation, resynchronisation_timer,
      number);
}

void Ece::unit_lost(UnitId id) {
  frames_.give_back(static_cast<std::uint32_t>(id));
}

void Ece::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  const ConnectionNumber number = event.owner;
  ece::Connection& connection = connections_[number];
  const auto ran_out = [&](LazyTimer& timer) { return timer.run_out(event, events_, *this); };
  switch (static_cast<Timer>(event.kind)) {
    case monitoring_timer:
      if (ran_out(connection.monitoring)) monitor(number);
      break;
    case missing_timer:
      if (ran_out(connection.missing)) look_for_missing(number);
      break;
    case resynchronisation_timer:
      if (ran_out(connection.resynchronisation)) tell_time(number);
      break;
    case no_response_timer:
      if (ran_out(connection.no_response))
        release(number, Outcome::given_up,
                "given up, the peer answered no POLL for " +
                    std::to_string(parameters_.no_response.seconds()) + " s (transport.no-response)");
      break;
  }
}

std::string Ece::remedy() const {
  return "transport.no-response says how long ece waits for an answer, transport.tries how often it repeats "
         "a cell; a larger network.buffer or a lower network.background.load loses less";
}

std::vector<CounterTable> Ece::counted() const {
  return ece::tables_of(connections_, events_.now());
}

EceCounters Ece::counters() const {
  return ece::total(connections_);
}

}  // namespace morgana
