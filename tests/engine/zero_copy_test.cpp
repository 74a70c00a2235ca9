// Eager messages that the NIC fetches from their sender's buffer (messages.zero-copy-from).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "tests/engine/rdma_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace rdma;
using namespace script;
using ::testing::ElementsAre;
using testing::LossyNetwork;

constexpr SimTime finds = 30_ns, takes_buffer = 7_ns;

/// From 400 B on; copies take 1 ns a byte at the sender and 2 ns at the receiver.
Machine machine_with(LossyNetwork::Script script = nullptr, Bytes inline_limit = {}) {
  Machine machine = rdma_machine(EagerBy::send, RendezvousBy::read, std::move(script), inline_limit);
  machine.messages.send_per_byte = ByteCost::from_fs(1'000'000);
  machine.messages.receive_per_byte = ByteCost::from_fs(2'000'000);
  machine.messages.zero_copy_from = Bytes(400);
  machine.messages.zero_copy_overhead = finds;
  machine.messages.buffer_overhead = takes_buffer;
  return machine;
}

// 500 B are packets of 272 and 260 B.
constexpr SimTime there = sends + finds + 532_ns + wire;

TEST(ZeroCopy, TheSendIsOverWhenTheMessageIsAcknowledged) {
  EXPECT_THAT(ends_of(machine_with(), message(500)),
              ElementsAre(there + 20_ns + wire, there + receives + 1000_ns));
  Machine written = machine_with();
  written.messages.eager = EagerBy::write;
  EXPECT_THAT(ends_of(std::move(written), message(500)),
              ElementsAre(there + 16_ns + 20_ns + wire, there + 16_ns + receives + 1000_ns));
}

TEST(ZeroCopy, ShorterMessagesAreCopiedIntoABufferAndOverAtOnce) {
  const SimTime ready = sends + takes_buffer + 399_ns;
  EXPECT_THAT(ends_of(machine_with(), message(399)),
              ElementsAre(ready, ready + 272_ns + 160_ns + wire + receives + 798_ns));
}

TEST(ZeroCopy, InlineMessagesNeedNoBuffer) {
  for (const std::int64_t bytes : {99, 100}) {
    const SimTime ready = sends + SimTime::from_ps(bytes * 1000);
    EXPECT_EQ(ends_of(machine_with(nullptr, Bytes(100)), message(bytes))[0], ready);
    EXPECT_EQ(ends_of(machine_with(nullptr, Bytes(99)), message(100))[0], sends + 100_ns + takes_buffer);
  }
  // The envelope is in the work request, too.
  Machine enveloped = machine_with(nullptr, Bytes(100));
  enveloped.messages.envelope = Bytes(1);
  EXPECT_EQ(ends_of(std::move(enveloped), message(100))[0], sends + 100_ns + takes_buffer);
}

TEST(ZeroCopy, WhatIsInlineIsCopiedAtAnySize) {
  EXPECT_EQ(ends_of(machine_with(nullptr, Bytes(600)), message(500))[0], sends + 500_ns);
}

TEST(ZeroCopy, TheSendDoesNotWaitForTheReceive) {
  auto scripts = message(500);
  scripts[1][0] = after(100_us, scripts[1][0]);
  EXPECT_THAT(ends_of(machine_with(), scripts),
              ElementsAre(there + 20_ns + wire, 100_us + receives + 1000_ns));
}

TEST(ZeroCopy, ASynchronousSendWaitsForTheMatch) {
  // Its packets' acknowledgement leaves first, then the 64 + 16 B that tell of the match.
  EXPECT_THAT(ends_of(machine_with(), message(500, SendMode::synchronous)),
              ElementsAre(there + 20_ns + 80_ns + wire, there + receives + 1000_ns));
}

TEST(ZeroCopy, ABufferedSendHasCopiedAndIsOverAtOnce) {
  EXPECT_THAT(ends_of(machine_with(), message(500, SendMode::buffered)),
              ElementsAre(sends + finds + 500_ns, there + 500_ns + receives + 1000_ns));
}

TEST(ZeroCopy, LongerMessagesGoByRendezvous) {
  Machine never = machine_with();
  never.messages.zero_copy_from = Bytes();
  EXPECT_EQ(ends_of(machine_with(), message(1001)), ends_of(std::move(never), message(1001)));
}

TEST(ZeroCopy, RanksOfOneHostCopy) {
  Machine together = machine_with();
  together.host_of = {HostId{0}, HostId{0}};
  together.messages.copy_per_byte = ByteCost::from_fs(1'000'000);
  EXPECT_THAT(ends_of(std::move(together), message(500)), ElementsAre(500_ns, 1000_ns));
}

TEST(ZeroCopy, MessagesUnderWayAreNotTakenBack) {
  Operation cancel = plain(OperationKind::cancel);
  cancel.request = RequestId{1};
  Machine machine = machine_with();
  ScriptedSource source({{send(1, 500, 7, 1), cancel, wait({1}), exit()},
                         {after(10_us, receive(0, 500, 7, 1)), wait({1}), exit()}});
  EXPECT_THAT(Engine(machine, source, {}).run(),
              ElementsAre(there + 20_ns + wire, 10_us + receives + 1000_ns));
}

TEST(ZeroCopy, ASendWhoseAcknowledgementsAreLostLearnsOfTheFailureThoughItsMessageHasCome) {
  for (const SimTime received_at : {SimTime(), 1_s}) {
    Machine machine = machine_with([](const Unit& unit, std::uint64_t) { return unit.from == PortId{1}; });
    auto scripts = message(500);
    scripts[1][0] = after(received_at, scripts[1][0]);
    ScriptedSource source(std::move(scripts));
    Engine engine(machine, source, {});
    engine.run();
    ASSERT_EQ(source.answers[0].size(), 1U);
    ASSERT_EQ(source.answers[1].size(), 1U);
    EXPECT_EQ(source.answers[0][0].completed.at(0).outcome, Outcome::given_up);
    EXPECT_EQ(source.answers[1][0].completed.at(0).outcome, Outcome::delivered);
    EXPECT_EQ(source.answers[1][0].completed.at(0).payload, 1007U);
  }
}

TEST(ZeroCopy, ManyMessagesComeInOrderThoughPacketsAreLost) {
  std::vector<std::vector<Operation>> scripts(2);
  const auto bytes = [](std::uint64_t number) {
    return number % 3 == 0 ? 300 : number % 3 == 1 ? 700 : 3000;
  };
  for (std::uint64_t request = 1; request <= 60; ++request) {
    scripts[0].push_back(send(1, bytes(request), 7, request));
    scripts[1].push_back(after(SimTime::from_ps(static_cast<std::int64_t>(request % 5) * 1'000'000),
                               receive(0, bytes(request), 7, request)));
  }
  for (auto& script : scripts) {
    for (std::uint64_t request = 1; request <= 60; ++request) script.push_back(wait({request}));
    script.push_back(exit());
  }
  const auto lossy = [](const Unit&, std::uint64_t ordinal) { return ordinal % 23 == 22; };
  EXPECT_GT(ends_of(machine_with(lossy), scripts)[1], 80_us) << "80 kB in all";
}

// ---- when receivers copy (messages.receive-copies)

Machine copies_in_progress() {
  Machine machine = machine_with();
  machine.messages.receive_copies = ReceiveCopies::in_progress;
  return machine;
}

TEST(ReceiveCopies, OneMessageTakesAsLongEitherWay) {
  for (const std::int64_t bytes : {0, 300, 500, 2000}) {
    for (const SimTime computes : {SimTime(), 100_us}) {
      auto posted_late = message(bytes), waited_for_late = message(bytes);
      posted_late[1][0] = after(computes, posted_late[1][0]);
      waited_for_late[1][1] = after(computes, waited_for_late[1][1]);
      EXPECT_EQ(ends_of(copies_in_progress(), posted_late), ends_of(machine_with(), posted_late)) << bytes;
      EXPECT_EQ(ends_of(copies_in_progress(), waited_for_late), ends_of(machine_with(), waited_for_late));
    }
  }
}

// 300 B are copied in 600 ns: that of tag 7 is, while the rank waits for that of tag 8.
TEST(ReceiveCopies, InProgressACallThatWaitsForAnotherOneCopies) {
  const std::vector<std::vector<Operation>> scripts{
      {send(1, 300, 7, 1), after(10_us, send(1, 300, 8, 2)), wait({1, 2}), exit()},
      {receive(0, 300, 7, 1), receive(0, 300, 8, 2), wait({2}), wait({1}), exit()}};
  const SimTime copied_in = sends + takes_buffer + 300_ns;
  const SimTime second_comes = 2 * copied_in + 10_us + 272_ns + 60_ns + wire;
  EXPECT_EQ(ends_of(machine_with(), scripts)[1], second_comes + 2 * (receives + 600_ns));
  EXPECT_EQ(ends_of(copies_in_progress(), scripts)[1], second_comes + 2 * receives + 600_ns);
}

// Both ranks send and wait for that, then for what they get: the NIC holds the buffers while they copy.
TEST(ReceiveCopies, InProgressARankCopiesWhileItsSendsWait) {
  std::vector<std::vector<Operation>> scripts(2);
  for (int rank = 0; rank < 2; ++rank) {
    auto& script = scripts[static_cast<std::size_t>(rank)];
    for (std::uint64_t i = 1; i <= 10; ++i) script.push_back(receive(1 - rank, 800, 7, i));
    for (std::uint64_t i = 11; i <= 20; ++i) script.push_back(send(1 - rank, 800, 7, i));
    for (std::uint64_t i = 11; i <= 20; ++i) script.push_back(wait({i}));
    for (std::uint64_t i = 1; i <= 10; ++i) script.push_back(wait({i}));
    script.push_back(exit());
  }
  const SimTime late = ends_of(machine_with(), scripts)[0];
  const SimTime early = ends_of(copies_in_progress(), scripts)[0];
  EXPECT_LT(early, late - 5 * 1600_ns);
  EXPECT_GT(early, 10 * (sends + finds + 1600_ns + receives));
}

}  // namespace
}  // namespace morgana
