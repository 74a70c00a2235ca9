// Messages and accesses by RDMA.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/engine/rank_state.h"
#include "emulator/messaging/process_channel.h"
#include "emulator/transport/direct/direct.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "tests/engine/rdma_machine.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/messages.h"
#include "tests/transport/lossy_network.h"

namespace morgana {
namespace {

using namespace literals;
using namespace rdma;
using namespace script;
using ::testing::ElementsAre;
using testing::LossyNetwork;

// A request to send has 64 + 16 B, and its acknowledgement leaves its receiver first.
constexpr SimTime request_comes = sends + 80_ns + wire, after_its_ack = request_comes + 20_ns;

TEST(Rdma, ReadsAreAskedForByTheReceiverWhichTellsTheSender) {
  const SimTime asked = after_its_ack + 32_ns + wire;
  const SimTime whole = asked + 2 * 276_ns + 6 * 272_ns + wire;
  for (const SendMode mode : {SendMode::standard, SendMode::synchronous})
    EXPECT_THAT(ends_of(rdma_machine(EagerBy::send, RendezvousBy::read), message(2048, mode)),
                ElementsAre(whole + 80_ns + wire, whole + receives));
}

TEST(Rdma, WritesAreClearedAndFollowedByAMessage) {
  const SimTime cleared = after_its_ack + 80_ns + wire + 20_ns;
  const SimTime written = cleared + 288_ns + 7 * 272_ns;
  EXPECT_THAT(ends_of(rdma_machine(EagerBy::send, RendezvousBy::write), message(2048)),
              ElementsAre(written + wire + 20_ns + wire, written + 80_ns + wire + receives));
}

TEST(Rdma, WithoutItTheDataAreASendThatIsOverWhenTheyHaveLeft) {
  const SimTime sent = after_its_ack + 80_ns + wire + 20_ns + 8 * 272_ns;
  EXPECT_THAT(ends_of(rdma_machine(EagerBy::send, RendezvousBy::send), message(2048)),
              ElementsAre(sent, sent + wire + receives));
}

TEST(Rdma, BothSidesPrepareARendezvous) {
  for (const RendezvousBy by : {RendezvousBy::send, RendezvousBy::read, RendezvousBy::write}) {
    Machine prepared = rdma_machine(EagerBy::send, by);
    prepared.messages.rendezvous_overhead = 5_us;
    const auto with = ends_of(std::move(prepared), message(2048));
    // The acknowledgement of the request has left long before the answer does.
    const auto without = ends_of(rdma_machine(EagerBy::send, by), message(2048));
    EXPECT_EQ(with[1] - without[1], 10_us - 20_ns);
    EXPECT_EQ(with[0] - without[0], 10_us - 20_ns);
    Machine eager = rdma_machine(EagerBy::send, by);
    eager.messages.rendezvous_overhead = 5_us;
    EXPECT_EQ(ends_of(std::move(eager), message(500)),
              ends_of(rdma_machine(EagerBy::send, by), message(500)));
  }
}

TEST(Rdma, ShortMessagesAreNotMovedByRendezvous) {
  for (const RendezvousBy by : {RendezvousBy::send, RendezvousBy::read, RendezvousBy::write})
    EXPECT_THAT(ends_of(rdma_machine(EagerBy::send, by), message(500)),
                ElementsAre(sends, sends + 272_ns + 260_ns + wire + receives));
}

TEST(Rdma, WritesIntoRingBuffersHaveAnExtendedHeader) {
  EXPECT_THAT(ends_of(rdma_machine(EagerBy::write, RendezvousBy::read), message(500)),
              ElementsAre(sends, sends + 288_ns + 260_ns + wire + receives));
}

TEST(Rdma, AReceiverThatComesLateReadsThen) {
  for (const RendezvousBy by : {RendezvousBy::read, RendezvousBy::write}) {
    auto scripts = message(2048);
    scripts[1][0] = after(100_us, scripts[1][0]);
    const auto late = ends_of(rdma_machine(EagerBy::send, by), scripts);
    const auto in_time = ends_of(rdma_machine(EagerBy::send, by), message(2048));
    EXPECT_EQ(late[1] - in_time[1], 100_us - after_its_ack);
    EXPECT_EQ(late[0] - in_time[0], 100_us - after_its_ack);
  }
}

TEST(Rdma, ManyMessagesComeInOrderThoughPacketsAreLost) {
  for (const RendezvousBy by : {RendezvousBy::send, RendezvousBy::read, RendezvousBy::write}) {
    std::vector<std::vector<Operation>> scripts(2);
    for (int i = 0; i < 40; ++i) {
      const auto request = static_cast<std::uint64_t>(i) + 1;
      scripts[0].push_back(send(1, i % 2 == 0 ? 200 : 3000, 7, request));
      scripts[1].push_back(receive(0, i % 2 == 0 ? 200 : 3000, 7, request));
    }
    for (int rank = 0; rank < 2; ++rank) {
      for (std::uint64_t request = 1; request <= 40; ++request)
        scripts[static_cast<std::size_t>(rank)].push_back(wait({request}));
      scripts[static_cast<std::size_t>(rank)].push_back(exit());
    }
    const auto ends =
        ends_of(rdma_machine(EagerBy::send, by,
                             [](const Unit&, std::uint64_t ordinal) { return ordinal % 23 == 22; }),
                scripts);
    EXPECT_GT(ends[1], 60_us) << "40 messages of 64 kB in all";
  }
}

std::string failure_of(RendezvousBy by, std::uint32_t mute) {
  Machine machine = rdma_machine(EagerBy::send, by, [mute](const Unit& unit, std::uint64_t ordinal) {
    return unit.from == PortId{mute} && ordinal > 0;
  });
  ScriptedSource source(message(2048));
  Engine engine(machine, source, {});
  try {
    engine.run();
  } catch (const Deadlock& deadlock) {
    return deadlock.what();
  }
  return {};
}

TEST(Rdma, AQueuePairThatFailsEndsTheRunAndIsNamed) {
  // Host 1's first packet acknowledges the request to send; host 0's is the request.
  expect_message(failure_of(RendezvousBy::read, 1),
                 {"RDMA read of 2048 bytes", "rank 0", "rank 1", "tag 7", "7 retries"});
  expect_message(failure_of(RendezvousBy::read, 0),
                 {"RDMA read of 2048 bytes", "rank 0", "rank 1", "tag 7", "7 retries"});
  expect_message(failure_of(RendezvousBy::write, 1),
                 {"of 2048 bytes", "rank 0", "rank 1", "tag 7", "7 retries"});
  EXPECT_THAT(failure_of(RendezvousBy::write, 1), ::testing::Not(::testing::HasSubstr("RDMA read")));
  expect_message(failure_of(RendezvousBy::write, 0),
                 {"rank 1: waits in MPI_Waitall", "2048 bytes", "from rank 0", "tag 7", "7 retries"});
}

Operation access_to(std::int64_t bytes, std::int64_t reply) {
  Operation o = plain(OperationKind::access);
  o.call = Call::MPI_Put;
  o.peer = Rank{1};
  o.context = Context{7};
  o.request = RequestId{1};
  o.bytes = Bytes(bytes);
  o.reply = Bytes(reply);
  return o;
}

SimTime time_of_access(std::int64_t bytes, std::int64_t reply) {
  return ends_of(rdma_machine(EagerBy::send, RendezvousBy::read),
                 {{access_to(bytes, reply), wait({1}), exit()}, {exit()}})
      .at(0);
}

TEST(Rdma, APutIsAWriteAndAGetIsARead) {
  EXPECT_EQ(time_of_access(101, 0), sends + (16_ns + 16_ns + 104_ns) + wire + 20_ns + wire);
  EXPECT_EQ(time_of_access(0, 8), sends + 32_ns + wire + 28_ns + wire);
  EXPECT_EQ(time_of_access(0, 1001), sends + 32_ns + wire + 276_ns + 2 * 272_ns + (20_ns + 236_ns) + wire);
  // What does both is a message there and one back, of at least 64 B; the acknowledgement of the first comes
  // first.
  EXPECT_EQ(time_of_access(8, 8), sends + 80_ns + wire + 20_ns + 80_ns + wire);
}

TEST(ProcessChannel, IsTheSameBothWaysAndOfTwoProcesses) {
  EventQueue events;
  LossyNetwork network(events, 2);
  network.largest = Bytes(4300);
  const ReliableConnections connections(events, network, 2, {});
  EXPECT_EQ(channel_between(connections, Rank{3}, Rank{5}), channel_between(connections, Rank{5}, Rank{3}));
  EXPECT_NE(channel_between(connections, Rank{3}, Rank{5}), channel_between(connections, Rank{3}, Rank{4}));
  EXPECT_NE(channel_between(connections, Rank{0}, Rank{1}), channel_between(connections, Rank{1}, Rank{2}));
  const DirectTransport direct(network);
  EXPECT_EQ(channel_between(direct, Rank{3}, Rank{5}), 0U);
}

}  // namespace
}  // namespace morgana
