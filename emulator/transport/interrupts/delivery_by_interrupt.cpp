#include "emulator/transport/interrupts/delivery_by_interrupt.h"

#include <utility>

namespace morgana {

DeliveryByInterrupt::DeliveryByInterrupt(EventQueue& events, Kernel& kernel,
                                         std::unique_ptr<Transport> transport)
    : events_(events), kernel_(kernel), transport_(std::move(transport)) {
  transport_->report_to(*this);
}

void DeliveryByInterrupt::send(const Shipment& shipment) {
  receiver_[static_cast<std::uint64_t>(shipment.id)] = shipment.to;
  Shipment whole = shipment;
  whole.streamed = false;
  transport_->send(whole);
}

void DeliveryByInterrupt::shipment_delivered(MessageId id) {
  const auto number = static_cast<std::uint64_t>(id);
  const auto found = receiver_.find(number);
  const HostId host = found->second;
  receiver_.erase(found);
  events_.schedule(kernel_.interrupt(host).done, *this, number);
}

void DeliveryByInterrupt::handle(std::uint64_t what) {
  listener_->shipment_delivered(MessageId{what});
}

void DeliveryByInterrupt::shipment_lost(MessageId id) {
  receiver_.erase(static_cast<std::uint64_t>(id));
  listener_->shipment_lost(id);
}

void DeliveryByInterrupt::shipment_returned(MessageId id, Outcome why) {
  receiver_.erase(static_cast<std::uint64_t>(id));
  listener_->shipment_returned(id, why);
}

}  // namespace morgana
