#include "emulator/transport/infiniband/reliable_connections.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/udp_source_port.h"

namespace morgana {
namespace rc {
namespace {

constexpr std::int64_t longest_request = std::int64_t{1} << 30;

void require_rc(bool holds, const std::string& what) {
  if (!holds) throw Error("reliable connections: " + what);
}

}  // namespace
}  // namespace rc

using namespace rc;

Bytes ReliableConnections::largest_packet(const RcParameters& parameters) {
  const Bytes telemetry =
      parameters.control == RcParameters::Control::hpcc ? parameters.telemetry_header : Bytes();
  return transport_headers + parameters.global_header + reth + immediate_data + parameters.path_mtu +
         telemetry;
}

ReliableConnections::ReliableConnections(EventQueue& events, Network& network, std::size_t hosts,
                                         const RcParameters& parameters, const PcieParameters& pcie)
    : events_(events),
      network_(network),
      marking_(parameters.control == RcParameters::Control::none ? nullptr : network.extensions().marking),
      telemetry_(parameters.control == RcParameters::Control::none ? nullptr
                                                                   : network.extensions().telemetry),
      parameters_(parameters),
      bus_(pcie.limits() ? std::make_unique<PcieBus>(events, pcie, hosts, static_cast<PcieUser&>(*this))
                         : nullptr),
      has_windows_(parameters.control == RcParameters::Control::hpcc ||
                   parameters.control == RcParameters::Control::swift ||
                   parameters.control == RcParameters::Control::timely ||
                   parameters.control == RcParameters::Control::dctcp),
      selective_(parameters.early == RcParameters::Early::selective),
      keeps_early_(selective_ || parameters.early == RcParameters::Early::kept ||
                   (parameters.early == RcParameters::Early::by_network &&
                    network.capabilities().order == NetworkCapabilities::Order::none)),
      ports_(hosts) {
  constexpr std::array<std::int64_t, 5> mtus{256, 512, 1024, 2048, 4096};
  require_rc(
      std::ranges::find(mtus, parameters.path_mtu.count()) != mtus.end(),
      "a path MTU is 256, 512, 1024, 2048 or 4096 bytes, not " + std::to_string(parameters.path_mtu.count()));
  require_rc(network.largest_unit() >= largest_packet(parameters),
             "packets of up to " + std::to_string(largest_packet(parameters).count()) +
                 " bytes don't fit into the network's units of " +
                 std::to_string(network.largest_unit().count()) + ": set a smaller path MTU");
  require_rc(parameters.timeout <= 31 && parameters.low_timeout <= 31 && parameters.retry_count <= 7 &&
                 parameters.rnr_retry <= 7,
             "timeouts go up to 31, retry counts up to 7");
  require_rc(parameters.outstanding_packets >= 1 && parameters.outstanding_packets <= most_outstanding_psns &&
                 parameters.outstanding_messages >= 1 && parameters.outstanding_reads >= 1,
             "a queue pair must be able to have at least one packet, message and read under way");
  require_rc(parameters.first_psn < psns && parameters.receives >= 0 && parameters.acknowledge_every >= 0 &&
                 parameters.rnr_timer > SimTime(),
             "a parameter is out of range");
  require_rc(parameters.control == RcParameters::Control::none || marking_ != nullptr,
             "congestion control needs a network that marks packets, as a fabric does");
  require_rc(!has_windows_ || telemetry_ != nullptr,
             "HPCC, Swift, TIMELY and DCTCP need a network that records telemetry, as a fabric does");
  require_rc(std::max(parameters.data_class, parameters.cnp_class) < network.capabilities().traffic_classes,
             "the network has fewer traffic classes than are used");
  const auto patience = [](unsigned exponent) {
    return exponent == 0 ? SimTime() : SimTime::from_ps(4'096'000) * (std::int64_t{1} << exponent);
  };
  patience_ = patience(parameters.timeout);
  low_patience_ = selective_ && parameters.low_timeout > 0 ? patience(parameters.low_timeout) : patience_;
  if (has_windows_) full_packet_ = marking_->on_link(largest_packet(parameters) - reth - immediate_data);
  network.report_to(*this);
}

Bytes ReliableConnections::unit_header() const {
  return transport_headers + parameters_.global_header;
}

TransportGuarantees ReliableConnections::guarantees() const {
  return {.reliable = parameters_.receives == 0 || parameters_.rnr_retry == 7, .returns = true};
}

ReliableConnections::ConnectionId ReliableConnections::connection_between(const Shipment& shipment) {
  const auto [low, high] = std::minmax(shipment.from, shipment.to);
  const auto [place, added] =
      number_.try_emplace({low, high, shipment.channel}, static_cast<ConnectionId>(connections_.size()));
  if (added) {
    connections_.emplace_back().from = low;
    connections_.back().to = high;
    connections_.emplace_back().from = high;
    connections_.back().to = low;
    const auto data_class = static_cast<std::uint8_t>(parameters_.data_class);
    const bool has_port = parameters_.udp_source_port == RcParameters::UdpSourcePort::queue_pair;
    for (Connection* one : {&connections_[place->second], &connections_.back()}) {
      one->traffic_class = shipment.traffic_class.value_or(data_class);
      if (has_port) one->udp_source_port = udp_source_port(shipment.channel);
      if (selective_) one->recovery = std::make_unique<LossRecovery>();
    }
    if (marking_ != nullptr) {
      for (Connection* one : {&connections_[place->second], &connections_.back()}) control_flow(*one);
    }
  }
  return place->second + (shipment.from == high ? 1 : 0);
}

std::uint64_t ReliableConnections::packets_of(Bytes bytes) const {
  const std::int64_t mtu = parameters_.path_mtu.count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>((bytes.count() + mtu - 1) / mtu, 1));
}

std::uint32_t ReliableConnections::on_link(Psn psn) const {
  return static_cast<std::uint32_t>((psn + parameters_.first_psn) % psns);
}

/// The one of those PSNs that is closest to `near`.
ReliableConnections::Psn ReliableConnections::extended(std::uint32_t psn, Psn near) const {
  const std::uint32_t ahead = (psn - on_link(near)) % psns;
  return ahead < psns / 2 ? near + ahead : near - (psns - ahead);
}

void ReliableConnections::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < ports_.size() &&
         index(shipment.to) < ports_.size());
  const ConnectionId id = connection_between(shipment);
  if (connections_[id].failed) {
    // Never told from within send().
    const std::uint32_t slot = notices_.take({Notice::Kind::returned, shipment.id, SimTime()});
    return events_.schedule(events_.now(), *this, TimerEvent{0, slot, told}.packed());
  }
  Bytes left = shipment.bytes;
  while (left > Bytes(longest_request)) {
    post(id, shipment, Bytes(longest_request), false);
    left -= Bytes(longest_request);
  }
  post(id, shipment, left, true);
}

void ReliableConnections::post(ConnectionId id, const Shipment& shipment, Bytes bytes, bool last) {
  Connection& connection = connections_[id];
  Port& port = port_of(connection.from);
  const SimTime taken = std::max(events_.now() + parameters_.post_latency, port.takes);
  port.takes = taken + parameters_.message_gap;
  const bool fetches = shipment.verb != Verb::read && bytes > parameters_.inline_limit;
  connection.ready = std::max(taken + (fetches ? time_to_fetch(bytes) : SimTime()), connection.ready);
  const Psn first = connection.end;
  connection.end += packets_of(bytes);
  connection.requests.push_back({shipment.id, shipment.verb, last, last && shipment.completes, bytes, first,
                                 connection.end, connection.ready, SimTime(), TimerWait(events_.now())});
  if (connection.ready > events_.now())
    events_.schedule(connection.ready, *this, TimerEvent{0, id, ready}.packed());
  else
    proceed(id);
}

/// Until a NIC has the first packet of so many bytes.
SimTime ReliableConnections::time_to_fetch(Bytes bytes) const {
  return parameters_.fetch_latency +
         parameters_.fetch_per_byte.time_for(std::min(bytes, parameters_.path_mtu));
}

/// When a payload that comes now is in the host's memory. @param before  what came before it is
SimTime ReliableConnections::time_in_memory(HostId host, Bytes payload, SimTime before) {
  SimTime there =
      events_.now() + parameters_.delivery_latency + parameters_.delivery_per_byte.time_for(payload);
  if (bus_ && payload > Bytes()) there += bus_->write(host, payload);
  return std::max(before, there);
}

/// The packet whose turn it is can't leave yet, as the bus is busy with what its NIC reads.
bool ReliableConnections::waits_for_bus(const Turn& turn) {
  if (!bus_ || !fetches(turn)) return false;
  const Connection& connection = connections_[turn.connection];
  return !bus_->admits_read(turn.what == Turn::What::request ? connection.from : connection.to);
}

/// Whether the packet whose turn it is has a payload that its NIC fetches from memory.
bool ReliableConnections::fetches(const Turn& turn) const {
  const Connection& connection = connections_[turn.connection];
  if (turn.what == Turn::What::response)
    return wants_to_respond(turn.connection) &&
           connection.responses.front().kind == PacketKind::read_response &&
           connection.responses.front().bytes > Bytes();
  if (turn.what != Turn::What::request || !wants_to_request(connection)) return false;
  const WorkRequest& request = request_of(connection, psn_to_send(connection));
  return request.verb != Verb::read && request.bytes > parameters_.inline_limit;
}

void ReliableConnections::may_read(HostId host) {
  Port& port = port_of(host);
  serve(port.data);
  serve(port.other);
}

Line& ReliableConnections::line_for(HostId host, const Connection& connection, PacketKind kind) {
  Port& port = port_of(host);
  if (kind == PacketKind::notification && parameters_.cnp_class != parameters_.data_class)
    return port.notifications;
  if (kind == PacketKind::notification || connection.traffic_class == parameters_.data_class)
    return port.data;
  return port.other;
}

void ReliableConnections::line_up(ConnectionId id, Turn::What what) {
  Connection& connection = connections_[id];
  PacketKind kind = PacketKind::request;
  if (what == Turn::What::response) kind = connection.responses.front().kind;
  if (what == Turn::What::notification) kind = PacketKind::notification;
  if (what == Turn::What::feedback) kind = PacketKind::feedback;
  if (what == Turn::What::request && std::exchange(connection.request_in_line, true)) return;
  if (what == Turn::What::response && std::exchange(connection.response_in_line, true)) return;
  Line& line = line_for(kind == PacketKind::request ? connection.from : connection.to, connection, kind);
  line.turns.push_back({id, what});
  serve(line);
}

void ReliableConnections::serve(Line& line) {
  while (!line.busy && !line.turns.empty()) {
    const Turn turn = line.turns.front();
    if (waits_for_bus(turn)) return;
    line.turns.pop_front();
    Connection& connection = connections_[turn.connection];
    switch (turn.what) {
      case Turn::What::request:
        connection.request_in_line = false;
        if (wants_to_request(connection) && keeps_pace(turn.connection)) send_request(turn.connection);
        break;
      case Turn::What::response:
        connection.response_in_line = false;
        if (wants_to_respond(turn.connection) &&
            (!is_data(connection.responses.front().kind) || keeps_pace(opposite(turn.connection))))
          send_response(turn.connection);
        break;
      case Turn::What::notification:
        send_notification(turn.connection);
        break;
      case Turn::What::feedback:
        send_feedback(turn.connection);
        break;
    }
  }
}

void ReliableConnections::inject(const Header& header, Bytes extension, Bytes payload) {
  const Connection& connection = connections_[header.connection];
  const bool forth = header.kind == PacketKind::request;
  const HostId from = forth ? connection.from : connection.to, to = forth ? connection.to : connection.from;
  const Bytes size =
      transport_headers + parameters_.global_header + extension + padded(payload) + telemetry_of(header);
  line_for(from, connection, header.kind).busy = true;
  if (marking_ != nullptr) pace(header, size);
  const std::uint32_t slot = headers_.take(header);
  if (has_windows_) attach_echo(headers_[slot], size - extension);
  network_.inject({.id = UnitId{slot},
                   .from = static_cast<PortId>(from),
                   .to = static_cast<PortId>(to),
                   .size = size,
                   .traffic_class = static_cast<std::uint8_t>(header.kind == PacketKind::notification
                                                                  ? parameters_.cnp_class
                                                                  : connection.traffic_class),
                   .entropy = connection.udp_source_port,
                   .telemetry_ports = telemetry_ports(headers_[slot])});
}

void ReliableConnections::unit_departed(UnitId id, PortId from) {
  const Header header = header_of(id);
  Connection& connection = connections_[header.connection];
  Line& line = line_for(static_cast<HostId>(from), connection, header.kind);
  line.busy = false;
  if (header.kind == PacketKind::request) {
    connection.request_in_port = false;
    if (marking_ != nullptr) respond(opposite(header.connection));  // whose turn it is, of one pace
    proceed(header.connection);
  } else if (header.kind != PacketKind::notification && header.kind != PacketKind::feedback) {
    connection.response_in_port = false;
    if (marking_ != nullptr) proceed(opposite(header.connection));
    respond(header.connection);
  }
  if (header.departs) {
    timer_wait_ = header.timer_wait;
    header.message.listener->shipment_departed(header.message);
  }
  serve(line);
}

void ReliableConnections::unit_delivered(UnitId id, PortId) {
  const Header header = header_of(id);
  headers_.give_back(static_cast<std::uint32_t>(id));
  if (marking_ != nullptr && is_data(header.kind) && marking_->delivered_marked())
    came_marked(flow_of(header));
  const bool reports = header.echo != 0 && is_report(header.kind);
  if (reports)
    take_report(header);
  else if (header.echo != 0)
    keep_echo(header);
  if (header.kind == PacketKind::request)
    responder_gets(header);
  else
    requester_gets(header);
  if (reports) flow_may_send(header.connection);
  tell_what_is_due();
}

// Formatting how a packet was lost takes time, and most losses are made good by the first retry.
void ReliableConnections::unit_lost(UnitId id) {
  Connection& connection = connections_[header_of(id).connection];
  if (connection.futile > 0) {
    connection.last_loss = network_.how_lost();
    remedy_ = network_.remedy();
  }
  drop_echo(header_of(id));
  headers_.give_back(static_cast<std::uint32_t>(id));
}

void ReliableConnections::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  switch (event.kind) {
    case acknowledgement_timeout:
      if (!connections_[event.owner].timeout.run_out(event, events_, *this)) return;
      if (waits_longer(event.owner)) return;
      ++counters_.timeouts;
      note_timer_wait(connections_[event.owner]);
      if (connections_[event.owner].oldest != connections_[event.owner].next)
        retry(event.owner, CongestionControl::Repetition::by_timeout);
      else
        forget_under_way(connections_[event.owner]);
      if (has_windows_)
        flow_may_send(event.owner);
      else
        proceed(event.owner);
      return tell_what_is_due();
    case rnr_wait:
      if (!connections_[event.owner].rnr.run_out(event, events_, *this)) return;
      connections_[event.owner].waits = false;
      note_timer_wait(connections_[event.owner]);
      return proceed(event.owner);
    case ready:
      if (marking_ != nullptr && connections_[event.owner].requested_last) respond(opposite(event.owner));
      proceed(event.owner);
      respond(event.owner);
      if (marking_ != nullptr) respond(opposite(event.owner));
      return;
    default:
      const Notice notice = notices_[event.owner];
      notices_.give_back(event.owner);
      tell(notice);
  }
}

/// All that the queue pair has to send waited for the timer that runs out now.
void ReliableConnections::note_timer_wait(Connection& connection) const {
  for (WorkRequest& request : connection.requests)
    request.timer_wait.add(connection.stands_since, events_.now());
}

void ReliableConnections::notify(Notice::Kind kind, MessageId message, SimTime at, SimTime timer_wait) {
  if (at == events_.now()) return due_.push_back({kind, message, timer_wait});
  const std::uint32_t slot = notices_.take({kind, message, timer_wait});
  events_.schedule(at, *this, TimerEvent{0, slot, told}.packed());
}

void ReliableConnections::tell(const Notice& notice) {
  ShipmentListener& listener = *notice.message.listener;
  timer_wait_ = notice.timer_wait;
  if (notice.kind == Notice::Kind::delivered)
    listener.shipment_delivered(notice.message);
  else if (notice.kind == Notice::Kind::completed)
    listener.shipment_completed(notice.message);
  else
    listener.shipment_returned(notice.message, Outcome::given_up);
}

void ReliableConnections::tell_what_is_due() {
  for (std::size_t place = 0; place < due_.size(); ++place) tell(Notice(due_[place]));
  due_.clear();
}

std::string ReliableConnections::remedy() const {
  const std::string own =
      "transport.retry-count, transport.timeout and transport.rnr-retry say how long a queue pair repeats "
      "before it fails";
  // What is never lost may be held up for ever.
  const std::string networks = remedy_.empty() && network_.capabilities().fails ? network_.remedy() : remedy_;
  return networks.empty() ? own : own + "; " + networks;
}

std::vector<CounterTable> ReliableConnections::counted() const {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const RcCounters& all = counters_;
  std::vector<CounterTable> tables{
      {"reliable connections",
       {{"requests"},
        {.name = "sent again", .trouble = true},
        {"read responses"},
        {"acknowledgements"},
        {"early, kept"},
        {.name = "sequence errors", .trouble = true},
        {.name = "RNR NAKs", .trouble = true},
        {.name = "timeouts", .trouble = true},
        {.name = "failed queue pairs", .trouble = true},
        {.name = "packets marked (ECN)", .trouble = true},
        {"CNPs"}},
       {{count(all.requests), count(all.repeated), count(all.read_responses), count(all.acknowledgements),
         count(all.kept), count(all.sequence_errors), count(all.not_ready), count(all.timeouts),
         count(all.failed), count(all.marked), count(all.notifications)}}}};
  if (bus_) tables.push_back(bus_->counted());
  if (parameters_.control == RcParameters::Control::timely) {
    tables.push_back({"congestion rates",
                      {{"reports"}, {"feedback packets"}, {"least rate, Mb/s"}},
                      {{count(all.reports), count(all.feedback),
                        all.least_rate ? all.least_rate->bits_per_second() / 1'000'000 : 0}}});
  } else if (has_windows_) {
    tables.push_back({"congestion windows",
                      {{"reports"},
                       {"feedback packets"},
                       {"waits for the window"},
                       {"least window, B"},
                       {.name = "reports without all ports", .trouble = true}},
                      {{count(all.reports), count(all.feedback), count(all.held),
                        all.reports > 0 ? all.least_window.count() : 0, count(all.no_space)}}});
  }
  return tables;
}

}  // namespace morgana
