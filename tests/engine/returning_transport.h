#pragma once

#include <functional>
#include <vector>

#include "tests/engine/logp_machine.h"

namespace morgana {

/// Gives back what it is told to, and delivers all else at once, after `trip`.
class ReturningTransport : public Transport, private EventHandler {
 public:
  static constexpr SimTime trip = SimTime::from_ps(10'000'000), patience = SimTime::from_ps(70'000'000);
  /// @param ordinal  of the message among all that are handed over, from 0
  using Choice = std::function<bool(const Shipment&, std::size_t ordinal)>;

  ReturningTransport(EventQueue& events, Outcome why, Choice returned)
      : events_(events), why_(why), returned_(std::move(returned)) {}

  void send(const Shipment& shipment) override {
    const bool returned = returned_(shipment, messages_.size());
    messages_.push_back({shipment.id, returned});
    events_.schedule(events_.now() + (returned ? patience : trip), *this, messages_.size() - 1);
  }
  TransportGuarantees guarantees() const override { return {.returns = true}; }
  std::string how_lost() const override { return "the cable to host 1 is cut"; }
  std::string remedy() const override { return "mend the cable"; }

 private:
  struct Message {
    MessageId id;
    bool returned;
  };
  void handle(std::uint64_t number) override {
    const Message message = messages_[number];
    if (message.returned) return message.id.listener->shipment_returned(message.id, why_);
    message.id.listener->shipment_departed(message.id);
    message.id.listener->shipment_delivered(message.id);
  }

  EventQueue& events_;
  Outcome why_;
  Choice returned_;
  std::vector<Message> messages_;
};

/// logp_machine's message layer over such a transport.
inline Machine returning_machine(std::size_t ranks, Outcome why, ReturningTransport::Choice returned) {
  Machine machine = logp_machine(ranks);
  machine.transport = std::make_unique<ReturningTransport>(*machine.events, why, std::move(returned));
  return machine;
}

}  // namespace morgana
