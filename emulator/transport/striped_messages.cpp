#include "emulator/transport/striped_messages.h"

#include <cassert>
#include <utility>

namespace morgana {

StripedMessages::StripedMessages(std::unique_ptr<Transport> transport, std::size_t nics)
    : transport_(std::move(transport)), nics_(nics) {
  assert(nics > 1 && nics <= std::size_t{1} << nic_bits);
}

void StripedMessages::send(const Shipment& shipment) {
  if (shipment.stripes == Stripes::none) return transport_->send(shipment);
  const auto count = static_cast<std::int64_t>(nics_);
  const auto bytes_of = [&](std::int64_t nic) {
    if (shipment.stripes == Stripes::each) return shipment.bytes;
    return Bytes(shipment.bytes.count() / count + (nic < shipment.bytes.count() % count ? 1 : 0));
  };
  Message whole;
  whole.id = shipment.id;
  whole.completes = shipment.completes;
  for (std::int64_t nic = 0; nic < count; ++nic)
    if (nic == 0 || bytes_of(nic) > Bytes()) ++whole.parts;
  const auto parts = static_cast<std::int64_t>(whole.parts);
  const std::uint64_t slot = messages_.take(std::move(whole));
  const auto at = [&](HostId end, std::int64_t nic) {
    const std::size_t host = static_cast<std::size_t>(end) / nics_;
    return static_cast<HostId>(host * nics_ + static_cast<std::size_t>(nic));
  };
  for (std::int64_t nic = 0; nic < parts; ++nic) {
    Shipment part = shipment;
    part.id = {slot << nic_bits | static_cast<std::uint64_t>(nic), this};
    part.from = at(shipment.from, nic);
    part.to = at(shipment.to, nic);
    part.bytes = bytes_of(nic);
    part.streamed = false;
    part.elements = {};
    part.piece = Bytes();
    part.stripes = Stripes::none;
    transport_->send(part);
  }
}

void StripedMessages::shipment_departed(MessageId own) {
  Message& whole = message(own);
  if (++whole.departed == whole.parts) whole.id.listener->shipment_departed(whole.id);
}

void StripedMessages::shipment_lost(MessageId own) {
  message(own).is_lost = true;
  message(own).how_lost = transport_->how_lost();
  ended(own);
}

void StripedMessages::shipment_returned(MessageId own, Outcome why) {
  message(own).returned = why;
  message(own).how_lost = transport_->how_lost();
  ended(own);
}

void StripedMessages::ended(MessageId own) {
  Message& whole = message(own);
  if (++whole.ended < whole.parts) return;
  const MessageId id = whole.id;
  const bool is_lost = whole.is_lost;
  const std::optional<Outcome> returned = whole.returned;
  if (is_lost || returned) {
    // Its slot stays taken: there may still be reports of departures and of parts that complete.
    how_lost_ = std::move(whole.how_lost);
    if (returned)
      id.listener->shipment_returned(id, *returned);
    else
      id.listener->shipment_lost(id);
    how_lost_.reset();
    return;
  }
  forget_if_over(own);
  id.listener->shipment_delivered(id);
}

void StripedMessages::shipment_completed(MessageId own) {
  Message& whole = message(own);
  if (++whole.completed < whole.parts) return;
  const MessageId id = whole.id;
  forget_if_over(own);
  id.listener->shipment_completed(id);
}

void StripedMessages::forget_if_over(MessageId own) {
  const Message& whole = message(own);
  if (whole.ended == whole.parts && (!whole.completes || whole.completed == whole.parts))
    messages_.give_back(static_cast<std::uint32_t>(own.number >> nic_bits));
}

}  // namespace morgana
