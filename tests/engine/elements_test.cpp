// What a message is made of, on its way to the transport.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "tests/engine/paced_transport.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {
namespace elements {

using namespace script;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Runs = std::vector<ElementRun>;

/// Keeps what it was told of each shipment's elements.
class ElementKeeper : public PacedTransport {
 public:
  ElementKeeper(EventQueue& events, bool asks) : PacedTransport(events, true), asks_(asks) {}

  void send(const Shipment& shipment) override {
    told.emplace_back(shipment.elements.begin(), shipment.elements.end());
    streamed.push_back(shipment.streamed);
    PacedTransport::send(shipment);
  }
  bool keeps_elements_whole() const override { return asks_; }

  std::vector<Runs> told;
  std::vector<bool> streamed;

 private:
  bool asks_;
};

struct Told {
  std::vector<Runs> elements;
  std::vector<bool> streamed;
};

/// Of one message of 20 bytes: an int and two doubles.
Told told(Call call, bool asks, Bytes eager_limit = Bytes(1 << 20)) {
  Operation packed = send(1, 20, 5, 1);
  packed.call = call;
  packed.parts = {{3, 1, 4}, {6, 2, 20}};
  ScriptedSource source({{packed, wait({1}), exit()}, {receive(0, 20, 5, 1), wait({1}), exit()}});
  Machine machine = paced_machine(2);
  machine.messages.eager_limit = eager_limit;
  auto transport = std::make_unique<ElementKeeper>(*machine.events, asks);
  const ElementKeeper& keeper = *transport;
  machine.transport = std::move(transport);
  Engine(machine, source, {}).run();
  return {keeper.told, keeper.streamed};
}

const Runs int_and_doubles{{Bytes(4), Bytes(4)}, {Bytes(8), Bytes(16)}};

TEST(Elements, ComeToATransportThatKeepsThemWhole) {
  EXPECT_THAT(told(Call::pvm_send, true).elements, ElementsAre(int_and_doubles));
  EXPECT_THAT(told(Call::pvm_send, false).elements, ElementsAre(IsEmpty()));
}

// Request and clearance of a rendezvous have none.
TEST(Elements, ComeWithTheDataOfARendezvous) {
  EXPECT_THAT(told(Call::MPI_Send, true, Bytes(0)).elements,
              ElementsAre(IsEmpty(), IsEmpty(), int_and_doubles));
}

// MPI has no call that takes a message out part by part.
TEST(Elements, OfMpiDoNotMakeAMessageStreamed) {
  EXPECT_THAT(told(Call::MPI_Send, true).elements, ElementsAre(int_and_doubles));
  EXPECT_THAT(told(Call::MPI_Send, true).streamed, ElementsAre(false));
  EXPECT_THAT(told(Call::pvm_send, true).streamed, ElementsAre(true));
}

}  // namespace elements
}  // namespace
}  // namespace morgana
