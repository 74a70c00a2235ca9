#include "emulator/process/carrier.h"

namespace morgana {
namespace {

constexpr unsigned desk_shift = 62;
constexpr std::uint64_t id_mask = (std::uint64_t{1} << desk_shift) - 1;

MessageId own_id(MessageId id) {
  return MessageId{static_cast<std::uint64_t>(id) & id_mask};
}

}  // namespace

Carrier::Carrier(Machine& machine) : machine_(machine) {
  if (machine_.transport) machine_.transport->report_to(*this);
}

void Carrier::ship(Desk desk, std::uint64_t id, Rank from, Rank to, Bytes bytes, bool streamed) {
  Shipment shipment{};
  shipment.bytes = bytes;
  shipment.streamed = streamed;
  ship(desk, id, from, to, shipment);
}

void Carrier::ship(Desk desk, std::uint64_t id, Rank from, Rank to, Shipment shipment) {
  shipment.id = MessageId{static_cast<std::uint64_t>(desk) << desk_shift | id};
  shipment.from = machine_.host_of[index(from)];
  shipment.to = machine_.host_of[index(to)];
  machine_.transport->send(shipment);
}

ShipmentListener& Carrier::listener(MessageId id) const {
  return *listeners_[static_cast<std::uint64_t>(id) >> desk_shift];
}

void Carrier::shipment_departed(MessageId id) {
  listener(id).shipment_departed(own_id(id));
}

void Carrier::shipment_reached(MessageId id, Bytes prefix) {
  listener(id).shipment_reached(own_id(id), prefix);
}

Admission Carrier::shipment_admitted(MessageId id, Bytes before, Bytes size) {
  return listener(id).shipment_admitted(own_id(id), before, size);
}

void Carrier::shipment_delivered(MessageId id) {
  listener(id).shipment_delivered(own_id(id));
}

void Carrier::shipment_lost(MessageId id) {
  listener(id).shipment_lost(own_id(id));
}

void Carrier::shipment_returned(MessageId id, Outcome why) {
  listener(id).shipment_returned(own_id(id), why);
}

}  // namespace morgana
