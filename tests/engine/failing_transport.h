#pragma once

#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// Gives back or loses the shipment of that ordinal, after 20 us; all others take 10 us.
class FailingTransport : public Transport, private EventHandler {
 public:
  static constexpr SimTime trip = SimTime::from_ps(10'000'000), late = SimTime::from_ps(20'000'000);

  FailingTransport(EventQueue& events, std::size_t failing, bool returned)
      : events_(events), failing_(failing), returned_(returned) {}
  void send(const Shipment& shipment) override {
    const bool fails = ids_.size() == failing_;
    ids_.push_back(shipment.id);
    events_.schedule(events_.now() + (fails ? late : trip), *this, ids_.size() - 1);
  }
  TransportGuarantees guarantees() const override { return {.returns = true}; }

 private:
  void handle(std::uint64_t number) override {
    const MessageId id = ids_[number];
    if (number == failing_)
      return returned_ ? id.listener->shipment_returned(id, Outcome::given_up)
                       : id.listener->shipment_lost(id);
    id.listener->shipment_departed(id);
    id.listener->shipment_delivered(id);
  }

  EventQueue& events_;
  std::size_t failing_;
  bool returned_;
  std::vector<MessageId> ids_;
};

}  // namespace morgana
