// Rendezvous over a transport whose kernels copy what passes their sockets: nothing of it is free. The
// sender's kernel copies 2 ns a byte, the receiver's 1 ns; eager messages have at most 1000 B. The transport:
// frames of 1000 bytes, the first 10 us after the message, each other 4 us after the one before.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/transport/interrupts/delivery_by_interrupt.h"
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

Machine machine_with_sockets(std::size_t ranks, ByteCost send_copy = ByteCost::from_fs(2'000'000),
                             ByteCost receive_copy = ByteCost::from_fs(1'000'000)) {
  Machine machine = logp_machine(ranks);
  machine.messages.eager_limit = Bytes(1000);
  machine.messages.send_per_byte = send_copy;
  machine.messages.receive_per_byte = receive_copy;
  machine.transport = std::make_unique<SocketTransport>(*machine.events, true);
  return machine;
}

std::vector<SimTime> ends_on(Machine machine, std::vector<std::vector<Operation>> scripts,
                             CausalityObserver* causes = nullptr) {
  ScriptedSource source(std::move(scripts));
  return Engine(machine, source, {}, causes).run();
}

std::vector<SimTime> ends_over_sockets(std::vector<std::vector<Operation>> scripts,
                                       ByteCost send_copy = ByteCost::from_fs(2'000'000),
                                       ByteCost receive_copy = ByteCost::from_fs(1'000'000)) {
  Machine machine = machine_with_sockets(scripts.size(), send_copy, receive_copy);
  return ends_on(std::move(machine), std::move(scripts));
}

/// Request and clearance have come.
constexpr SimTime cleared = o_s + one_frame + one_frame;

TEST(Sockets, ARendezvousIsCopiedOnBothSidesWhileItsDataAreUnderWay) {
  // 8 frames. The first piece of 1000 B is copied before they leave; the sender's last copy, after 16 us, and
  // the receiver's others are behind the wire; the receiver's last piece is not.
  const SimTime there = cleared + 2_us + one_frame + 7 * next_frame;
  EXPECT_THAT(ends_over_sockets(
                  {{send(1, 8000, 0, 1), wait({1}), exit()}, {receive(0, 8000, 0, 1), wait({1}), exit()}}),
              ElementsAre(there, there + o_r + 1_us));
}

TEST(Sockets, CopiesThatAreSlowerThanTheWireAreWaitedFor) {
  // 10 ns a byte: 80 us in all, where the wire takes 48.
  const SimTime copied = cleared + 80_us;
  EXPECT_THAT(ends_over_sockets(
                  {{send(1, 8000, 0, 1), wait({1}), exit()}, {receive(0, 8000, 0, 1), wait({1}), exit()}},
                  ByteCost::from_fs(10'000'000)),
              ElementsAre(copied, copied + o_r + 1_us));
}

TEST(Sockets, ARanksMessagesAreCopiedOneAfterTheOther) {
  // To two receivers, cleared at the same time but for the second send's overhead.
  const std::vector<SimTime> ends =
      ends_over_sockets({{send(1, 8000, 0, 1), send(2, 8000, 0, 2), wait({1, 2}), exit()},
                         {receive(0, 8000, 0, 1), wait({1}), exit()},
                         {receive(0, 8000, 0, 1), wait({1}), exit()}});
  const SimTime first = cleared + 2_us + one_frame + 7 * next_frame;
  const SimTime second = cleared + 16_us + 2_us + one_frame + 7 * next_frame;
  EXPECT_THAT(ends, ElementsAre(second, first + o_r + 1_us, second + o_r + 1_us));
}

TEST(Sockets, AReceiverThatComesToItsMessageLateCopiesAllOfItThen) {
  // It computes while the data come; then all 8000 B are left to copy.
  const SimTime late = 500_us;
  EXPECT_EQ(ends_over_sockets({{send(1, 8000, 0, 1), wait({1}), exit()},
                               {receive(0, 8000, 0, 1), after(late, wait({1})), exit()}})
                .at(1),
            late + o_r + 8_us);
}

TEST(Sockets, AStepAtTheEagerLimitIsThatOfRequestAndClearance) {
  const auto end = [](std::int64_t bytes) {
    return ends_over_sockets(
               {{send(1, bytes, 0, 1), wait({1}), exit()}, {receive(0, bytes, 0, 1), wait({1}), exit()}})
        .at(1);
  };
  // A byte more takes a frame more, too; of the copies only the first and the last piece are not behind the
  // wire.
  EXPECT_EQ(end(1001) - end(1000), 2 * one_frame + next_frame);
}

/// The frames of 8000 B that rank 0 gets: the first is there, and the last.
constexpr SimTime first_there = cleared + 2_us + one_frame, all_there = first_there + 7 * next_frame;

std::vector<Operation> sends_8000(std::uint64_t tag) {
  return {send(0, 8000, static_cast<int>(tag), tag), wait({tag}), exit()};
}

std::vector<Operation> receives_two(std::vector<Operation> then) {
  then.insert(then.begin(), {receive(1, 8000, 1, 1), receive(2, 8000, 2, 2)});
  then.push_back(exit());
  return then;
}

TEST(Sockets, SeveralMessagesAreReadWhileTheyCome) {
  // Two frames come every 4 us and are read in 2: of each message the last one is left.
  EXPECT_EQ(ends_over_sockets({receives_two({wait({1, 2})}), sends_8000(1), sends_8000(2)}).at(0),
            all_there + 2 * 1_us + 2 * o_r);
}

TEST(Sockets, SeveralMessagesAreReadFromTheirFirstPieceOnByASlowCopier) {
  // 10 us a frame: 16 of them, without a pause, from when the first is there.
  const ByteCost slow = ByteCost::from_fs(10'000'000);
  EXPECT_EQ(ends_over_sockets({receives_two({wait({1, 2})}), sends_8000(1), sends_8000(2)},
                              ByteCost::from_fs(2'000'000), slow)
                .at(0),
            first_there + 16 * 10_us + 2 * o_r);
}

TEST(Sockets, ARankThatWaitsForAnotherMessageReadsThemAll) {
  // The other one, of 8 B, comes when all has been read.
  const SimTime late = 500_us;
  EXPECT_EQ(ends_over_sockets({{receive(1, 8000, 1, 1), receive(2, 8, 2, 2), wait({2}), wait({1}), exit()},
                               sends_8000(1),
                               {after(late, send(0, 8, 2, 2)), wait({2}), exit()}})
                .at(0),
            late + o_s + 16_ns + one_frame + o_r + 8_ns + o_r);
}

TEST(Sockets, ATestReadsWhatIsThereWhenItBegins) {
  // At 40 us two frames are there; a third comes while they are read. The others are read as they come.
  const auto test = [] { return wait({1}, Completion::all, OperationKind::test); };
  Machine machine = machine_with_sockets(2);
  const SimTime poll = machine.messages.poll_cost;
  ScriptedSource source(
      {{receive(1, 8000, 1, 1), after(40_us, test()), test(), test(), wait({1}), exit()}, sends_8000(1)});
  const SimTime end = Engine(machine, source, {}).run().at(0);
  ASSERT_EQ(source.answers[0].size(), 4U);
  EXPECT_EQ(source.answers[0][0].clock, 40_us + 2 * 1_us + poll);
  EXPECT_EQ(source.answers[0][1].clock, 40_us + 3 * 1_us + 2 * poll);
  EXPECT_EQ(source.answers[0][2].clock, 40_us + 3 * 1_us + 3 * poll);
  EXPECT_EQ(end, all_there + 1_us + o_r);
}

TEST(Sockets, WhatCameWhileTheRankComputedIsReadByItsNextWait) {
  // Three frames have come; the wait reads them while the others come.
  const SimTime begin = first_there + 2 * next_frame + 1_us;
  EXPECT_EQ(
      ends_over_sockets({{receive(1, 8000, 1, 1), after(begin, wait({1})), exit()}, sends_8000(1)}).at(0),
      all_there + 1_us + o_r);
}

TEST(Sockets, NothingIsReadBeforeItsSenderHasCopiedIt) {
  // 20 us a frame at the sender, 15 at the receiver, and the wire is done before: what is told of the wire
  // alone would be read by then.
  const SimTime copied = cleared + 8 * 20_us;
  EXPECT_EQ(ends_over_sockets({{receive(1, 8000, 1, 1), wait({1}), exit()}, sends_8000(1)},
                              ByteCost::from_fs(20'000'000), ByteCost::from_fs(15'000'000))
                .at(0),
            copied + 15_us + o_r);
}

TEST(Sockets, AWaitThatReachesItsLimitReadsAsItsReplayDoes) {
  // A trace has such a wait as time that passes in its call.
  const ByteCost slow = ByteCost::from_fs(10'000'000);
  const auto end = [&](OperationKind kind) {
    Operation limited = wait({1});
    limited.kind = kind;
    limited.duration = first_there + 9_us;
    if (kind == OperationKind::sleep) limited.requests.clear();
    return ends_over_sockets(
               {{receive(1, 8000, 1, 1), limited, after(5_us, wait({1})), exit()}, sends_8000(1)},
               ByteCost::from_fs(2'000'000), slow)
        .at(0);
  };
  EXPECT_EQ(end(OperationKind::wait), end(OperationKind::sleep));
  EXPECT_EQ(end(OperationKind::wait), first_there + 8 * 10_us + o_r) << "it computes while one is read";
}

// Pieces have come while the rank computed: the next call reads them, though it is over in a moment.
TEST(Sockets, AWaitOfAMomentReadsWhatHasComeBeforeAsItsReplayDoes) {
  const auto end = [&](OperationKind kind) {
    Operation limited = after(first_there + next_frame + 1_us, wait({1}));
    limited.kind = kind;
    limited.duration = SimTime::from_ps(1);
    if (kind == OperationKind::sleep) limited.requests.clear();
    return ends_over_sockets(
               {{receive(1, 8000, 1, 1), limited, after(500_us, wait({1})), exit()}, sends_8000(1)},
               ByteCost::from_fs(2'000'000), ByteCost::from_fs(1'000'000'000))
        .at(0);
  };
  EXPECT_EQ(end(OperationKind::wait), end(OperationKind::sleep));
  EXPECT_EQ(end(OperationKind::wait), first_there + next_frame + 1_us + 8 * 1_ms + o_r)
      << "the first two are read from the moment on, the others from the wait on, without a pause";
}

class LastRelease final : public CausalityObserver {
 public:
  void released(const Release& release) override {
    if (release.who.rank == Rank{0}) last = std::max(last, release.at);
  }
  SimTime last;
};

TEST(Sockets, OnlyWhatIsReadAfterTheLastByteIsTheHosts) {
  LastRelease causes;
  ends_on(machine_with_sockets(2), {{receive(1, 8000, 1, 1), wait({1}), exit()}, sends_8000(1)}, &causes);
  EXPECT_EQ(causes.last, all_there);
}

TEST(Sockets, WhatIsReadWithoutAPauseIsTheHosts) {
  LastRelease causes;
  ends_on(machine_with_sockets(2, ByteCost::from_fs(2'000'000), ByteCost::from_fs(10'000'000)),
          {{receive(1, 8000, 1, 1), wait({1}), exit()}, sends_8000(1)}, &causes);
  EXPECT_EQ(causes.last, first_there);
}

/// Request, clearance and data each cost an interrupt.
TEST(Sockets, ARendezvousIsCopiedWhereAHostIsInterruptedForIt) {
  constexpr SimTime interrupt = 10_us;
  Machine machine = machine_with_sockets(2);
  machine.kernel = std::make_unique<Kernel>(
      *machine.events, 1, InterruptParameters{InterruptParameters::Handling::fixed, interrupt, 0});
  machine.transport =
      std::make_unique<DeliveryByInterrupt>(*machine.events, *machine.kernel, std::move(machine.transport));
  EXPECT_THAT(ends_on(std::move(machine), {{receive(1, 8000, 1, 1), wait({1}), exit()}, sends_8000(1)}),
              ElementsAre(all_there + 3 * interrupt + 1_us + o_r, all_there + 2 * interrupt));
}

/// Answers every question about itself with yes.
class Yes final : public PacedTransport {
 public:
  explicit Yes(EventQueue& events) : PacedTransport(events, false) {}
  bool keeps_elements_whole() const override { return true; }
  bool asks() const override { return true; }
  bool connects_processes() const override { return true; }
  bool copies_in_kernels() const override { return true; }
  Bytes unit_header() const override { return Bytes(7); }
};

TEST(Sockets, DeliveryByInterruptIsAsTheTransportThatItStandsBefore) {
  EventQueue events;
  Kernel kernel(events, 1, InterruptParameters{InterruptParameters::Handling::fixed, 1_us, 0});
  const DeliveryByInterrupt wrapper(events, kernel, std::make_unique<Yes>(events));
  EXPECT_TRUE(wrapper.keeps_elements_whole() && wrapper.asks() && wrapper.connects_processes() &&
              wrapper.copies_in_kernels());
  EXPECT_EQ(wrapper.unit_header(), Bytes(7));
}

}  // namespace
}  // namespace morgana
