#include <gtest/gtest.h>

#include <optional>
#include <tuple>
#include <vector>

#include "emulator/network/fabric/switch/crossbar.h"
#include "emulator/network/fabric/switch/input_arbiter.h"
#include "emulator/network/fabric/switch/input_queues.h"
#include "emulator/network/fabric/switch/next_tries.h"
#include "emulator/network/fabric/switch/output_queues.h"
#include "emulator/network/fabric/switch/port_states.h"

namespace morgana::fabric {
namespace {

SimTime at(std::int64_t ps) {
  return SimTime::from_ps(ps);
}

/// Packets of 100 bytes from an input to an output, on virtual channel 0 of two.
class SwitchParts : public ::testing::Test {
 protected:
  Slot packet(PortNumber input, PortNumber output, unsigned group = 0) {
    const Slot slot = packets_.take();
    Packet& made = packets_[slot];
    made.size = Bytes(100);
    made.input = input;
    made.output = output;
    made.group = static_cast<std::uint8_t>(group);
    return slot;
  }
  static std::vector<Slot> fronts(const InputQueues& queues, PortNumber output) {
    std::vector<Slot> found;
    queues.for_fronts(output, [&](std::uint32_t, Slot slot) { found.push_back(slot); });
    return found;
  }
  Packets packets_;
};

TEST_F(SwitchParts, AnInputsOneQueueShowsAnOutputOnlyItsFirstPacket) {
  InputQueues queues(packets_, Queueing::input_queues, 4, 2);
  const Slot first = packet(1, 0), second = packet(1, 3), third = packet(1, 3);
  EXPECT_TRUE(queues.push(first));
  EXPECT_FALSE(queues.push(second));
  EXPECT_FALSE(queues.push(third));
  EXPECT_EQ(fronts(queues, 0), std::vector{first});
  EXPECT_FALSE(queues.has_fronts(3)) << "it stands behind another output's packet";
  EXPECT_EQ(queues.pop(2, 0), PortNumber{3});
  EXPECT_FALSE(queues.has_fronts(0));
  EXPECT_EQ(fronts(queues, 3), std::vector{second});
  EXPECT_EQ(queues.pop(2, 3), std::nullopt) << "the next one goes to the same output";
  EXPECT_EQ(fronts(queues, 3), std::vector{third});
}

TEST_F(SwitchParts, VirtualOutputQueuesShowEachOutputItsPacket) {
  InputQueues queues(packets_, Queueing::virtual_output_queues, 4, 2);
  const Slot first = packet(1, 0), second = packet(1, 3);
  EXPECT_TRUE(queues.push(first));
  EXPECT_TRUE(queues.push(second));
  EXPECT_EQ(fronts(queues, 0), std::vector{first});
  EXPECT_EQ(fronts(queues, 3), std::vector{second});
  EXPECT_EQ(queues.pop(2, 0), std::nullopt);
  EXPECT_EQ(fronts(queues, 3), std::vector{second});
}

// An output that fails: packets for others stay in their order, and the queue has a new first one.
TEST_F(SwitchParts, PacketsOfOneOutputAreTakenOutFromBetweenOthers) {
  InputQueues queues(packets_, Queueing::input_queues, 4, 2);
  const std::vector<Slot> slots{packet(1, 0), packet(1, 2), packet(1, 0), packet(1, 3)};
  for (const Slot slot : slots) queues.push(slot);
  std::vector<Slot> taken;
  std::vector<PortNumber> offered;
  queues.take_out(
      0, [&](Slot slot) { taken.push_back(slot); }, [&](PortNumber output) { offered.push_back(output); });
  EXPECT_EQ(taken, (std::vector{slots[0], slots[2]}));
  EXPECT_EQ(offered, std::vector<PortNumber>{2});
  EXPECT_EQ(fronts(queues, 2), std::vector{slots[1]});
  EXPECT_EQ(queues.pop(2, 2), PortNumber{3});
}

TEST_F(SwitchParts, InputsAreServedRoundRobinOrByAge) {
  using Candidate = InputArbiter::Candidate;
  const Candidate old{.packet = 7, .queue = 5, .number = 1}, young{.packet = 8, .queue = 2, .number = 9};
  for (const auto& [arbitration, next, chosen] : {std::tuple{InputArbitration::oldest, 2U, 7U},
                                                  {InputArbitration::round_robin, 2U, 8U},
                                                  {InputArbitration::round_robin, 3U, 7U},
                                                  {InputArbitration::round_robin, 6U, 8U}}) {
    InputArbiter arbiter(arbitration, 1);
    arbiter.begin();
    arbiter.propose(old, next);
    arbiter.propose(young, next);
    EXPECT_EQ(arbiter.proposed(), only(0));
    EXPECT_EQ(arbiter.chosen(0).packet, chosen) << next;
  }
}

TEST_F(SwitchParts, AnOutputsQueueCountsThePacketThatIsBeingSent) {
  OutputQueues queues(packets_, true, 2, 2);
  const Slot first = packet(0, 1, 1), second = packet(0, 1, 1);
  queues.push(first);
  queues.push(second);
  EXPECT_EQ(queues.filled(1), only(1));
  EXPECT_EQ(queues.pop(1, 1), first);
  queues.send(packets_[first], at(10));
  EXPECT_EQ(queues.queued(1, 1), Bytes(100));
  EXPECT_EQ(queues.held(1, 1, at(9)), Bytes(200));
  EXPECT_EQ(queues.held(1, 1, at(10)), Bytes(100)) << "it has left";
  EXPECT_EQ(queues.held(1, 0, at(9)), Bytes(0)) << "another group's queue";
  // 100 B are queued, 100 B are on the link, and the packet itself has 100 B.
  const Packet& next = packets_[packet(0, 1, 1)];
  EXPECT_TRUE(queues.has_space(next, Bytes(300), 0, at(9)));
  EXPECT_FALSE(queues.has_space(next, Bytes(299), 0, at(9)));
  EXPECT_TRUE(queues.has_space(next, Bytes(299), 0, at(10)));
  EXPECT_FALSE(queues.has_space(next, Bytes(0), 2, at(9)));
  EXPECT_TRUE(queues.has_space(next, Bytes(0), 2, at(10)));
  EXPECT_EQ(queues.pop(1, 1), second);
  EXPECT_EQ(queues.filled(1), GroupSet{0});
}

TEST_F(SwitchParts, PortsCountWhatWaitsWithItsGaps) {
  PortStates ports(3, 1, true, Bytes(20));
  const Packet& one = packets_[packet(0, 2)];
  ports.await(one);
  ports.await(one);
  EXPECT_EQ(ports.waiting(), 2);
  EXPECT_EQ(ports.waiting_for(2), Bytes(240));
  ports.leave(one);
  ports.leave(one);
  EXPECT_FALSE(ports.is_awaited(2));
  EXPECT_EQ(ports.waiting_for(2), Bytes(0));
}

TEST_F(SwitchParts, ARoundBeginsOneOutputFurtherAfterAStart) {
  NextTries tries(3);
  std::vector<PortNumber> turns;
  const auto round = [&](std::int64_t now, bool starts) {
    for (PortNumber output = 0; output < 3; ++output) tries.set(output, at(now));
    turns.clear();
    tries.round(at(now), [&](PortNumber output) {
      turns.push_back(output);
      return NextTries::Attempt{at(now + 10 + output), starts};
    });
  };
  round(0, false);
  EXPECT_EQ(turns, (std::vector<PortNumber>{0, 1, 2}));
  EXPECT_EQ(tries.soonest(), at(10));
  round(20, true);
  EXPECT_EQ(turns, (std::vector<PortNumber>{0, 1, 2}));
  round(40, true);
  EXPECT_EQ(turns, (std::vector<PortNumber>{1, 2, 0}));
}

TEST_F(SwitchParts, ACrossbarsGroupsTakeTurns) {
  Crossbar crossbar(2, 3);
  EXPECT_EQ(crossbar.take(0, only(0) | only(2)), 0U);
  EXPECT_EQ(crossbar.take(0, only(0) | only(2)), 2U);
  EXPECT_EQ(crossbar.take(0, only(0) | only(2)), 0U);
  EXPECT_EQ(crossbar.take(1, only(2)), 2U) << "of each output by itself";
}

}  // namespace
}  // namespace morgana::fabric
