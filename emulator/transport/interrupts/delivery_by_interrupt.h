#pragma once

#include <cstdint>
#include <memory>

#include "emulator/core/pool.h"
#include "emulator/host/kernel.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Another transport, whose messages a host learns of by interrupts: each that has come costs the receiving
/// host's kernel an interrupt, and is delivered when that has been handled. A loss or return is reported
/// at once, and so is that the sending host's buffer is free. It does not stream: a host is interrupted for
/// whole messages, whose pieces it finds in its sockets as they come. For the rest it is as the transport
/// that it stands before, but that it has no remote memory.
class DeliveryByInterrupt final : public Transport, private ShipmentListener, private EventHandler {
 public:
  /// @param kernel  must outlive it, like the event queue
  DeliveryByInterrupt(EventQueue& events, Kernel& kernel, std::unique_ptr<Transport> transport);

  void send(const Shipment& shipment) override;
  bool keeps_elements_whole() const override { return transport_->keeps_elements_whole(); }
  bool asks() const override { return transport_->asks(); }
  bool connects_processes() const override { return transport_->connects_processes(); }
  bool copies_in_kernels() const override { return transport_->copies_in_kernels(); }
  Bytes unit_header() const override { return transport_->unit_header(); }
  TransportGuarantees guarantees() const override { return {.returns = transport_->guarantees().returns}; }
  SimTime timer_wait() const override { return timer_wait_; }
  std::string how_lost() const override { return transport_->how_lost(); }
  std::string remedy() const override { return transport_->remedy(); }
  std::vector<CounterTable> counted() const override { return transport_->counted(); }

 private:
  void handle(std::uint64_t slot) override;
  void shipment_departed(MessageId own) override;
  void shipment_reached(MessageId own, Bytes prefix) override;
  Admission shipment_admitted(MessageId own, Bytes before, Bytes size) override;
  void shipment_delivered(MessageId own) override;
  void shipment_lost(MessageId own) override;
  void shipment_returned(MessageId own, Outcome why) override;

  struct Message {
    MessageId id;
    HostId to;
    SimTime timer_wait{};
  };
  const Message& message(MessageId own) const { return messages_[static_cast<std::uint32_t>(own.number)]; }

  EventQueue& events_;
  Kernel& kernel_;
  std::unique_ptr<Transport> transport_;
  SimTime timer_wait_;      // of the message whose report is being delivered
  Pool<Message> messages_;  // under way, by the number that the other transport gets
};

}  // namespace morgana
