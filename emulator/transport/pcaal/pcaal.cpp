#include "emulator/transport/pcaal/pcaal.h"

#include <cassert>
#include <string>

#include "emulator/transport/pcaal/cutting.h"

namespace morgana {
namespace {
namespace pcaal_detail {

// So many SDs of a connection stand at the interface, that the link has no pause between them and one that is
// to be sent again waits for no more than these.
constexpr std::uint32_t most_in_interface = 2;

}  // namespace pcaal_detail
}  // namespace

PcAal::PcAal(EventQueue& events, CellNetwork& network, std::size_t hosts, const PcAalParameters& parameters)
    : events_(events),
      network_(network),
      parameters_(parameters),
      hosts_(hosts),
      work_(events, parameters.costs, hosts, *this) {
  parameters.check();
  network.report_to(*this);
}

PcAal::ConnectionNumber PcAal::connection_between(HostId from, HostId to) {
  const auto [place, added] = connection_.try_emplace(index(from) * hosts_ + index(to),
                                                      static_cast<ConnectionNumber>(connections_.size()));
  if (added) connections_.push_back(pcaal::open_connection(network_, from, to, parameters_));
  return place->second;
}

void PcAal::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < hosts_ && index(shipment.to) < hosts_);
  const ConnectionNumber number = connection_between(shipment.from, shipment.to);
  pcaal::Connection& connection = connections_[number];
  connection.undelivered.push_back({shipment.id, parameters_.stream && shipment.streamed, events_.now()});
  for (const pcaal::Piece& piece :
       pcaal::cut(shipment, parameters_.packing, parameters_.room_of_cell(), parameters_.element))
    connection.sender.append(piece);
  proceed(number);
}

// Whatever has changed for the sender: SDs go as far as interface and window allow.
void PcAal::proceed(ConnectionNumber number) {
  pcaal::Connection& connection = connections_[number];
  while (connection.in_interface < pcaal_detail::most_in_interface) {
    const std::optional<pcaal::Outgoing> data = connection.sender.next();
    if (!data) break;
    if (parameters_.tries > 0 && data->repetitions > parameters_.tries)
      return release(number, Outcome::unstable,
                     "unstable: a cell was sent again " + std::to_string(parameters_.tries) +
                         " times in vain (transport.tries)");
    const pcaal::Piece& piece = data->piece;
    if (data->first_time) connection.counters.user_bytes += static_cast<std::uint64_t>(piece.bytes.count());
    ++connection.in_interface;
    inject(number, connection.forth,
           pcaal::Sd{static_cast<std::uint16_t>(piece.message.number), piece.offset, piece.count, data->ns,
                     piece.ends},
           *data);
    data_sent(number);
  }
  if (connection.sender.active() == connection.holds) return;
  connection.holds = !connection.holds;
  if (connection.holds)
    events_.hold();
  else
    events_.release();
}

void PcAal::data_sent(ConnectionNumber number) {
  pcaal::Connection& connection = connections_[number];
  if (!connection.poll.set()) set(connection.poll, parameters_.poll, poll_timer, number);
  if (!connection.no_response.set())
    set(connection.no_response, parameters_.no_response, no_response_timer, number);
}

// With nothing unacknowledged there is nothing to ask for: both timers rest until the next SD.
void PcAal::poll_ran_out(ConnectionNumber number) {
  pcaal::Connection& connection = connections_[number];
  if (!connection.sender.active()) return connection.no_response.clear();
  inject(number, connection.forth, connection.sender.poll());
  set(connection.poll, parameters_.poll, poll_timer, number);
}

void PcAal::answered(ConnectionNumber number) {
  pcaal::Connection& connection = connections_[number];
  if (connection.no_response.set())
    set(connection.no_response, parameters_.no_response, no_response_timer, number);
}

// Both ends begin anew; the next message uses a fresh connection.
void PcAal::release(ConnectionNumber number, Outcome outcome, const std::string& why) {
  pcaal::Connection& connection = connections_[number];
  how_lost_ = why;
  std::deque<pcaal::Undelivered> returned;
  returned.swap(connection.undelivered);
  connection.counters.given_up += returned.size();
  connection.begin_anew(parameters_);
  proceed(number);
  for (const pcaal::Undelivered& each : returned)
    each.message.listener->shipment_returned(each.message, outcome);
}

void PcAal::inject(ConnectionNumber number, ChannelId channel, pcaal::Pdu pdu, const pcaal::Outgoing& data) {
  pcaal::Connection& connection = connections_[number];
  ++connection.counters.cells;
  const bool forth = channel == connection.forth;
  const bool again = data.repetitions > 0;
  const std::uint32_t slot =
      frames_.take(Frame{number, connection.incarnation, channel, std::move(pdu), data});
  work_.send(forth ? connection.from : connection.to, slot, again);
}

void PcAal::hand_over(std::uint32_t slot) {
  network_.inject(CellTrain{UnitId{slot}, frames_[slot].channel, 1});
}

void PcAal::unit_departed(UnitId id, PortId) {
  const Frame& frame = frame_of(id);
  if (!std::holds_alternative<pcaal::Sd>(frame.pdu)) return;
  const ConnectionNumber number = frame.connection;
  const pcaal::Outgoing data = frame.data;
  const bool present = frame.incarnation == connections_[number].incarnation;
  --connections_[number].in_interface;
  if (present && data.first_time && data.piece.ends)
    data.piece.message.listener->shipment_departed(data.piece.message);
  proceed(number);
}

void PcAal::unit_delivered(UnitId id, PortId) {
  const Frame& frame = frame_of(id);
  const pcaal::Connection& connection = connections_[frame.connection];
  const bool forth = frame.channel == connection.forth;
  work_.receive(forth ? connection.to : connection.from, 2 * frame.connection + (forth ? 0 : 1),
                static_cast<std::uint32_t>(id), frame.data.repetitions > 0);
}

void PcAal::take_in(std::uint32_t slot) {
  const Frame frame = std::move(frames_[slot]);
  frames_.give_back(slot);
  const ConnectionNumber number = frame.connection;
  pcaal::Connection& connection = connections_[number];
  if (frame.incarnation != connection.incarnation) return;
  if (std::holds_alternative<pcaal::Sd>(frame.pdu)) {
    data_came(number, frame.data);
  } else if (const pcaal::Poll* poll = std::get_if<pcaal::Poll>(&frame.pdu)) {
    for (pcaal::Stat& stat : connection.receiver.take(*poll))
      inject(number, connection.back, std::move(stat));
  } else if (const pcaal::Stat* stat = std::get_if<pcaal::Stat>(&frame.pdu)) {
    if (connection.sender.take(*stat)) answered(number);
    proceed(number);
  } else {
    connection.sender.take(std::get<pcaal::Ustat>(frame.pdu));
    proceed(number);
  }
}

void PcAal::data_came(ConnectionNumber number, const pcaal::Outgoing& data) {
  pcaal::Connection& connection = connections_[number];
  std::vector<pcaal::Piece> in_order;
  if (const auto gap = connection.receiver.take(data.ns, data.piece, in_order))
    inject(number, connection.back, *gap);
  for (const pcaal::Piece& piece : in_order) piece_in_order(number, piece);
}

void PcAal::piece_in_order(ConnectionNumber number, const pcaal::Piece& piece) {
  pcaal::Connection& connection = connections_[number];
  assert(!connection.undelivered.empty() && connection.undelivered.front().message == piece.message);
  pcaal::Undelivered& front = connection.undelivered.front();
  if (piece.ends) {
    connection.latency.add(events_.now() - front.since);
    connection.undelivered.pop_front();
    piece.message.listener->shipment_delivered(piece.message);
  } else if (front.streamed) {
    front.prefix += piece.bytes;
    piece.message.listener->shipment_reached(piece.message, front.prefix);
  }
}

void PcAal::unit_lost(UnitId id) {
  ++connections_[frame_of(id).connection].counters.cells_lost;
  frames_.give_back(static_cast<std::uint32_t>(id));
}

void PcAal::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  const ConnectionNumber number = event.owner;
  pcaal::Connection& connection = connections_[number];
  const bool polls = event.kind == poll_timer;
  LazyTimer& timer = polls ? connection.poll : connection.no_response;
  if (!timer.run_out(event, events_, *this)) return;
  if (polls)
    poll_ran_out(number);
  else
    release(number, Outcome::given_up,
            "given up, the peer answered no POLL for " + std::to_string(parameters_.no_response.seconds()) +
                " s (transport.no-response)");
}

std::string PcAal::remedy() const {
  return "transport.no-response says how long pc-aal waits for an answer, transport.tries how often it "
         "repeats a cell; a larger network.buffer or a lower network.background.load loses less";
}

std::vector<CounterTable> PcAal::counted() const {
  return tables_of(connections_);
}

PcAalCounters PcAal::counters() const {
  return total(connections_);
}

}  // namespace morgana
