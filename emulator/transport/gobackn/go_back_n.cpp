#include "emulator/transport/gobackn/go_back_n.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {
namespace {
using namespace go_back_n;

constexpr unsigned most_doublings = 6;

// A connection's timers.
enum TimerKind : std::uint8_t { retransmission, acknowledgement };

}  // namespace

GoBackN::GoBackN(EventQueue& events, Network& network, std::size_t hosts, const GoBackNParameters& parameters)
    : events_(events),
      network_(network),
      parameters_(parameters),
      data_of_full_unit_(network.largest_unit() - parameters.header),
      ports_(hosts) {
  if (parameters.header < Bytes(0) || data_of_full_unit_ <= Bytes(0))
    throw Error("go-back-n: a header of " + std::to_string(parameters.header.count()) +
                " bytes leaves no room in the network's units of " +
                std::to_string(network.largest_unit().count()) + ": set a smaller header");
  if (parameters.window == 0) throw Error("go-back-n: a window of 0 units sends nothing: set at least 1");
  if (parameters.acknowledge_every == 0)
    throw Error("go-back-n: acknowledging every 0 units means nothing: set at least 1");
  if (parameters.acknowledge_delay < SimTime() || parameters.retransmit_after <= SimTime())
    throw Error("go-back-n: the delay of acknowledgements must be at least 0, the time-out more than 0");
  network.report_to(*this);
}

GoBackN::ConnectionId GoBackN::connection_between(HostId from, HostId to, std::uint64_t channel) {
  const auto [low, high] = std::minmax(from, to);
  const auto [place, added] =
      number_.try_emplace({low, high, channel}, static_cast<ConnectionId>(connections_.size()));
  if (added) {
    connections_.emplace_back().from = low;
    connections_.back().to = high;
    connections_.emplace_back().from = high;
    connections_.back().to = low;
  }
  return place->second + (from == high ? 1 : 0);
}

void GoBackN::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < ports_.size() &&
         index(shipment.to) < ports_.size());
  const ConnectionId id = connection_between(shipment.from, shipment.to, shipment.channel);
  Connection& connection = connections_[id];
  const std::int64_t room = data_of_full_unit_.count();
  const std::int64_t full = shipment.bytes.count() / room;
  const std::int64_t units = std::max<std::int64_t>(full + (shipment.bytes.count() % room > 0 ? 1 : 0), 1);
  const Number first = connection.end;
  connection.end += static_cast<Number>(units);
  connection.messages.push_back({shipment.id, shipment.bytes, shipment.by_program, shipment.asks, first,
                                 connection.end, TimerWait(events_.now()), shipment.piece});
  proceed(id);
}

bool GoBackN::may_send_data(const Connection& connection) const {
  return connection.next < connection.end && connection.next < connection.oldest + parameters_.window;
}

// Whatever has changed for the sender: it lines up for the port if it may send and has no unit there (else it
// does when that has left), and its time runs if all that it can do is wait.
void GoBackN::proceed(ConnectionId id) {
  Connection& connection = connections_[id];
  const bool may_send = may_send_data(connection);
  if (may_send || connection.in_port || connection.oldest == connection.next) {
    connection.retransmission.clear();
  } else {
    const SimTime patience = parameters_.retransmit_after * (std::int64_t{1} << connection.doublings);
    const SimTime deadline = events_.now() + patience;
    if (connection.refused)
      connection.retransmission.set_as_upkeep(deadline, events_, *this, id, retransmission);
    else
      connection.retransmission.set(deadline, events_, *this, id, retransmission);
  }
  if (may_send && !connection.in_port) line_up(id);
}

void GoBackN::line_up(ConnectionId id) {
  Connection& connection = connections_[id];
  if (connection.has_turn) return;
  connection.has_turn = true;
  Port& port = port_of(connection.from);
  port.line.push_back(id);
  serve(port);
}

// One unit a turn. A connection may have lost its reason to send meanwhile, as an acknowledgement came.
void GoBackN::serve(Port& port) {
  while (!port.busy && !port.line.empty()) {
    const ConnectionId id = port.line.front();
    port.line.pop_front();
    Connection& connection = connections_[id];
    connection.has_turn = false;
    if (may_send_data(connection)) {
      send_data(id);
    } else if (connections_[opposite(id)].acknowledgement_due) {
      ++counters_.acknowledgements;
      inject({id, false, false, false, 0, take_acknowledgement(opposite(id)), {}, false, {}, {}}, Bytes(0));
    }
  }
}

void GoBackN::send_data(ConnectionId id) {
  Connection& connection = connections_[id];
  const Number number = connection.next++;
  while (connection.messages[connection.sending].end <= number) ++connection.sending;
  const CutMessage& message = connection.messages[connection.sending];
  const bool last = number + 1 == message.end;
  const bool first_time = number == connection.never_sent;
  if (first_time) ++connection.never_sent;
  ++(first_time ? counters_.data_units : counters_.retransmissions);
  connection.in_port = true;
  const Bytes before = static_cast<std::int64_t>(number - message.first) * data_of_full_unit_;
  const Bytes size = last ? message.bytes - before : data_of_full_unit_;
  const Bytes rest = message.bytes - before;
  const bool ends_piece = message.piece > Bytes() && !last &&
                          pieces_to_come(rest - size, message.piece) < pieces_to_come(rest, message.piece);
  inject({id, true, last, first_time, number, take_acknowledgement(opposite(id)), message.id, message.asks,
          before, size, ends_piece},
         size, message.by_program && first_time);
}

void GoBackN::inject(const Header& header, Bytes data, bool by_program) {
  const std::uint32_t slot = headers_.take(header);
  const Connection& connection = connections_[header.connection];
  port_of(connection.from).busy = true;
  network_.inject({UnitId{slot}, static_cast<PortId>(connection.from), static_cast<PortId>(connection.to),
                   parameters_.header + data, by_program});
}

void GoBackN::unit_departed(UnitId id, PortId from) {
  const Header header = header_of(id);
  Port& port = ports_[static_cast<std::size_t>(from)];
  port.busy = false;
  if (header.data) {
    connections_[header.connection].in_port = false;
    connections_[header.connection].stands_since = events_.now();
    proceed(header.connection);
  }
  if (header.first_time && header.completes_message) {
    timer_wait_ = timer_wait_of(connections_[header.connection], header.number);
    header.message.listener->shipment_departed(header.message);
  }
  serve(port);
}

void GoBackN::time_out(ConnectionId id) {
  Connection& connection = connections_[id];
  ++counters_.timeouts;
  connection.has_timed_out = true;
  for (std::size_t place = 0; place < connection.messages.size(); ++place)
    connection.messages[place].timer_wait.add(connection.stands_since, events_.now());
  if (!std::exchange(connection.lives, false)) {
    ++connection.futile;
    if (parameters_.tries > 0 && connection.futile > parameters_.tries) return give_up(id);
    connection.doublings = std::min(connection.doublings + 1, most_doublings);
  }
  connection.next = connection.oldest;
  connection.sending = 0;
  proceed(id);
}

/// Of the message that ends with unit `last`.
SimTime GoBackN::timer_wait_of(const Connection& connection, Number last) {
  if (!connection.has_timed_out) return SimTime();
  std::size_t place = 0, end = connection.messages.size();
  while (place < end) {
    const std::size_t middle = place + (end - place) / 2;
    if (connection.messages[middle].end <= last)
      place = middle + 1;
    else
      end = middle;
  }
  return place == connection.messages.size() ? SimTime() : connection.messages[place].timer_wait.total();
}

// Both ends begin anew, with numbers that no unit under way bears.
void GoBackN::give_up(ConnectionId id) {
  Connection& connection = connections_[id];
  how_lost_ = "given up after " + std::to_string(parameters_.tries) + " repetitions";
  const std::string last_loss = connection.knows_loss ? last_losses_[id] : std::string();
  how_lost_ +=
      last_loss.empty() ? ", none of them acknowledged" : "; the last of its units to be lost: " + last_loss;
  std::vector<MessageId> returned;
  for (std::size_t place = 0; place < connection.messages.size(); ++place)
    if (const CutMessage& message = connection.messages[place]; message.end > connection.expected)
      returned.push_back(message.id);  // else only the receipt is missing
  connection.messages.clear();
  connection.sending = 0;
  connection.oldest = connection.next = connection.never_sent = connection.expected = connection.end;
  connection.doublings = connection.futile = 0;
  connection.refused = connection.lives = false;
  connection.knows_loss = false;
  counters_.given_up += returned.size();
  for (const MessageId message : returned) message.listener->shipment_returned(message, Outcome::given_up);
}

// Formatting how a unit was lost takes time, and most losses are mended by the first repetition.
void GoBackN::unit_lost(UnitId id) {
  const Header& header = header_of(id);
  const ConnectionId id_of_sender = header.data ? header.connection : opposite(header.connection);
  Connection& sender = connections_[id_of_sender];
  if (sender.futile > 0) {
    sender.knows_loss = true;
    last_losses_[id_of_sender] = network_.how_lost();
    remedy_ = network_.remedy();
  }
  release(id);
}

// An acknowledgement that was sent before the last time-out may cover units that are yet to be repeated.
void GoBackN::acknowledge_up_to(ConnectionId id, Number acknowledged) {
  Connection& connection = connections_[id];
  if (acknowledged <= connection.oldest) return;
  connection.oldest = acknowledged;
  connection.stands_since = events_.now();
  connection.next = std::max(connection.next, acknowledged);
  while (!connection.messages.empty() && connection.messages.front().end <= acknowledged) {
    connection.messages.pop_front();
    if (connection.sending > 0) --connection.sending;
  }
  connection.doublings = connection.futile = 0;
  connection.knows_loss = false;
  proceed(id);
}

// The listener comes after the state is settled, but before an acknowledgement goes by itself: an answer that
// the listener sends at once can carry it.
void GoBackN::unit_delivered(UnitId id, PortId) {
  const Header header = header_of(id);
  release(id);
  const bool accepted = header.data && accept(connections_[header.connection], header);
  acknowledge_up_to(opposite(header.connection), header.acknowledged);
  if (accepted && header.completes_message) {
    timer_wait_ = timer_wait_of(connections_[header.connection], header.number);
    header.message.listener->shipment_delivered(header.message);
  } else if (accepted && header.ends_piece) {
    header.message.listener->shipment_reached(header.message, header.before + header.size);
  }
  if (header.data) acknowledge_if_due(header.connection);
}

bool GoBackN::accept(Connection& connection, const Header& header) {
  if (header.number > connection.expected) return false;
  ++connection.unacknowledged;
  if (header.number < connection.expected) return false;
  if (header.asks && !is_admitted(connection, header)) return false;
  connection.refused = connection.lives = false;
  ++connection.expected;
  return true;
}

bool GoBackN::is_admitted(Connection& connection, const Header& header) {
  const Admission admission =
      header.message.listener->shipment_admitted(header.message, header.before, header.size);
  if (admission == Admission::taken) return true;
  --connection.unacknowledged;
  if (admission == Admission::dropped) return false;
  ++counters_.refused;
  connection.refused = connection.lives = true;
  connection.doublings = connection.futile = 0;
  return false;
}

void GoBackN::acknowledge_if_due(ConnectionId id) {
  Connection& connection = connections_[id];
  if (connection.unacknowledged >= parameters_.acknowledge_every) {
    let_acknowledgement_go(id);
  } else if (connection.unacknowledged > 0 && !connection.acknowledgement_due &&
             !connection.acknowledgement.set()) {
    connection.acknowledgement.set(events_.now() + parameters_.acknowledge_delay, events_, *this, id,
                                   acknowledgement);
  }
}

void GoBackN::let_acknowledgement_go(ConnectionId id) {
  connections_[id].acknowledgement_due = true;
  line_up(opposite(id));
}

// Whoever carries the acknowledgement of connection `id` settles what is owed.
GoBackN::Number GoBackN::take_acknowledgement(ConnectionId id) {
  Connection& connection = connections_[id];
  connection.unacknowledged = 0;
  connection.acknowledgement_due = false;
  connection.acknowledgement.clear();
  return connection.expected;
}

void GoBackN::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  const ConnectionId id = event.owner;
  Connection& connection = connections_[id];
  if (event.kind == retransmission) {
    if (connection.retransmission.run_out(event, events_, *this)) time_out(id);
  } else {
    if (connection.acknowledgement.run_out(event, events_, *this)) let_acknowledgement_go(id);
  }
}

std::string GoBackN::remedy() const {
  const std::string own = "transport.tries says how often go-back-n repeats before it gives up";
  return remedy_.empty() ? own : own + "; " + remedy_;
}

std::vector<CounterTable> GoBackN::counted() const {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const GoBackNCounters& all = counters_;
  return {{"go-back-n",
           {{"units"},
            {.name = "units sent again", .trouble = true},
            {"acknowledgements"},
            {.name = "timeouts", .trouble = true},
            {.name = "refused", .trouble = true},
            {.name = "given up", .trouble = true}},
           {{count(all.data_units), count(all.retransmissions), count(all.acknowledgements),
             count(all.timeouts), count(all.refused), count(all.given_up)}}}};
}

}  // namespace morgana
