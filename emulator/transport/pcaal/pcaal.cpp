#include "emulator/transport/pcaal/pcaal.h"

#include <cassert>
#include <unordered_map>

#include "emulator/core/pool.h"
#include "emulator/transport/pcaal/connection.h"

namespace morgana {
namespace {
namespace pcaal_detail {
using namespace pcaal;

using ConnectionNumber = std::uint32_t;

// So many SDs of a connection stand at the interface, that the link has no pause between them and one that is
// to be sent again waits for no more than these.
constexpr std::uint32_t most_in_interface = 2;

// A cell under way, in the slot that its UnitId names.
struct Frame {
  ConnectionNumber connection = 0;
  std::uint32_t incarnation = 0;
  Pdu pdu;
  Outgoing data{};  ///< of an SD
};

enum Timer : std::uint32_t { poll_timer, no_response_timer };
constexpr std::uint32_t timer(Timer which, ConnectionNumber connection) {
  return connection << 1 | which;
}

}  // namespace pcaal_detail
}  // namespace

class PcAal::Impl final : private UnitListener, private EventHandler {
 public:
  Impl(EventQueue& events, CellNetwork& network, std::size_t hosts, const PcAalParameters& parameters)
      : events_(events), network_(network), parameters_(parameters), hosts_(hosts) {
    parameters.check();
    network.report_to(*this);
  }
  void send(const Shipment& shipment);
  bool streams() const { return parameters_.stream; }
  const std::string& how_lost() const { return how_lost_; }
  const std::deque<pcaal::Connection>& connections() const { return connections_; }

 private:
  using Number = pcaal_detail::ConnectionNumber;

  Number connection_between(HostId from, HostId to);
  void proceed(Number number);
  void data_sent(Number number);
  void answered(Number number);
  void release(Number number, const std::string& why);
  void inject(Number number, ChannelId channel, pcaal::Pdu pdu, const pcaal::Outgoing& data = {});

  void data_came(Number number, const pcaal::Outgoing& data);
  void piece_in_order(Number number, const pcaal::Piece& piece);
  void poll_ran_out(Number number);

  void set(LazyTimer& which, SimTime after, pcaal_detail::Timer kind, Number number) {
    which.set(events_.now() + after, events_, *this, pcaal_detail::timer(kind, number));
  }
  pcaal_detail::Frame& frame_of(UnitId id) { return frames_[static_cast<std::uint32_t>(id)]; }

  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  CellNetwork& network_;
  PcAalParameters parameters_;
  std::size_t hosts_;
  std::deque<pcaal::Connection> connections_;             // listeners may add to it meanwhile
  std::unordered_map<std::uint64_t, Number> connection_;  // by pair of hosts; never iterated
  Pool<pcaal_detail::Frame> frames_;                      // under way
  std::string how_lost_;
};

PcAal::Impl::Number PcAal::Impl::connection_between(HostId from, HostId to) {
  const auto [place, added] =
      connection_.try_emplace(index(from) * hosts_ + index(to), static_cast<Number>(connections_.size()));
  if (added) connections_.push_back(pcaal::open_connection(network_, from, to, parameters_));
  return place->second;
}

void PcAal::Impl::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < hosts_ && index(shipment.to) < hosts_);
  const Number number = connection_between(shipment.from, shipment.to);
  pcaal::Connection& connection = connections_[number];
  connection.undelivered.push_back({shipment.id, parameters_.stream && shipment.streamed});
  const Bytes most = parameters_.data_of_cell();
  std::uint16_t offset = 0;
  for (Bytes rest = shipment.bytes;; rest -= most) {
    const bool ends = rest <= most;
    const Bytes bytes = ends ? rest : most;
    const std::int64_t element = parameters_.element.count();
    const auto count = static_cast<std::uint16_t>((bytes.count() + element - 1) / element);
    connection.sender.append({shipment.id, bytes, offset, count, ends});
    offset = static_cast<std::uint16_t>(offset + count);
    if (ends) break;
  }
  proceed(number);
}

// Whatever has changed for the sender: SDs go as far as interface and window allow.
void PcAal::Impl::proceed(Number number) {
  pcaal::Connection& connection = connections_[number];
  while (connection.in_interface < pcaal_detail::most_in_interface) {
    const std::optional<pcaal::Outgoing> data = connection.sender.next();
    if (!data) break;
    if (parameters_.tries > 0 && data->repetitions > parameters_.tries)
      return release(number, "unstable: a cell was sent again " + std::to_string(parameters_.tries) +
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

void PcAal::Impl::data_sent(Number number) {
  pcaal::Connection& connection = connections_[number];
  if (!connection.poll.set()) set(connection.poll, parameters_.poll, pcaal_detail::poll_timer, number);
  if (!connection.no_response.set())
    set(connection.no_response, parameters_.no_response, pcaal_detail::no_response_timer, number);
}

// With nothing unacknowledged there is nothing to ask for: both timers rest until the next SD.
void PcAal::Impl::poll_ran_out(Number number) {
  pcaal::Connection& connection = connections_[number];
  if (!connection.sender.active()) return connection.no_response.clear();
  inject(number, connection.forth, connection.sender.poll());
  set(connection.poll, parameters_.poll, pcaal_detail::poll_timer, number);
}

void PcAal::Impl::answered(Number number) {
  pcaal::Connection& connection = connections_[number];
  if (connection.no_response.set())
    set(connection.no_response, parameters_.no_response, pcaal_detail::no_response_timer, number);
}

// Both ends begin anew; the next message uses a fresh connection.
void PcAal::Impl::release(Number number, const std::string& why) {
  pcaal::Connection& connection = connections_[number];
  how_lost_ = "given up, " + why;
  std::deque<pcaal::Undelivered> returned;
  returned.swap(connection.undelivered);
  connection.counters.given_up += returned.size();
  connection.begin_anew(parameters_);
  proceed(number);
  for (const pcaal::Undelivered& each : returned)
    each.message.listener->shipment_returned(each.message, Outcome::given_up);
}

void PcAal::Impl::inject(Number number, ChannelId channel, pcaal::Pdu pdu, const pcaal::Outgoing& data) {
  pcaal::Connection& connection = connections_[number];
  ++connection.counters.cells;
  const std::uint32_t slot =
      frames_.take(pcaal_detail::Frame{number, connection.incarnation, std::move(pdu), data});
  network_.inject(CellTrain{UnitId{slot}, channel, 1});
}

void PcAal::Impl::unit_departed(UnitId id, PortId) {
  const pcaal_detail::Frame& frame = frame_of(id);
  if (!std::holds_alternative<pcaal::Sd>(frame.pdu)) return;
  const Number number = frame.connection;
  const pcaal::Outgoing data = frame.data;
  const bool present = frame.incarnation == connections_[number].incarnation;
  --connections_[number].in_interface;
  if (present && data.first_time && data.piece.ends)
    data.piece.message.listener->shipment_departed(data.piece.message);
  proceed(number);
}

void PcAal::Impl::unit_delivered(UnitId id, PortId) {
  const pcaal_detail::Frame frame = std::move(frame_of(id));
  frames_.give_back(static_cast<std::uint32_t>(id));
  const Number number = frame.connection;
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

void PcAal::Impl::data_came(Number number, const pcaal::Outgoing& data) {
  pcaal::Connection& connection = connections_[number];
  std::vector<pcaal::Piece> in_order;
  if (const auto gap = connection.receiver.take(data.ns, data.piece, in_order))
    inject(number, connection.back, *gap);
  for (const pcaal::Piece& piece : in_order) piece_in_order(number, piece);
}

void PcAal::Impl::piece_in_order(Number number, const pcaal::Piece& piece) {
  pcaal::Connection& connection = connections_[number];
  assert(!connection.undelivered.empty() && connection.undelivered.front().message == piece.message);
  pcaal::Undelivered& front = connection.undelivered.front();
  if (piece.ends) {
    connection.undelivered.pop_front();
    piece.message.listener->shipment_delivered(piece.message);
  } else if (front.streamed) {
    front.prefix += piece.bytes;
    piece.message.listener->shipment_reached(piece.message, front.prefix);
  }
}

void PcAal::Impl::unit_lost(UnitId id) {
  ++connections_[frame_of(id).connection].counters.cells_lost;
  frames_.give_back(static_cast<std::uint32_t>(id));
}

void PcAal::Impl::handle(std::uint64_t what) {
  const auto generation = static_cast<std::uint32_t>(what >> 32);
  const auto which = static_cast<std::uint32_t>(what);
  const Number number = which >> 1;
  pcaal::Connection& connection = connections_[number];
  const bool polls = (which & 1) == pcaal_detail::poll_timer;
  LazyTimer& timer = polls ? connection.poll : connection.no_response;
  if (!timer.run_out(generation, events_, *this, which)) return;
  if (polls)
    poll_ran_out(number);
  else
    release(number, "the peer answered no POLL for " + std::to_string(parameters_.no_response.seconds()) +
                        " s (transport.no-response)");
}

PcAal::PcAal(EventQueue& events, CellNetwork& network, std::size_t hosts, const PcAalParameters& parameters)
    : impl_(std::make_unique<Impl>(events, network, hosts, parameters)) {}

PcAal::~PcAal() = default;

void PcAal::send(const Shipment& shipment) {
  impl_->send(shipment);
}

bool PcAal::streams() const {
  return impl_->streams();
}

std::string PcAal::how_lost() const {
  return impl_->how_lost();
}

std::string PcAal::remedy() const {
  return "transport.no-response says how long pc-aal waits for an answer, transport.tries how often it "
         "repeats a cell; a larger network.buffer or a lower network.background.load loses less";
}

std::vector<CounterTable> PcAal::counted() const {
  return {table_of(impl_->connections())};
}

PcAalCounters PcAal::counters() const {
  return total(impl_->connections());
}

}  // namespace morgana
