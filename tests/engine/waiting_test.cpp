#include <gmock/gmock.h>

#include "emulator/report/run_statistics.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

/// The parts of a blocking call.
Operation first(Call call, Operation operation) {
  operation.part = CallPart::first;
  operation.call = call;
  return operation;
}
Operation last(Call call, Operation operation) {
  operation.part = CallPart::last;
  operation.call = call;
  return operation;
}

RunStatistics run(std::vector<std::vector<Operation>> scripts) {
  const std::size_t ranks = scripts.size();
  ScriptedSource source(std::move(scripts));
  Machine machine = logp_machine(ranks);
  RunStatistics statistics(ranks);
  OperationObserver* const observers[] = {&statistics};
  Engine engine(machine, source, observers);
  engine.run();
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    SimTime sum;
    for (const CallUse& use : statistics.calls(Rank(static_cast<std::int32_t>(rank)))) sum += use.time;
    EXPECT_EQ(sum, statistics.ranks()[rank].communication) << "rank " << rank;
  }
  return statistics;
}

CallUse use(const RunStatistics& statistics, int rank, Call call) {
  for (const CallUse& use : statistics.calls(Rank{rank}))
    if (use.call == call) return use;
  return {};
}

// The machine: o_s 1 us, o_r 1.3 us, L 5 us, G 1 ns a byte; rendezvous above 4096 bytes; control messages of
// 1 byte. The first byte of a message is not paid for: k bytes take L + (k - 1) G.

TEST(Waiting, OfAReceiveForALateSenderEndsWhenTheSendBegins) {
  // Rank 1 enters MPI_Recv at 10 us, rank 0 MPI_Send at 30 us. The message leaves at 31 us, is there at
  // 31 + 5 + 0.1 us - 1 ns (101 bytes: 100 G), and costs 1.3 us: 37.4 us.
  const RunStatistics statistics =
      run({{after(30_us, first(Call::MPI_Send, send(1, 101, 5, 1))), last(Call::MPI_Send, wait({1})), exit()},
           {after(10_us, first(Call::MPI_Recv, receive(0, 101, 5, 1))), last(Call::MPI_Recv, wait({1})),
            exit()}});
  const CallUse received = use(statistics, 1, Call::MPI_Recv);
  EXPECT_EQ(received.count, 1u);
  EXPECT_EQ(received.bytes, 101_B);
  EXPECT_EQ(received.time, 27'400_ns);
  EXPECT_EQ(received.late_sender, 20_us);
  EXPECT_EQ(received.waiting(), 20_us);
  const CallUse sent = use(statistics, 0, Call::MPI_Send);
  EXPECT_EQ(sent.time, 1_us);
  EXPECT_EQ(sent.bytes, 101_B);
  EXPECT_EQ(sent.waiting(), 0_us);
}

TEST(Waiting, OfASendForALateReceiverEndsWhenTheReceiveIsPosted) {
  // Rank 0 enters MPI_Send at 0, whose 8001 bytes need a clearance; rank 1 enters MPI_Recv at 40 us, when the
  // request has been there for long.
  const RunStatistics statistics =
      run({{first(Call::MPI_Send, send(1, 8001, 5, 1)), last(Call::MPI_Send, wait({1})), exit()},
           {after(40_us, first(Call::MPI_Recv, receive(0, 8001, 5, 1))), last(Call::MPI_Recv, wait({1})),
            exit()}});
  const CallUse sent = use(statistics, 0, Call::MPI_Send);
  EXPECT_EQ(sent.late_receiver, 40_us);
  EXPECT_EQ(sent.waiting(), 40_us);
  // The clearance takes 5 us; then the last of the data leaves 8 us later.
  EXPECT_EQ(sent.time, 53_us);
  EXPECT_EQ(use(statistics, 1, Call::MPI_Recv).waiting(), 0_us);
}

TEST(Waiting, OfASendWhoseReceiveWasPostedWhileTheRequestWasUnderWayIsCountedUpToThat) {
  // The request leaves at 1 us and is there at 6 us; the receive is posted at 4 us.
  const RunStatistics statistics =
      run({{first(Call::MPI_Ssend, send(1, 8001, 5, 1)), last(Call::MPI_Ssend, wait({1})), exit()},
           {after(4_us, first(Call::MPI_Recv, receive(0, 8001, 5, 1))), last(Call::MPI_Recv, wait({1})),
            exit()}});
  EXPECT_EQ(use(statistics, 0, Call::MPI_Ssend).late_receiver, 4_us);
}

TEST(Waiting, AtACollectiveEndsWhenItsLastMemberEnters) {
  // Ranks enter MPI_Barrier at 5, 12 and 50 us.
  std::vector<std::vector<Operation>> scripts;
  const SimTime entered[] = {5_us, 12_us, 50_us};
  for (const SimTime at : entered)
    scripts.push_back({after(at, first(Call::MPI_Barrier, collective(CollectiveKind::barrier, 0, 1))),
                       last(Call::MPI_Barrier, wait({1})), exit()});
  const RunStatistics statistics = run(std::move(scripts));
  EXPECT_EQ(use(statistics, 0, Call::MPI_Barrier).collective_wait, 45_us);
  EXPECT_EQ(use(statistics, 1, Call::MPI_Barrier).collective_wait, 38_us);
  EXPECT_EQ(use(statistics, 2, Call::MPI_Barrier).waiting(), 0_us);
  const std::vector<CallUse> all = statistics.calls();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].count, 3u);
  EXPECT_EQ(all[0].collective_wait, 83_us);
}

TEST(Waiting, AtABroadcastIsForItsRootAndAtAReductionForTheFirstWhoGives) {
  // Broadcast from rank 1: rank 0 enters at 3 us, the root at 20 us, rank 2 later than the root.
  const auto part = [](CollectiveKind kind, SimTime at, int root) {
    return std::vector<Operation>{after(at, first(Call::MPI_Bcast, collective(kind, 8, 1, root))),
                                  last(Call::MPI_Bcast, wait({1})), exit()};
  };
  const RunStatistics broadcast =
      run({part(CollectiveKind::broadcast, 3_us, 1), part(CollectiveKind::broadcast, 20_us, 1),
           part(CollectiveKind::broadcast, 60_us, 1)});
  EXPECT_EQ(use(broadcast, 0, Call::MPI_Bcast).collective_wait, 17_us);
  EXPECT_EQ(use(broadcast, 1, Call::MPI_Bcast).waiting(), 0_us);
  EXPECT_EQ(use(broadcast, 2, Call::MPI_Bcast).waiting(), 0_us);
  // Gather at rank 0, which enters at 2 us; the first of the others enters at 9 us.
  const RunStatistics gather =
      run({part(CollectiveKind::gather, 2_us, 0), part(CollectiveKind::gather, 9_us, 0),
           part(CollectiveKind::gather, 30_us, 0)});
  EXPECT_EQ(use(gather, 0, Call::MPI_Bcast).collective_wait, 7_us);
  EXPECT_EQ(use(gather, 1, Call::MPI_Bcast).waiting(), 0_us);
}

TEST(Waiting, OfAWaitForSeveralIsForTheLastOfThem) {
  // Rank 2 enters MPI_Waitall at 10 us; its senders begin at 15 and 40 us.
  const RunStatistics statistics =
      run({{after(15_us, send(2, 1, 5, 1)), wait({1}), exit()},
           {after(40_us, send(2, 1, 5, 1)), wait({1}), exit()},
           {receive(0, 1, 5, 1), receive(1, 1, 5, 2), after(10_us, wait({1, 2})), exit()}});
  EXPECT_EQ(use(statistics, 2, Call::MPI_Waitall).late_sender, 30_us);
  EXPECT_EQ(use(statistics, 2, Call::MPI_Irecv).waiting(), 0_us);
}

}  // namespace
}  // namespace morgana
