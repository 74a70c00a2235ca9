#include "emulator/transport/aal5/aal5.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/core/error.h"

namespace morgana {

std::uint32_t cells_of_packet(AdaptationLayer layer, Bytes packet) {
  const std::int64_t bytes = packet.count();
  if (layer == AdaptationLayer::aal5) return static_cast<std::uint32_t>((bytes + 8 + 47) / 48);
  // The convergence sublayer pads to whole words; header and trailer have 4 bytes each.
  return static_cast<std::uint32_t>((4 + (bytes + 3) / 4 * 4 + 4 + 43) / 44);
}

namespace {

// The kind of an event is its lowest bit; above it the slot of a message that is being sent, or the
// number of a unit that has come.
enum What : std::uint64_t { message_ready, packet_done };
constexpr std::uint64_t event(What what, std::uint64_t subject) {
  return subject << 1 | what;
}

}  // namespace

Aal5::Aal5(EventQueue& events, CellNetwork& network, std::size_t hosts, const Aal5Parameters& parameters)
    : events_(events), network_(network), parameters_(parameters), hosts_(hosts) {
  if (parameters.packet < Bytes(1) || parameters.packet > Bytes(65535))
    throw Error("aal5: a packet must have room for 1 to 65535 bytes");
  for (const SimTime cost : {parameters.send_per_message, parameters.receive_per_message})
    if (cost < SimTime()) throw Error("aal5: the hosts' work can't take less than no time");
  network.report_to(*this);
}

ChannelId Aal5::channel(HostId from, HostId to) {
  const auto [place, added] = channel_.try_emplace(index(from) * hosts_.size() + index(to));
  if (added) {
    TrafficContract contract = TrafficContract::of(parameters_.category);
    if (parameters_.layer == AdaptationLayer::aal3_4) contract.delimiting = Delimiting::cell_headers;
    place->second = network_.open(static_cast<PortId>(from), static_cast<PortId>(to), contract);
  }
  return place->second;
}

void Aal5::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && index(shipment.from) < hosts_.size() &&
         index(shipment.to) < hosts_.size());
  const std::uint32_t slot = messages_.take(Message());
  Message& message = messages_[slot];
  message.shipment = shipment;
  const std::int64_t room = parameters_.packet.count();
  message.packets = message.undecided = std::max<std::int64_t>((shipment.bytes.count() + room - 1) / room, 1);
  HostState& host = hosts_[index(shipment.from)];
  host.sender_free = std::max(events_.now(), host.sender_free) + parameters_.send_per_message;
  if (host.sender_free == events_.now())
    hand_over(slot);
  else
    events_.schedule(host.sender_free, *this, event(message_ready, slot));
}

void Aal5::hand_over(std::uint32_t slot) {
  const Shipment shipment = messages_[slot].shipment;
  const ChannelId channel = this->channel(shipment.from, shipment.to);
  Bytes rest = shipment.bytes;
  const std::int64_t packets = messages_[slot].packets;
  for (std::int64_t place = 0; place < packets; ++place) {
    const bool last = place + 1 == packets;
    const std::uint32_t cells = cells_of_packet(parameters_.layer, last ? rest : parameters_.packet);
    rest -= parameters_.packet;
    ++counters_.packets;
    counters_.cells += cells;
    network_.inject(CellTrain{unit(slot, place), channel, cells});
  }
}

void Aal5::unit_departed(UnitId id, PortId) {
  if (!is_last(id)) return;
  const MessageId message = messages_[slot_of(id)].shipment.id;
  message.listener->shipment_departed(message);
}

void Aal5::unit_delivered(UnitId id, PortId to) {
  Message& message = messages_[slot_of(id)];
  if (!message.worked_on && (is_streamed(message) || is_last(id))) {
    HostState& host = hosts_[static_cast<std::size_t>(to)];
    host.receiver_free = std::max(events_.now(), host.receiver_free) + parameters_.receive_per_message;
    message.there_from = host.receiver_free;
    message.worked_on = true;
  }
  if (message.there_from <= events_.now())
    packet_came(id);
  else
    events_.schedule(message.there_from, *this, event(packet_done, static_cast<std::uint64_t>(id)));
}

void Aal5::unit_lost(UnitId id) {
  ++counters_.packets_lost;
  Message& message = messages_[slot_of(id)];
  if (!message.lost) message.loss = network_.how_lost();
  message.lost = true;
  end_packet(slot_of(id));
}

void Aal5::packet_came(UnitId id) {
  Message& message = messages_[slot_of(id)];
  if (is_streamed(message)) {
    const Bytes begin = place_of(id) * parameters_.packet;
    const Bytes end = std::min(begin + parameters_.packet, message.shipment.bytes);
    if (message.arrived.add(begin, end) && message.undecided > 1)
      message.shipment.id.listener->shipment_reached(message.shipment.id, message.arrived.prefix());
  }
  end_packet(slot_of(id));
}

void Aal5::end_packet(std::uint32_t slot) {
  Message& message = messages_[slot];
  if (--message.undecided > 0) return;
  const bool lost = message.lost;
  const MessageId id = message.shipment.id;
  loss_ = std::move(message.loss);
  messages_.give_back(slot);
  if (lost)
    id.listener->shipment_lost(id);
  else
    id.listener->shipment_delivered(id);
}

void Aal5::handle(std::uint64_t what) {
  const std::uint64_t subject = what >> 1;
  if (static_cast<What>(what & 1) == message_ready)
    hand_over(static_cast<std::uint32_t>(subject));
  else
    packet_came(UnitId{subject});
}

std::string Aal5::remedy() const {
  return "aal5 repeats nothing: --set transport.kind=go-back-n repeats what is lost, --set "
         "network.buffer=infinite loses nothing";
}

std::vector<CounterTable> Aal5::counted() const {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  return {{"AAL packets",
           {{"packets"}, {"cells"}, {.name = "packets lost", .trouble = true}},
           {{count(counters_.packets), count(counters_.cells), count(counters_.packets_lost)}}}};
}

}  // namespace morgana
