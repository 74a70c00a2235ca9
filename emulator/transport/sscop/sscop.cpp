#include "emulator/transport/sscop/sscop.h"

#include <cassert>
#include <string>

#include "emulator/transport/aal5/aal5.h"

namespace morgana {
using namespace sscop;

namespace {

// So many SDs of a connection stand at the interface, that the link has no pause between them and one that is
// to be sent again waits for no more than these.
constexpr std::uint32_t most_in_interface = 2;

}  // namespace

Sscop::Sscop(EventQueue& events, CellNetwork& network, std::size_t hosts, const SscopParameters& parameters)
    : events_(events),
      network_(network),
      parameters_(parameters),
      hosts_(hosts),
      work_(events, parameters.costs, hosts, *this) {
  parameters.check();
  network.report_to(*this);
}

Sscop::ConnectionNumber Sscop::connection_between(HostId from, HostId to) {
  const auto [place, added] = connection_.try_emplace(index(from) * hosts_ + index(to),
                                                      static_cast<ConnectionNumber>(connections_.size()));
  if (added) connections_.push_back(open_connection(network_, from, to, parameters_));
  return place->second;
}

void Sscop::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < hosts_ && index(shipment.to) < hosts_);
  const ConnectionNumber number = connection_between(shipment.from, shipment.to);
  Connection& connection = connections_[number];
  connection.undelivered.push_back({shipment.id, events_.now()});
  for (Bytes rest = shipment.bytes;; rest -= parameters_.frame) {
    const bool ends = rest <= parameters_.frame;
    connection.sender.append({shipment.id, ends ? rest : parameters_.frame, ends});
    if (ends) break;
  }
  proceed(number);
}

// Whatever has changed for the sender: SDs go as far as interface and window allow.
void Sscop::proceed(ConnectionNumber number) {
  Connection& connection = connections_[number];
  while (connection.in_interface < most_in_interface) {
    const std::optional<Outgoing> data = connection.sender.next();
    if (!data) break;
    if (parameters_.tries > 0 && data->repetitions > parameters_.tries)
      return release(number, Outcome::unstable,
                     "unstable: a frame was sent again " + std::to_string(parameters_.tries) +
                         " times in vain (transport.tries)");
    const auto octets = static_cast<std::uint32_t>(data->piece.bytes.count());
    if (data->first_time) connection.counters.user_bytes += octets;
    ++connection.in_interface;
    inject(number, connection.forth, Sd{octets, data->ns}, *data);
    data_sent(number);
  }
  if (connection.sender.active() == connection.holds) return;
  connection.holds = !connection.holds;
  if (connection.holds)
    events_.hold();
  else
    events_.release();
}

// An SD begins the active phase.
void Sscop::data_sent(ConnectionNumber number) {
  Connection& connection = connections_[number];
  connection.keep_alive.clear();
  connection.idle.clear();
  if (!connection.no_response.set())
    set(connection.no_response, parameters_.no_response, no_response_timer, number);
  if (parameters_.poll_every > 0 && connection.sender.vt_pd() >= parameters_.poll_every) {
    send_poll(number);
    set(connection.poll, parameters_.poll, poll_timer, number);
  } else if (!connection.poll.set()) {
    set(connection.poll, parameters_.poll, poll_timer, number);
  }
}

void Sscop::send_poll(ConnectionNumber number) {
  Connection& connection = connections_[number];
  inject(number, connection.forth, connection.sender.poll());
}

// The active phase lasts until a POLL goes with nothing unacknowledged; the transient one until it is
// answered.
void Sscop::poll_ran_out(ConnectionNumber number) {
  Connection& connection = connections_[number];
  send_poll(number);
  if (connection.sender.active())
    set(connection.poll, parameters_.poll, poll_timer, number);
  else
    set(connection.keep_alive, parameters_.keep_alive, keep_alive_timer, number);
}

void Sscop::keep_alive_ran_out(ConnectionNumber number) {
  send_poll(number);
  set(connections_[number].keep_alive, parameters_.keep_alive, keep_alive_timer, number);
}

void Sscop::idle_ran_out(ConnectionNumber number) {
  set(connections_[number].no_response, parameters_.no_response, no_response_timer, number);
  keep_alive_ran_out(number);
}

void Sscop::answered(ConnectionNumber number) {
  Connection& connection = connections_[number];
  if (connection.poll.set()) {
    set(connection.no_response, parameters_.no_response, no_response_timer, number);
  } else if (connection.keep_alive.set()) {
    connection.keep_alive.clear();
    connection.no_response.clear();
    set(connection.idle, parameters_.idle, idle_timer, number);
  }
}

// Both ends begin anew, as after END and BGN; the next message uses a fresh connection.
void Sscop::release(ConnectionNumber number, Outcome outcome, const std::string& why) {
  Connection& connection = connections_[number];
  how_lost_ = why;
  std::deque<Undelivered> returned;
  returned.swap(connection.undelivered);
  connection.counters.given_up += returned.size();
  connection.begin_anew(parameters_);
  proceed(number);
  for (const Undelivered& each : returned) each.message.listener->shipment_returned(each.message, outcome);
}

void Sscop::inject(ConnectionNumber number, ChannelId channel, Pdu pdu, const Outgoing& data) {
  Connection& connection = connections_[number];
  const std::uint32_t cells =
      cells_of_packet(AdaptationLayer::aal5, Bytes(static_cast<std::int64_t>(size_of(pdu))));
  connection.counters.cells += cells;
  const bool forth = channel == connection.forth;
  const bool again = data.repetitions > 0;
  const std::uint32_t slot =
      frames_.take(Frame{number, connection.incarnation, channel, cells, std::move(pdu), data});
  work_.send(forth ? connection.from : connection.to, slot, again);
}

void Sscop::hand_over(std::uint32_t slot) {
  const Frame& frame = frames_[slot];
  network_.inject(CellTrain{UnitId{slot}, frame.channel, frame.cells});
}

void Sscop::unit_departed(UnitId id, PortId) {
  const Frame& frame = frame_of(id);
  if (!std::holds_alternative<Sd>(frame.pdu)) return;
  const ConnectionNumber number = frame.connection;
  const Outgoing data = frame.data;
  const bool present = frame.incarnation == connections_[number].incarnation;
  --connections_[number].in_interface;
  if (present && data.first_time && data.piece.ends)
    data.piece.message.listener->shipment_departed(data.piece.message);
  proceed(number);
}

void Sscop::unit_delivered(UnitId id, PortId) {
  const Frame& frame = frame_of(id);
  const Connection& connection = connections_[frame.connection];
  const bool forth = frame.channel == connection.forth;
  work_.receive(forth ? connection.to : connection.from, 2 * frame.connection + (forth ? 0 : 1),
                static_cast<std::uint32_t>(id), frame.data.repetitions > 0);
}

void Sscop::take_in(std::uint32_t slot) {
  const Frame frame = std::move(frames_[slot]);
  frames_.give_back(slot);
  const ConnectionNumber number = frame.connection;
  Connection& connection = connections_[number];
  if (frame.incarnation != connection.incarnation) return;
  if (std::holds_alternative<Sd>(frame.pdu)) {
    data_came(number, frame.data);
  } else if (const Poll* poll = std::get_if<Poll>(&frame.pdu)) {
    for (Stat& stat : connection.receiver.take(*poll)) inject(number, connection.back, std::move(stat));
  } else if (const Stat* stat = std::get_if<Stat>(&frame.pdu)) {
    if (connection.sender.take(*stat)) answered(number);
    proceed(number);
  } else {
    connection.sender.take(std::get<Ustat>(frame.pdu));
    proceed(number);
  }
}

void Sscop::data_came(ConnectionNumber number, const Outgoing& data) {
  Connection& connection = connections_[number];
  std::vector<Piece> in_order;
  if (const auto gap = connection.receiver.take(data.ns, data.piece, in_order))
    inject(number, connection.back, *gap);
  for (const Piece& piece : in_order) {
    if (!piece.ends) continue;
    assert(!connection.undelivered.empty() && connection.undelivered.front().message == piece.message);
    connection.latency.add(events_.now() - connection.undelivered.front().since);
    connection.undelivered.pop_front();
    piece.message.listener->shipment_delivered(piece.message);
  }
}

void Sscop::unit_lost(UnitId id) {
  ++connections_[frame_of(id).connection].counters.frames_lost;
  frames_.give_back(static_cast<std::uint32_t>(id));
}

void Sscop::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  const ConnectionNumber number = event.owner;
  Connection& connection = connections_[number];
  const auto ran_out = [&](LazyTimer& timer) { return timer.run_out(event, events_, *this); };
  switch (static_cast<Timer>(event.kind)) {
    case poll_timer:
      if (ran_out(connection.poll)) poll_ran_out(number);
      break;
    case keep_alive_timer:
      if (ran_out(connection.keep_alive)) keep_alive_ran_out(number);
      break;
    case no_response_timer:
      if (ran_out(connection.no_response))
        release(number, Outcome::given_up,
                "given up, the peer answered no POLL for " +
                    std::to_string(parameters_.no_response.seconds()) + " s (transport.no-response)");
      break;
    case idle_timer:
      if (ran_out(connection.idle)) idle_ran_out(number);
      break;
  }
}

std::string Sscop::remedy() const {
  return "transport.no-response says how long sscop waits for an answer, transport.tries how often it "
         "repeats a frame; a larger network.buffer or a lower "
         "network.background.load loses less";
}

std::vector<CounterTable> Sscop::counted() const {
  return tables_of(connections_);
}

SscopCounters Sscop::counters() const {
  return total(connections_);
}

}  // namespace morgana
