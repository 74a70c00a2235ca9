#pragma once

#include <limits>

#include "emulator/messaging/machine.h"
#include "tests/engine/logp_machine.h"

namespace morgana {

/// Delivers each message in frames of 1000 bytes: the first after 10 us, each other 4 us after the one
/// before. Where it streams, it tells of each frame, also of messages in pieces. Frames from `lost_from` on
/// never come.
class PacedTransport : public Transport, private EventHandler {
 public:
  static constexpr std::int64_t frame = 1000;
  static constexpr SimTime first = SimTime::from_ps(10'000'000), gap = SimTime::from_ps(4'000'000);

  explicit PacedTransport(EventQueue& events, bool streams, std::int64_t lost_from = 1 << 20)
      : events_(events), streams_(streams), lost_from_(lost_from) {}

  void send(const Shipment& shipment) override {
    messages_.push_back({shipment, 0});
    events_.schedule(events_.now() + first, *this, messages_.size() - 1);
  }
  TransportGuarantees guarantees() const override { return {.streams = streams_}; }

 private:
  struct Message {
    Shipment shipment;
    std::int64_t frames;  ///< that have come
  };
  void handle(std::uint64_t number) override {
    if (messages_[number].frames == lost_from_)
      return messages_[number].shipment.id.listener->shipment_lost(messages_[number].shipment.id);
    const Shipment shipment = messages_[number].shipment;
    const Bytes prefix(++messages_[number].frames * frame);
    if (prefix >= shipment.bytes) {
      shipment.id.listener->shipment_departed(shipment.id);
      return shipment.id.listener->shipment_delivered(shipment.id);
    }
    events_.schedule(events_.now() + gap, *this, number);
    if (streams_ && (shipment.streamed || shipment.piece > Bytes()))
      shipment.id.listener->shipment_reached(shipment.id, prefix);
  }

  EventQueue& events_;
  bool streams_;
  std::int64_t lost_from_;
  std::vector<Message> messages_;
};

/// logp_machine's message layer over such a transport.
inline Machine paced_machine(std::size_t ranks, bool streams = true, std::int64_t lost_from = 1 << 20) {
  Machine machine = logp_machine(ranks);
  machine.messages.eager_limit = Bytes(1 << 20);
  machine.transport = std::make_unique<PacedTransport>(*machine.events, streams, lost_from);
  return machine;
}

}  // namespace morgana
