#include "emulator/transport/tcp/tcp.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {

using namespace tcp;

namespace {

constexpr Bytes timestamps_option{12}, sack_option{4}, sack_range{8};

/// Each process pair's units may take a path of their own.
std::uint32_t entropy_of(std::uint64_t channel) {
  const std::uint64_t mixed = (channel + 1) * 0x9e3779b97f4a7c15;
  return static_cast<std::uint32_t>(mixed >> 32);
}

}  // namespace

Bytes Tcp::segment_of(const TcpParameters& parameters, Bytes largest_unit) {
  const Bytes headers = parameters.header + (parameters.timestamps ? timestamps_option : Bytes());
  const Bytes segment = largest_unit - headers;
  if (segment <= Bytes())
    throw Error(fmt::format(
        "tcp: headers of {} bytes leave no room in the network's units of {}: set a smaller header",
        headers.count(), largest_unit.count()));
  if (std::min(parameters.send_buffer, parameters.receive_buffer) < 2 * segment)
    throw Error(
        fmt::format("tcp: the buffers of a socket hold at least two segments of {} bytes: set larger ones",
                    segment.count()));
  return segment;
}

Tcp::Tcp(EventQueue& events, Network& network, std::size_t hosts, const TcpParameters& parameters)
    : events_(events),
      network_(network),
      marking_(network.extensions().marking),
      parameters_(parameters),
      ports_(hosts) {
  parameters_.window.segment = segment_of(parameters, network.largest_unit());
  network.report_to(*this);
}

Tcp::EndpointId Tcp::endpoint_of(const Shipment& shipment) {
  const auto [low, high] = std::minmax(shipment.from, shipment.to);
  const auto [place, added] =
      number_.try_emplace({low, high, shipment.channel}, static_cast<EndpointId>(endpoints_.size()));
  const EndpointId first = place->second;
  if (added) {
    for (const auto& [at, peer] : {std::pair(low, high), std::pair(high, low)}) {
      Endpoint& endpoint = endpoints_.emplace_back();
      endpoint.at = at;
      endpoint.peer = peer;
      endpoint.entropy = entropy_of(shipment.channel);
      endpoint.traffic_class =
          shipment.traffic_class.value_or(static_cast<std::uint8_t>(parameters_.traffic_class));
    }
    begin_anew(first);
    begin_anew(other_end(first));
    if (!parameters_.handshake) ++opened_;
  }
  return shipment.from == low ? first : other_end(first);
}

void Tcp::begin_anew(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  endpoint.sender.emplace(parameters_);
  endpoint.receiver.emplace(parameters_);
  endpoint.state = parameters_.handshake ? Endpoint::State::closed : Endpoint::State::established;
  endpoint.messages.clear();
  endpoint.departed = endpoint.delivered = 0;
  endpoint.ready.clear();
  endpoint.retransmission.clear();
  endpoint.acknowledgement.clear();
  endpoint.syns = endpoint.syn_timeouts = 0;
  endpoint.last_loss.clear();
}

void Tcp::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < ports_.size() &&
         index(shipment.to) < ports_.size());
  const EndpointId id = endpoint_of(shipment);
  const Notice written{.kind = Notice::Kind::written,
                       .message = shipment.id,
                       .endpoint = id,
                       .bytes = shipment.bytes,
                       .completes = shipment.completes,
                       .piece = shipment.piece};
  if (parameters_.send_latency == SimTime()) return write(written);
  const std::uint32_t slot = notices_.take(written);
  events_.schedule(events_.now() + parameters_.send_latency, *this, TimerEvent{0, slot, told}.packed());
}

void Tcp::write(const Notice& written) {
  const EndpointId id = written.endpoint;
  Endpoint& endpoint = endpoints_[id];
  endpoint.sender->write(events_.now(), parameters_.message_header + written.bytes);
  Message& message = endpoint.messages.emplace_back();
  message = {written.message, endpoint.sender->written(), written.completes, TimerWait(events_.now())};
  if (written.piece > Bytes()) {
    message.bytes = written.bytes;
    message.piece = written.piece;
    message.pieces_to_come = pieces_to_come(written.bytes, written.piece);
  }
  look_for_departed(id);
  if (endpoint.state == Endpoint::State::closed) open(id);
  line_up(id);
}

bool Tcp::has_something(const Endpoint& endpoint) const {
  if (!endpoint.ready.empty()) return true;
  return endpoint.state == Endpoint::State::established && endpoint.sender->next().has_value();
}

void Tcp::line_up(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  if (endpoint.in_line || endpoint.in_port || !has_something(endpoint)) return;
  endpoint.in_line = true;
  Port& port = port_of(endpoint.at);
  port.line.push_back(id);
  serve(port);
}

void Tcp::serve(Port& port) {
  while (!port.busy && !port.line.empty()) {
    const EndpointId id = port.line.front();
    port.line.pop_front();
    endpoints_[id].in_line = false;
    take_turn(id);
  }
}

void Tcp::take_turn(EndpointId id) {
  Endpoint& endpoint = endpoints_[id];
  if (!endpoint.ready.empty()) {
    const Segment segment = endpoint.ready.front();
    endpoint.ready.pop_front();
    return inject(id, segment);
  }
  if (endpoint.state != Endpoint::State::established) return;
  const std::optional<Sender::Outgoing> outgoing = endpoint.sender->next();
  if (!outgoing) return;
  endpoint.sender->send(events_.now(), *outgoing);
  if (!endpoint.retransmission.set()) start_timeout(id);
  if (!outgoing->repeated) schedule_probe(id);
  const Receiver::Acknowledgement what = endpoint.receiver->acknowledge(false);
  endpoint.acknowledgement.clear();
  inject(id, {.acknowledges = true,
              .echoes_mark = what.echoes_mark,
              .reduced = outgoing->reduced,
              .repeated = outgoing->repeated,
              .data = outgoing->data,
              .expected = what.expected,
              .echo = what.echo});
}

Bytes Tcp::size_of(const Segment& segment) const {
  Bytes options = parameters_.timestamps ? timestamps_option : Bytes();
  if (segment.syn) options = Bytes(parameters_.timestamps ? 20 : parameters_.sack ? 12 : 8);
  if (segment.blocks.count > 0) options += sack_option + segment.blocks.count * sack_range;
  return parameters_.header + options + segment.data.size();
}

void Tcp::inject(EndpointId from, Segment segment) {
  Endpoint& endpoint = endpoints_[from];
  endpoint.in_port = true;
  port_of(endpoint.at).busy = true;
  segment.to = other_end(from);
  segment.incarnation = endpoint.incarnation;
  segment.value = events_.now();
  const Bytes size = size_of(segment);
  network_.inject({.id = UnitId{segments_.take(segment)},
                   .from = static_cast<PortId>(endpoint.at),
                   .to = static_cast<PortId>(endpoint.peer),
                   .size = size,
                   .traffic_class = endpoint.traffic_class,
                   .entropy = endpoint.entropy});
}

void Tcp::unit_departed(UnitId id, PortId) {
  const Segment& segment = segments_[static_cast<std::uint32_t>(id)];
  const EndpointId from = other_end(segment.to);
  Endpoint& endpoint = endpoints_[from];
  if (segment.syn || !segment.data.empty()) endpoint.stands_since = events_.now();
  Port& port = port_of(endpoint.at);
  port.busy = false;
  endpoint.in_port = false;
  if (has_something(endpoint)) {
    endpoint.in_line = true;
    port.line.push_back(from);
  }
  serve(port);
}

void Tcp::unit_delivered(UnitId id, PortId) {
  const auto slot = static_cast<std::uint32_t>(id);
  segments_[slot].marked = marking_ != nullptr && marking_->delivered_marked();
  if (parameters_.receive_latency > SimTime()) {
    events_.schedule(events_.now() + parameters_.receive_latency, *this,
                     TimerEvent{0, slot, arrival}.packed());
    return;
  }
  take_in(slot);
  tell_what_is_due();
}

// Formatting how a segment was lost takes time, and most losses are made good by the first repetition.
void Tcp::unit_lost(UnitId id) {
  const auto slot = static_cast<std::uint32_t>(id);
  Endpoint& endpoint = endpoints_[other_end(segments_[slot].to)];
  if (endpoint.sender->futile_timeouts() > 0 || endpoint.syns > 1) {
    endpoint.last_loss = network_.how_lost();
    remedy_ = network_.remedy();
  }
  segments_.give_back(slot);
}

void Tcp::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  switch (event.kind) {
    case retransmission_timer:
      if (endpoints_[event.owner].retransmission.run_out(event, events_, *this))
        retransmission_ran_out(event.owner);
      break;
    case acknowledgement_timer:
      if (endpoints_[event.owner].acknowledgement.run_out(event, events_, *this))
        acknowledge_all(event.owner);
      break;
    case arrival:
      take_in(event.owner);
      break;
    default:
      const Notice notice = notices_[event.owner];
      notices_.give_back(event.owner);
      tell(notice);
  }
  tell_what_is_due();
}

std::string Tcp::remedy() const {
  std::string own =
      "transport.tries, transport.handshake-tries and transport.most-timeout say how long a connection "
      "repeats "
      "before it fails";
  if (!remedy_.empty()) own += "; " + remedy_;
  return own;
}

std::vector<CounterTable> Tcp::counted() const {
  TcpSenderCounters all = of_failed_;
  for (const Endpoint& endpoint : endpoints_) all += endpoint.sender->counters();
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  CounterTable table{"TCP",
                     {{"connections"},
                      {"segments"},
                      {.name = "segments sent again", .trouble = true},
                      {"acknowledgements"},
                      {.name = "fast recoveries", .trouble = true},
                      {.name = "timeouts", .trouble = true},
                      {.name = "segments marked (ECN)", .trouble = true},
                      {"reductions"},
                      {.name = "failed connections", .trouble = true}},
                     {{count(opened_), count(all.segments), count(all.repeated), count(acknowledgements_),
                       count(all.fast_recoveries), count(all.timeouts), count(marked_), count(all.reductions),
                       count(failed_)}}};
  if (parameters_.loss_detection == TcpParameters::LossDetection::rack) {
    table.columns.push_back({"tail loss probes"});
    table.rows.front().emplace_back(count(all.probes));
  }
  return {std::move(table)};
}

}  // namespace morgana
