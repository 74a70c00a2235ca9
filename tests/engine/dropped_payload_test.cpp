// Whoever made a message's payload must learn what becomes of it, once: its receiver gets it, or its sender
// has it back, or nobody will get it.

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "tests/engine/failing_transport.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/push_pull_machine.h"
#include "tests/engine/returning_transport.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/effort.h"
#include "tests/transport/lossy_network.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Payloads that ranks were told of, with those that nobody will get.
std::vector<std::uint64_t> accounted_for(const ScriptedSource& source) {
  std::vector<std::uint64_t> payloads = source.dropped_payloads;
  for (const auto& answers : source.answers)
    for (const Answer& answer : answers)
      for (const Completed& completed : answer.completed)
        if (completed.payload != 0) payloads.push_back(completed.payload);
  std::ranges::sort(payloads);
  return payloads;
}

/// Runs it, be it to a deadlock.
void run_to_its_end(Machine& machine, ScriptedSource& source) {
  try {
    Engine(machine, source, {}).run();
  } catch (const Deadlock&) {
  }
}

// Request with the first 1000 bytes, second push of 2000, clearance, data of 2000: only what fails before the
// receiver has all of it leaves a payload behind, and the sender has been told it is free only if it is.
TEST(DroppedPayload, IsToldOnceWhicheverPartFails) {
  for (const bool returned : {false, true}) {
    for (std::size_t failing = 0; failing < 4; ++failing) {
      SCOPED_TRACE(::testing::Message() << (returned ? "returned " : "lost ") << failing);
      Machine machine = logp_machine(2);
      machine.messages.push = 1000_B;
      machine.messages.second_push = 2000_B;
      machine.transport = std::make_unique<FailingTransport>(*machine.events, failing, returned);
      ScriptedSource source(
          {{send(1, 5000, 5, 1), wait({1}), exit()}, {receive(0, 5000, 5, 1), wait({1}), exit()}});
      run_to_its_end(machine, source);
      const bool clearance_is_lost = failing == 2 && !returned;
      if (clearance_is_lost)
        EXPECT_THAT(accounted_for(source), IsEmpty()) << "the send waits for it still";
      else
        EXPECT_THAT(accounted_for(source), ElementsAre(1005U));
    }
  }
}

TEST(DroppedPayload, IsToldOfAMessageThatComesBackWhenItsSendWasComplete) {
  Machine machine =
      returning_machine(2, Outcome::given_up, [](const Shipment&, std::size_t) { return true; });
  ScriptedSource source({{send(1, 100, 7, 1), wait({1}), exit()}, {exit()}});
  run_to_its_end(machine, source);
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).payload, 0U);
  EXPECT_THAT(source.dropped_payloads, ElementsAre(1007U));
}

TEST(DroppedPayload, IsNotThatOfASendThatHasItBack) {
  Machine machine =
      returning_machine(2, Outcome::given_up, [](const Shipment&, std::size_t) { return true; });
  ScriptedSource source({{send(1, 5000, 7, 1), wait({1}), exit()}, {exit()}});
  run_to_its_end(machine, source);
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).payload, 1007U);
  EXPECT_THAT(source.dropped_payloads, IsEmpty());
}

// The receiver's buffer is full, the frames that ask again are lost, and the kernel gives up.
TEST(DroppedPayload, IsToldOfAPushThatIsGivenUp) {
  PushPullCase one;
  one.eager_limit = 1 << 20;
  one.pushed_buffer = 2048;
  one.tries = 2;
  auto events = std::make_unique<EventQueue>();
  auto network = std::make_unique<testing::LossyNetwork>(
      *events, 2,
      [frames = 0](const Unit& unit, std::uint64_t) mutable { return unit.size == 1500_B && ++frames > 2; });
  Machine machine = one.machine(std::move(network), std::move(events));
  ScriptedSource source(
      {{send(1, 3000, 5, 1), wait({1}), exit()}, {after(1000_s, receive(0, 3000, 5, 1)), wait({1}), exit()}});
  run_to_its_end(machine, source);
  EXPECT_THAT(accounted_for(source), ElementsAre(1005U));
}

/// Loses messages at random, delivers the others after 10 us.
class RandomlyLosing : public Transport, private EventHandler {
 public:
  RandomlyLosing(EventQueue& events, std::uint64_t seed) : events_(events), random_(seed, "losses") {}
  void send(const Shipment& shipment) override {
    ids_.push_back(shipment.id);
    events_.schedule(events_.now() + 10_us, *this, ids_.size() - 1);
  }

 private:
  void handle(std::uint64_t number) override {
    const MessageId id = ids_[number];
    if (random_.chance(0.4)) return id.listener->shipment_lost(id);
    id.listener->shipment_departed(id);
    id.listener->shipment_delivered(id);
  }

  EventQueue& events_;
  RandomStream random_;
  std::vector<MessageId> ids_;
};

// The receiver waits for some time and then cancels what has not come.
TEST(DroppedPayload, EachOfManyIsToldOnce) {
  std::size_t dropped = 0, received = 0;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(random_cases(100)); ++seed) {
    SCOPED_TRACE(seed);
    RandomStream random(seed, "messages");
    std::vector<Operation> sender, receiver;
    std::vector<std::uint64_t> payloads;
    Operation all = wait({});
    for (std::uint64_t i = 1; i <= 20; ++i) {
      sender.push_back(
          after(SimTime::from_ps(static_cast<std::int64_t>(random.below(20'000'000))),
                send(1, static_cast<std::int64_t>(random.below(4000)) + 1, static_cast<int>(i), i)));
      receiver.push_back(after(SimTime::from_ps(static_cast<std::int64_t>(random.below(20'000'000))),
                               receive(0, 4000, static_cast<int>(i), i)));
      all.requests.push_back(RequestId{i});
      payloads.push_back(1000 + i);
    }
    sender.insert(sender.end(), {all, exit()});
    receiver.push_back(receive(0, 8, 99, 21));  // does not come
    receiver.push_back(wait({21}));
    receiver.back().duration = 1_s;
    for (std::uint64_t i = 1; i <= 21; ++i) {
      Operation cancel = plain(OperationKind::cancel);
      cancel.request = RequestId{i};
      receiver.push_back(cancel);
    }
    all.requests.push_back(RequestId{21});
    receiver.insert(receiver.end(), {all, exit()});
    Machine machine = logp_machine(2);
    machine.transport = std::make_unique<RandomlyLosing>(*machine.events, seed);
    ScriptedSource source({sender, receiver});
    run_to_its_end(machine, source);
    EXPECT_EQ(accounted_for(source), payloads);
    dropped += source.dropped_payloads.size();
    received += payloads.size() - source.dropped_payloads.size();
  }
  EXPECT_GT(dropped, received / 4);
  EXPECT_GT(received, dropped / 4);
}

}  // namespace
}  // namespace morgana
