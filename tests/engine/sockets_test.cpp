// Rendezvous over a transport whose kernels copy what passes their sockets: nothing of it is free. The
// sender's kernel copies 2 ns a byte, the receiver's 1 ns; eager messages have at most 1000 B. The transport:
// frames of 1000 bytes, the first 10 us after the message, each other 4 us after the one before.

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

using namespace literals;
using namespace script;
using ::testing::ElementsAre;

class SocketTransport : public PacedTransport {
 public:
  using PacedTransport::PacedTransport;
  bool copies_in_kernels() const override { return true; }
};

constexpr SimTime one_frame = PacedTransport::first, next_frame = PacedTransport::gap;

std::vector<SimTime> ends_of(std::vector<std::vector<Operation>> scripts,
                             ByteCost send_copy = ByteCost::from_fs(2'000'000)) {
  Machine machine = logp_machine(scripts.size());
  machine.messages.eager_limit = Bytes(1000);
  machine.messages.send_per_byte = send_copy;
  machine.messages.receive_per_byte = ByteCost::from_fs(1'000'000);
  machine.transport = std::make_unique<SocketTransport>(*machine.events, false);
  ScriptedSource source(std::move(scripts));
  return Engine(machine, source, {}).run();
}

/// Request and clearance have come.
constexpr SimTime cleared = o_s + one_frame + one_frame;

TEST(Sockets, ARendezvousIsCopiedOnBothSidesWhileItsDataAreUnderWay) {
  // 8 frames. The first piece of 1000 B is copied before they leave; the sender's last copy, after 16 us, and
  // the receiver's others are behind the wire; the receiver's last piece is not.
  const SimTime there = cleared + 2_us + one_frame + 7 * next_frame;
  EXPECT_THAT(
      ends_of({{send(1, 8000, 0, 1), wait({1}), exit()}, {receive(0, 8000, 0, 1), wait({1}), exit()}}),
      ElementsAre(there, there + o_r + 1_us));
}

TEST(Sockets, CopiesThatAreSlowerThanTheWireAreWaitedFor) {
  // 10 ns a byte: 80 us in all, where the wire takes 48.
  const SimTime copied = cleared + 80_us;
  EXPECT_THAT(ends_of({{send(1, 8000, 0, 1), wait({1}), exit()}, {receive(0, 8000, 0, 1), wait({1}), exit()}},
                      ByteCost::from_fs(10'000'000)),
              ElementsAre(copied, copied + o_r + 1_us));
}

TEST(Sockets, ARanksMessagesAreCopiedOneAfterTheOther) {
  // To two receivers, cleared at the same time but for the second send's overhead.
  const std::vector<SimTime> ends = ends_of({{send(1, 8000, 0, 1), send(2, 8000, 0, 2), wait({1, 2}), exit()},
                                             {receive(0, 8000, 0, 1), wait({1}), exit()},
                                             {receive(0, 8000, 0, 1), wait({1}), exit()}});
  const SimTime first = cleared + 2_us + one_frame + 7 * next_frame;
  const SimTime second = cleared + 16_us + 2_us + one_frame + 7 * next_frame;
  EXPECT_THAT(ends, ElementsAre(second, first + o_r + 1_us, second + o_r + 1_us));
}

TEST(Sockets, AReceiverThatComesToItsMessageLateCopiesAllOfItThen) {
  // It computes while the data come; then all 8000 B are left to copy.
  const SimTime late = 500_us;
  EXPECT_EQ(ends_of({{send(1, 8000, 0, 1), wait({1}), exit()},
                     {receive(0, 8000, 0, 1), after(late, wait({1})), exit()}})
                .at(1),
            late + o_r + 8_us);
}

TEST(Sockets, AStepAtTheEagerLimitIsThatOfRequestAndClearance) {
  const auto end = [](std::int64_t bytes) {
    return ends_of({{send(1, bytes, 0, 1), wait({1}), exit()}, {receive(0, bytes, 0, 1), wait({1}), exit()}})
        .at(1);
  };
  // A byte more takes a frame more, too; of the copies only the first and the last piece are not behind the
  // wire.
  EXPECT_EQ(end(1001) - end(1000), 2 * one_frame + next_frame);
}

}  // namespace
}  // namespace morgana
