#include "emulator/transport/uet/uet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/transport/congestion/dctcp_flow.h"

namespace morgana {

using namespace uet;

namespace {

MarkingNetwork& required_marking(Network& network) {
  if (network.extensions().marking == nullptr)
    throw Error(
        "uet: Ultra Ethernet needs a network that marks packets, as a "
        "fabric does");
  return *network.extensions().marking;
}

/// Each process pair's units take ways of their own.
std::uint32_t entropy_of_pair(std::uint64_t channel) {
  return static_cast<std::uint32_t>((channel + 1) * 0x9e3779b97f4a7c15 >> 32);
}

/// Of a host's flows: what fills its cable in the longest round trip, times a
/// factor.
Bytes most_window(const NsccParameters& nscc, BitRate rate, Bytes full_packet) {
  constexpr double bit_picoseconds = 8e12;
  const double product = static_cast<double>(rate.bits_per_second()) / bit_picoseconds *
                         static_cast<double>(nscc.base_round_trip.ps());
  return std::max(Bytes(static_cast<std::int64_t>(nscc.most_window * product)), full_packet);
}

}  // namespace

Uet::Uet(EventQueue& events, Network& network, std::size_t hosts, const UetParameters& parameters)
    : events_(events),
      network_(network),
      marking_(required_marking(network)),
      trimming_(network.extensions().trimming),
      parameters_(parameters),
      framing_(parameters, marking_),
      ports_(hosts),
      notices_(events, *this, told) {
  const Bytes largest = std::max(parameters.header + parameters.payload, parameters.control_packet);
  if (network.largest_unit() < largest)
    throw Error(
        fmt::format("uet: packets of {} bytes don't fit into the "
                    "network's units of {}: set a smaller payload",
                    largest.count(), network.largest_unit().count()));
  if (std::max(parameters.data_class, parameters.control_class) >= network.capabilities().traffic_classes)
    throw Error("uet: the network has fewer traffic classes than are used");
  network.report_to(*this);
}

Uet::ConnectionId Uet::connection_between(const Shipment& shipment) {
  const auto [low, high] = std::minmax(shipment.from, shipment.to);
  const auto [place, added] =
      number_.try_emplace({low, high, shipment.channel}, static_cast<ConnectionId>(connections_.size()));
  const ConnectionId first = place->second;
  if (added) {
    for (const auto& [at, other] : {std::pair(low, high), std::pair(high, low)}) {
      Connection& connection = connections_.emplace_back();
      connection.from = at;
      connection.to = other;
      connection.data_class =
          shipment.traffic_class.value_or(static_cast<std::uint8_t>(parameters_.data_class));
      begin(connection, shipment.channel);
    }
  }
  return first + (shipment.from == high ? 1 : 0);
}

void Uet::begin(Connection& connection, std::uint64_t channel) {
  connection.entropy = entropy_of_pair(channel);
  connection.entropies.emplace(parameters_.balancing, parameters_.entropies, connections_.size());
  const BitRate rate = marking_.port_rate(static_cast<PortId>(connection.from)),
                there = marking_.port_rate(static_cast<PortId>(connection.to));
  const auto most = [this](BitRate of) { return most_window(parameters_.nscc, of, framing_.full_packet()); };
  if (parameters_.has_nscc())
    connection.control =
        std::make_unique<Nscc>(parameters_.nscc, rate, framing_.full_packet(), parameters_.payload);
  if (parameters_.control == UetParameters::Control::dctcp)
    connection.control =
        std::make_unique<DctcpFlow>(parameters_.dctcp, rate, framing_.full_packet(), most(rate));
  if (!parameters_.has_rccc()) return;
  connection.credited.emplace(most(rate));
  if (Port& port = port_of(connection.to); !port.giver)
    port.giver.emplace(parameters_.rccc, there, parameters_.payload, most(there));
}

void Uet::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < ports_.size() &&
         index(shipment.to) < ports_.size());
  const ConnectionId id = connection_between(shipment);
  Message message{.id = shipment.id, .verb = shipment.verb, .completes = shipment.completes};
  if (shipment.verb == Verb::read) {
    message.part = Message::Part::read_request;
    message.read = shipment.bytes;
  } else {
    message.bytes = shipment.bytes;
  }
  post(id, message);
}

void Uet::post(ConnectionId id, Message message) {
  Connection& connection = connections_[id];
  if (connection.failed)  // never told from within send()
    return notices_.add_event({.kind = Notice::Kind::returned, .message = message.id}, events_.now());
  SimTime ready = events_.now();
  if (message.part != Message::Part::read_data) {
    Port& port = port_of(connection.from);
    ready = std::max(ready + parameters_.post_latency, port.takes);
    port.takes = ready + parameters_.message_gap;
    if (message.bytes > parameters_.inline_limit)
      ready += parameters_.fetch_latency +
               parameters_.fetch_per_byte.time_for(std::min(message.bytes, parameters_.payload));
  }
  connection.ready = message.ready = std::max(ready, connection.ready);
  const Psn packets = framing_.packets(message.bytes);
  message.first = connection.end;
  message.end = connection.end += packets;
  message.to_come = message.to_acknowledge = packets;
  message.timer_wait = TimerWait(events_.now());
  connection.left += static_cast<std::int64_t>(packets - 1) * framing_.full_packet() +
                     framing_.on_link(framing_.payload(message.bytes, packets - 1));
  connection.messages.push_back(message);
  if (message.ready > events_.now())
    events_.schedule(message.ready, *this, TimerEvent{0, id, ready_timer}.packed());
  else
    proceed(id);
}

void Uet::inject(const Header& header) {
  const Connection& connection = connections_[header.connection];
  const bool is_data = header.kind == Header::Kind::data;
  const bool forth = is_data || header.kind == Header::Kind::credit_request;
  const HostId from = forth ? connection.from : connection.to, to = forth ? connection.to : connection.from;
  network_.inject({.id = UnitId{headers_.take(header)},
                   .from = static_cast<PortId>(from),
                   .to = static_cast<PortId>(to),
                   .size = is_data ? parameters_.header + header.payload : parameters_.control_packet,
                   .traffic_class =
                       static_cast<std::uint8_t>(is_data ? connection.data_class : parameters_.control_class),
                   .entropy = connection.entropy + header.entropy,
                   .may_be_trimmed = is_data && trimming_ != nullptr});
}

void Uet::unit_departed(UnitId id, PortId from) {
  const Header header = headers_[static_cast<std::uint32_t>(id)];
  if (header.kind != Header::Kind::data) return;
  Port& port = ports_[static_cast<std::size_t>(from)];
  Connection& connection = connections_[header.connection];
  port.busy = false;
  connection.in_port = false;
  connection.stands_since = events_.now();
  proceed(header.connection);
  if (header.departs) {
    timer_wait_ = header.timer_wait;
    header.message.listener->shipment_departed(header.message);
  }
  serve(port);
}

void Uet::unit_delivered(UnitId id, PortId) {
  const Header header = headers_[static_cast<std::uint32_t>(id)];
  headers_.give_back(static_cast<std::uint32_t>(id));
  const ConnectionId connection = header.connection;
  if (connections_[connection].failed) return;
  switch (header.kind) {
    case Header::Kind::data:
      if (trimming_ != nullptr && trimming_->delivered_trimmed() != Trimmed::no)
        take_trimmed(connection, header);
      else
        take_data(connection, header);
      break;
    case Header::Kind::acknowledgement:
      take_report(connection, header);
      break;
    case Header::Kind::nack:
      take_nack(connection, header);
      break;
    case Header::Kind::credit:
      take_credit(connection, header);
      break;
    case Header::Kind::credit_request:
      if (Port& port = port_of(connections_[connection].to); port.giver) port.giver->remind(connection);
      take_target(connection, header.credit);
      break;
  }
  notices_.tell_due([this](const Notice& notice) { tell(notice); });
}

// Formatting how a packet was lost takes time, and most losses are made good by
// the first repetition.
void Uet::unit_lost(UnitId id) {
  const Header& header = headers_[static_cast<std::uint32_t>(id)];
  if (Connection& connection = connections_[header.connection];
      header.kind == Header::Kind::data && header.repeated && !connection.failed) {
    connection.last_loss = network_.how_lost();
    remedy_ = network_.remedy();
  }
  headers_.give_back(static_cast<std::uint32_t>(id));
}

void Uet::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  switch (event.kind) {
    case timeout_timer:
      if (connections_[event.owner].timeout.run_out(event, events_, *this)) ran_out(event.owner);
      break;
    case ready_timer:
      proceed(event.owner);
      break;
    case credit_timer:
      give_credit(HostId{event.owner});
      break;
    default:
      tell(notices_.take(event.owner));
  }
  notices_.tell_due([this](const Notice& notice) { tell(notice); });
}

void Uet::tell(const Notice& notice) {
  timer_wait_ = notice.timer_wait;
  switch (notice.kind) {
    case Notice::Kind::delivered:
      return notice.message.listener->shipment_delivered(notice.message);
    case Notice::Kind::completed:
      return notice.message.listener->shipment_completed(notice.message);
    case Notice::Kind::returned:
      return notice.message.listener->shipment_returned(notice.message, Outcome::given_up);
    case Notice::Kind::read:
      return post(notice.connection, {.id = notice.message,
                                      .part = Message::Part::read_data,
                                      .verb = Verb::read,
                                      .bytes = notice.bytes});
  }
}

std::string Uet::remedy() const {
  std::string own =
      "transport.tries and transport.timeout say how often and "
      "after what time a packet is sent again";
  if (!remedy_.empty()) own += "; " + remedy_;
  return own;
}

UetCounters Uet::counters() const {
  UetCounters all = counters_;
  for (const Connection& connection : connections_) all.early += connection.inbound.early();
  return all;
}

std::vector<CounterTable> Uet::counted() const {
  const UetCounters all = counters();
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return {{"Ultra Ethernet",
           {{"packets"},
            {.name = "packets sent again", .trouble = true},
            {"out of order"},
            {.name = "packets marked (ECN)", .trouble = true},
            {.name = "packets trimmed", .trouble = true},
            {"acknowledgements"},
            {"NACKs"},
            {"credits"},
            {"credit requests"},
            {.name = "timeouts", .trouble = true},
            {.name = "failed connections", .trouble = true}},
           {{count(all.packets), count(all.repeated), count(all.early), count(all.marked), count(all.trimmed),
             count(all.acknowledgements), count(all.nacks), count(all.credits), count(all.credit_requests),
             count(all.timeouts), count(all.failed)}}}};
}

}  // namespace morgana
