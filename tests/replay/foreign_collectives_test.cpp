#include <gmock/gmock.h>

#include "tests/replay/foreign_trace.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using testing::ForeignTrace;
using testing::ScorePTrace;

using enum OperationKind;

TEST_F(ForeignTrace, CollectivesGetTheirSizesFromTheTotals) {
  {
    ScorePTrace scorep = trace(4);
    const std::uint32_t none = OTF2_COLLECTIVE_ROOT_NONE;
    std::uint64_t t = 0;
    const auto call = [&](const char* name, OTF2_CollectiveOp operation, std::uint32_t root,
                          std::uint64_t sent, std::uint64_t received) {
      scorep.enter(1, t += 10, name);
      scorep.collective(1, t, t + 5, operation, ScorePTrace::world, root, sent, received);
      scorep.leave(1, t + 5, name);
    };
    call("MPI_Barrier", OTF2_COLLECTIVE_OP_BARRIER, none, 0, 0);
    call("MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, 1, 4 * 800, 800);
    call("MPI_Bcast", OTF2_COLLECTIVE_OP_BCAST, 0, 0, 800);
    call("MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, none, 4 * 16, 4 * 16);
    call("MPI_Allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE, none, 3 * 16 + 3, 3 * 16 + 3);
    call("MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, 1, 10, 40);
    call("MPI_Gather", OTF2_COLLECTIVE_OP_GATHER, 2, 10, 0);
    call("MPI_Gatherv", OTF2_COLLECTIVE_OP_GATHERV, 1, 10, 24);
    call("MPI_Alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV, none, 10, 8);
    call("MPI_Scan", OTF2_COLLECTIVE_OP_SCAN, none, 3 * 7, 2 * 7);
    call("MPI_Comm_dup", OTF2_COLLECTIVE_OP_CREATE_HANDLE, none, 0, 0);
    call("MPI_Comm_free", OTF2_COLLECTIVE_OP_DESTROY_HANDLE, none, 0, 0);
    scorep.finish(1000);
  }
  TraceSource source(folder_ / "trace");
  std::vector<CollectivePart> parts;
  const std::vector<Operation> operations = operations_of(source, 1);
  for (std::size_t i = 0; i < operations.size(); ++i) {
    if (operations[i].kind != collective) continue;
    parts.push_back(operations[i].collective);
    EXPECT_EQ(operations[i + 1].kind, wait);
    EXPECT_THAT(operations[i + 1].requests, ElementsAre(operations[i].request));
  }
  ASSERT_EQ(parts.size(), 11U);
  EXPECT_EQ(parts[0].kind, CollectiveKind::barrier);
  EXPECT_EQ(parts[1].bytes, Bytes(800));
  EXPECT_EQ(parts[1].root, 1);
  EXPECT_EQ(parts[2].bytes, Bytes(800));
  EXPECT_EQ(parts[2].root, 0);
  EXPECT_EQ(parts[3].bytes, Bytes(16));
  EXPECT_FALSE(parts[3].in_place);
  EXPECT_EQ(parts[4].bytes, Bytes(17));
  EXPECT_TRUE(parts[4].in_place);
  EXPECT_EQ(parts[5].bytes, Bytes(10));
  EXPECT_EQ(parts[6].bytes, Bytes(10));
  EXPECT_THAT(parts[7].receive_sizes, ElementsAre(Bytes(5), Bytes(10), Bytes(5), Bytes(4)));
  EXPECT_THAT(parts[8].send_sizes, ElementsAre(Bytes(3), Bytes(3), Bytes(2), Bytes(2)));
  EXPECT_THAT(parts[8].receive_sizes, ElementsAre(Bytes(2), Bytes(2), Bytes(2), Bytes(2)));
  EXPECT_EQ(parts[9].bytes, Bytes(7));
  EXPECT_EQ(parts[10].kind, CollectiveKind::create_context);
  EXPECT_EQ(operations[operations.size() - 2].kind, nothing);  // MPI_Comm_free
}

TEST_F(ForeignTrace, NonblockingCollectivesAreFoundOutByLookingAhead) {
  {
    ScorePTrace scorep = trace(2);
    scorep.enter(0, 10, "MPI_Iallreduce");
    scorep.icollective_request(0, 10, 7);
    scorep.leave(0, 20, "MPI_Iallreduce");
    scorep.enter(0, 50, "MPI_Wait");
    scorep.icollective(0, 60, OTF2_COLLECTIVE_OP_ALLREDUCE, ScorePTrace::world, OTF2_COLLECTIVE_ROOT_NONE, 16,
                       16, 7);
    scorep.leave(0, 60, "MPI_Wait");
    scorep.finish(100);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> operations = operations_of(source, 0);
  ASSERT_THAT(kinds_of(operations), ElementsAre(collective, wait, exit));
  EXPECT_EQ(operations[0].collective.kind, CollectiveKind::allreduce);
  EXPECT_EQ(operations[0].collective.bytes, Bytes(8));
  EXPECT_FALSE(operations[0].collective.blocking);
  EXPECT_THAT(operations[1].requests, ElementsAre(operations[0].request));
}

TEST_F(ForeignTrace, SubCommunicatorsAreAnnouncedBeforeTheirFirstUseAndNameWorldRanks) {
  {
    ScorePTrace scorep = trace(4);
    const std::uint32_t odd = scorep.communicator({3, 1});
    scorep.enter(1, 10, "MPI_Send");
    scorep.send(1, 10, 0, odd, 5, 100);
    scorep.leave(1, 20, "MPI_Send");
    scorep.enter(1, 30, "MPI_Barrier");
    scorep.collective(1, 30, 40, OTF2_COLLECTIVE_OP_BARRIER, odd, OTF2_COLLECTIVE_ROOT_NONE, 0, 0);
    scorep.leave(1, 40, "MPI_Barrier");
    scorep.enter(1, 50, "MPI_Barrier");
    scorep.collective(1, 50, 60, OTF2_COLLECTIVE_OP_BARRIER, ScorePTrace::self, OTF2_COLLECTIVE_ROOT_NONE, 0,
                      0);
    scorep.leave(1, 60, "MPI_Barrier");
    scorep.finish(100);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> operations = operations_of(source, 1);
  ASSERT_THAT(kinds_of(operations), ElementsAre(context_created, send, wait, collective, wait,
                                                context_created, collective, wait, exit));
  EXPECT_THAT(operations[0].members, ElementsAre(Rank{3}, Rank{1}));
  EXPECT_NE(operations[0].context, world_context);
  EXPECT_EQ(operations[1].context, operations[0].context);
  EXPECT_EQ(operations[1].peer, Rank{3});
  EXPECT_EQ(operations[1].elapsed, ns(10));
  EXPECT_EQ(operations[3].context, operations[0].context);
  EXPECT_THAT(operations[5].members, ElementsAre(Rank{1}));
  EXPECT_NE(operations[5].context, operations[0].context);
}

}  // namespace
}  // namespace morgana
