// What a send holds up whose endpoint has no frame in its interface.

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace script;

constexpr SimTime fault = SimTime::from_ps(70'000'000), way = SimTime::from_ps(10'000'000);

/// Host 0's endpoints are loaded `fault` after the first write to one. Messages take `way`, from then on.
class FaultingTransport : public Transport, private EventHandler {
 public:
  explicit FaultingTransport(EventQueue& events) : events_(events) {}

  void send(const Shipment& shipment) override {
    messages_.push_back(shipment.id);
    const std::uint64_t number = 2 * (messages_.size() - 1);
    const SimTime begin = events_.now() + (shipment.awaited ? fault : SimTime());
    if (shipment.awaited) events_.schedule(begin, *this, number);
    events_.schedule(begin + way, *this, number + 1);
  }
  bool suspends(HostId host, EndpointId) const override { return host == HostId{0}; }

 private:
  void handle(std::uint64_t what) override {
    const MessageId id = messages_[what / 2];
    if (what % 2 == 0) return id.listener->shipment_written(id);
    id.listener->shipment_departed(id);
    id.listener->shipment_delivered(id);
  }

  EventQueue& events_;
  std::vector<MessageId> messages_;
};

/// Rank 0 sends, then receives what rank 1 has sent at once, then waits for its send.
/// @return when the receive and the send were over
std::pair<SimTime, SimTime> ends_with(MessageLayer::Suspends suspended) {
  Machine machine = logp_machine(2);
  machine.messages.page_fault = suspended;
  machine.transport = std::make_unique<FaultingTransport>(*machine.events);
  ScriptedSource source({{send(1, 8, 7, 1), receive(1, 8, 8, 2), wait({2}), wait({1}), exit()},
                         {send(0, 8, 8, 1), receive(0, 8, 7, 2), wait({1, 2}), exit()}});
  Engine engine(machine, source, {});
  EXPECT_EQ(engine.run().at(1), o_s + fault + way + o_r);
  return {source.answers[0].at(0).clock, source.answers[0].at(1).clock};
}

TEST(PageFault, OfAProcessHoldsUpWhatTheRankDoesNext) {
  const auto [received, sent] = ends_with(MessageLayer::Suspends::process);
  EXPECT_EQ(received, o_s + fault + o_r);
  EXPECT_EQ(sent, o_s + fault + o_r);
}

TEST(PageFault, OfAThreadHoldsUpOnlyWhoWaitsForTheSend) {
  const auto [received, sent] = ends_with(MessageLayer::Suspends::thread);
  EXPECT_EQ(received, o_s + way + o_r);
  EXPECT_EQ(sent, o_s + fault);
}

// A message that is being written can't be taken back.
TEST(PageFault, OfAThreadOutlastsACancel) {
  Machine machine = logp_machine(2);
  machine.messages.page_fault = MessageLayer::Suspends::thread;
  machine.transport = std::make_unique<FaultingTransport>(*machine.events);
  Operation cancel = plain(OperationKind::cancel);
  cancel.request = RequestId{1};
  ScriptedSource source(
      {{send(1, 8, 7, 1), cancel, wait({1}), exit()}, {receive(0, 8, 7, 1), wait({1}), exit()}});
  Engine engine(machine, source, {});
  EXPECT_EQ(engine.run().at(0), o_s + fault);
  EXPECT_FALSE(source.answers[0].at(0).completed.at(0).cancelled);
}

}  // namespace
}  // namespace morgana
