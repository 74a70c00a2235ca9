// What a send holds up whose endpoint has no frame in its interface, and what a receive gives back there.

#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/network/endpoint_network.h"
#include "emulator/operations/endpoint_tag.h"
#include "emulator/transport/interrupts/delivery_by_interrupt.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace script;

constexpr SimTime fault = SimTime::from_ps(70'000'000), way = SimTime::from_ps(10'000'000);

/// Host 0's endpoints are loaded `fault` after the first write to one. Messages take `way`, from then on.
class FaultingNetwork : public Network, public EndpointNetwork, private EventHandler {
 public:
  explicit FaultingNetwork(EventQueue& events) : events_(events) {}

  void inject(const Unit& unit) override {
    units_.emplace_back(unit, std::exchange(next_, {}));
    const bool awaited = units_.back().second.writer != nullptr;
    const std::uint64_t number = 2 * (units_.size() - 1);
    const SimTime begin = events_.now() + (awaited ? fault : SimTime());
    if (awaited) events_.schedule(begin, *this, number);
    events_.schedule(begin + way, *this, number + 1);
  }
  Bytes largest_unit() const override { return Bytes(4096); }
  NetworkExtensions extensions() override { return {.endpoints = this}; }
  void address_next(const EndpointAddress& address) override { next_ = address; }
  bool suspends(PortId at, EndpointId) const override { return at == PortId{0}; }
  void consumed(PortId at, const Ends& ends) override { taken.emplace_back(at, ends); }

  std::vector<std::pair<PortId, Ends>> taken;

 private:
  void handle(std::uint64_t what) override {
    const auto [unit, address] = units_[what / 2];
    if (what % 2 == 0) return address.writer->endpoint_written(address.write);
    listener_->unit_departed(unit.id, unit.from);
    listener_->unit_delivered(unit.id, unit.to);
  }

  EventQueue& events_;
  EndpointAddress next_;
  std::vector<std::pair<Unit, EndpointAddress>> units_;
};

using Suspends = EndpointSettings::Suspends;

/// Interrupts that cost nothing, between the messages and the endpoints.
void add_interrupts(Machine& machine) {
  machine.kernel = std::make_unique<Kernel>(
      *machine.events, 1, InterruptParameters{InterruptParameters::Handling::fixed, SimTime(), 0});
  machine.transport =
      std::make_unique<DeliveryByInterrupt>(*machine.events, *machine.kernel, std::move(machine.transport));
}

Machine faulting_machine(Suspends suspended) {
  Machine machine = logp_machine(2);
  machine.endpoints.page_fault = suspended;
  auto network = std::make_unique<FaultingNetwork>(*machine.events);
  machine.transport = std::make_unique<DirectTransport>(*network);
  machine.network = std::move(network);
  return machine;
}

/// Rank 0 sends, then receives what rank 1 has sent at once, then waits for its send.
/// @return when the receive and the send were over
std::pair<SimTime, SimTime> ends_on(Machine machine) {
  ScriptedSource source({{send(1, 8, 7, 1), receive(1, 8, 8, 2), wait({2}), wait({1}), exit()},
                         {send(0, 8, 8, 1), receive(0, 8, 7, 2), wait({1, 2}), exit()}});
  Engine engine(machine, source, {});
  EXPECT_EQ(engine.run().at(1), o_s + fault + way + o_r);
  return {source.answers[0].at(0).clock, source.answers[0].at(1).clock};
}

TEST(PageFault, OfAProcessHoldsUpWhatTheRankDoesNext) {
  const auto [received, sent] = ends_on(faulting_machine(Suspends::process));
  EXPECT_EQ(received, o_s + fault + o_r);
  EXPECT_EQ(sent, o_s + fault + o_r);
}

TEST(PageFault, OfAThreadHoldsUpOnlyWhoWaitsForTheSend) {
  const auto [received, sent] = ends_on(faulting_machine(Suspends::thread));
  EXPECT_EQ(received, o_s + way + o_r);
  EXPECT_EQ(sent, o_s + fault);
}

TEST(PageFault, OfAProcessHoldsItUpThroughOtherTransports) {
  Machine machine = faulting_machine(Suspends::process);
  add_interrupts(machine);
  EXPECT_EQ(ends_on(std::move(machine)), std::pair(o_s + fault + o_r, o_s + fault + o_r));
}

// Of two messages to its endpoint 2 rank 0 receives the second.
TEST(EndpointQueues, AreLeftByWhatIsReceivedThroughOtherTransports) {
  for (const bool interrupts : {false, true}) {
    Machine machine = faulting_machine(Suspends::process);
    machine.endpoints.named = EndpointSettings::Named::tags;
    auto& network = static_cast<FaultingNetwork&>(*machine.network);
    if (interrupts) add_interrupts(machine);
    const int left = EndpointTag{2, 3}.packed(), received = EndpointTag{2, 4}.packed();
    ScriptedSource source({{receive(1, 8, received, 1), wait({1}), exit()},
                           {send(0, 8, left, 1), send(0, 8, received, 2), wait({1, 2}), exit()}});
    Engine(machine, source, {}).run();
    const Ends ends{EndpointId{256 + 4}, EndpointId{2}, false, false};
    EXPECT_EQ(network.taken, (std::vector{std::pair(PortId{0}, ends)}));
  }
}

// A message that is being written can't be taken back.
TEST(PageFault, OfAThreadOutlastsACancel) {
  Machine machine = faulting_machine(Suspends::thread);
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
