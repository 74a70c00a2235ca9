#include "emulator/transport/interrupts/delivery_by_interrupt.h"

#include <utility>

namespace morgana {

DeliveryByInterrupt::DeliveryByInterrupt(EventQueue& events, Kernel& kernel,
                                         std::unique_ptr<Transport> transport)
    : events_(events), kernel_(kernel), transport_(std::move(transport)) {}

void DeliveryByInterrupt::send(const Shipment& shipment) {
  Shipment whole = shipment;
  whole.id = {messages_.take({shipment.id, shipment.to}), this};
  whole.streamed = false;
  transport_->send(whole);
}

void DeliveryByInterrupt::shipment_departed(MessageId own) {
  const MessageId id = message(own).id;
  timer_wait_ = transport_->timer_wait();
  id.listener->shipment_departed(id);
}

void DeliveryByInterrupt::shipment_reached(MessageId own, Bytes prefix) {
  const MessageId id = message(own).id;
  id.listener->shipment_reached(id, prefix);
}

Admission DeliveryByInterrupt::shipment_admitted(MessageId own, Bytes before, Bytes size) {
  const MessageId id = message(own).id;
  return id.listener->shipment_admitted(id, before, size);
}

void DeliveryByInterrupt::shipment_delivered(MessageId own) {
  messages_[static_cast<std::uint32_t>(own.number)].timer_wait = transport_->timer_wait();
  events_.schedule(kernel_.interrupt(message(own).to).done, *this, own.number);
}

void DeliveryByInterrupt::handle(std::uint64_t slot) {
  const MessageId id = messages_[static_cast<std::uint32_t>(slot)].id;
  timer_wait_ = messages_[static_cast<std::uint32_t>(slot)].timer_wait;
  messages_.give_back(static_cast<std::uint32_t>(slot));
  id.listener->shipment_delivered(id);
}

void DeliveryByInterrupt::shipment_lost(MessageId own) {
  const MessageId id = message(own).id;
  messages_.give_back(static_cast<std::uint32_t>(own.number));
  id.listener->shipment_lost(id);
}

// Its slot stays taken, because the transport may still tell that it has departed.
void DeliveryByInterrupt::shipment_returned(MessageId own, Outcome why) {
  const MessageId id = message(own).id;
  id.listener->shipment_returned(id, why);
}

}  // namespace morgana
