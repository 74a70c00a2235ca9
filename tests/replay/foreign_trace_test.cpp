#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "replay/trace_source.h"
#include "tests/support/otf2_leaks.h"
#include "tests/support/score_p_trace.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScorePTrace;
using testing::TemporaryFolder;

SimTime ns(std::int64_t count) {
  return SimTime::from_ps(1000 * count);
}

/// A rank's operations, its exit included.
std::vector<Operation> operations_of(TraceSource& source, std::int32_t rank) {
  std::vector<Operation> operations;
  do {
    source.next(Rank{rank}, operations.emplace_back());
  } while (operations.back().kind != OperationKind::exit);
  return operations;
}

std::vector<OperationKind> kinds_of(const std::vector<Operation>& operations) {
  std::vector<OperationKind> kinds;
  for (const Operation& operation : operations) kinds.push_back(operation.kind);
  return kinds;
}

class ForeignTrace : public ::testing::Test {
 protected:
  ScorePTrace trace(std::uint32_t ranks, ScorePTrace::Options options = {}) {
    return ScorePTrace(folder_ / "trace", ranks, options);
  }
  TemporaryFolder folder_;
};

using enum OperationKind;

TEST_F(ForeignTrace, BlockingPingPongIsSendsReceivesAndTheirWaits) {
  {
    ScorePTrace scorep = trace(2);
    scorep.enter(0, 100, "MPI_Send");
    scorep.send(0, 100, 1, ScorePTrace::world, 5, 4096);
    scorep.leave(0, 300, "MPI_Send");
    scorep.enter(0, 1000, "MPI_Recv");
    scorep.receive(0, 1900, 1, ScorePTrace::world, 6, 64);
    scorep.leave(0, 2000, "MPI_Recv");
    scorep.enter(1, 50, "MPI_Recv");
    scorep.receive(1, 400, 0, ScorePTrace::world, 5, 4096);
    scorep.leave(1, 400, "MPI_Recv");
    scorep.enter(1, 500, "MPI_Ssend");
    scorep.send(1, 500, 0, ScorePTrace::world, 6, 64);
    scorep.leave(1, 1500, "MPI_Ssend");
    scorep.finish(2500);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> first = operations_of(source, 0);
  ASSERT_THAT(kinds_of(first), ElementsAre(send, wait, receive, wait, exit));
  EXPECT_EQ(first[0].peer, Rank{1});
  EXPECT_EQ(first[0].tag, Tag{5});
  EXPECT_EQ(first[0].bytes, Bytes(4096));
  EXPECT_EQ(first[0].context, world_context);
  EXPECT_EQ(first[0].call, Call::MPI_Send);
  EXPECT_EQ(first[0].part, CallPart::first);
  EXPECT_EQ(first[0].elapsed, ns(100));
  EXPECT_THAT(first[1].requests, ElementsAre(first[0].request));
  EXPECT_EQ(first[1].part, CallPart::last);
  EXPECT_EQ(first[1].elapsed, SimTime());
  EXPECT_EQ(first[2].elapsed, ns(700));
  EXPECT_EQ(first[2].peer, Rank{1});
  EXPECT_EQ(first[4].elapsed, ns(500));
  const std::vector<Operation> second = operations_of(source, 1);
  ASSERT_THAT(kinds_of(second), ElementsAre(receive, wait, send, wait, exit));
  EXPECT_EQ(second[2].mode, SendMode::synchronous);
  EXPECT_THAT(source.notices(), IsEmpty());
}

TEST_F(ForeignTrace, NonblockingReceivesAreFoundOutByLookingAhead) {
  {
    ScorePTrace scorep = trace(2);
    scorep.enter(0, 10, "MPI_Irecv");
    scorep.irecv_request(0, 10, 1);
    scorep.leave(0, 20, "MPI_Irecv");
    scorep.enter(0, 30, "MPI_Isend");
    scorep.isend(0, 30, 1, ScorePTrace::world, 3, 100, 2);
    scorep.leave(0, 40, "MPI_Isend");
    scorep.enter(0, 50, "MPI_Waitall");
    scorep.irecv(0, 90, 1, ScorePTrace::world, 4, 200, 1);
    scorep.isend_complete(0, 90, 2);
    scorep.leave(0, 90, "MPI_Waitall");
    scorep.finish(100);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> operations = operations_of(source, 0);
  ASSERT_THAT(kinds_of(operations), ElementsAre(receive, send, wait, exit));
  EXPECT_EQ(operations[0].peer, Rank{1});
  EXPECT_EQ(operations[0].tag, Tag{4});
  EXPECT_EQ(operations[0].bytes, Bytes(200));
  EXPECT_EQ(operations[0].part, CallPart::whole);
  EXPECT_THAT(operations[2].requests, ElementsAre(operations[0].request, operations[1].request));
  EXPECT_EQ(operations[2].completion, Completion::all);
}

TEST_F(ForeignTrace, ASendrecvPostsItsReceiveBeforeItSends) {
  {
    ScorePTrace scorep = trace(2);
    scorep.enter(0, 10, "MPI_Sendrecv");
    scorep.send(0, 10, 1, ScorePTrace::world, 3, 100);
    scorep.receive(0, 20, 1, ScorePTrace::world, 4, 200);
    scorep.leave(0, 20, "MPI_Sendrecv");
    scorep.finish(100);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> operations = operations_of(source, 0);
  ASSERT_THAT(kinds_of(operations), ElementsAre(receive, send, wait, exit));
  EXPECT_NE(operations[0].request, operations[1].request);
  EXPECT_EQ(operations[1].part, CallPart::middle);
  EXPECT_EQ(operations[2].requests.size(), 2U);
}

TEST_F(ForeignTrace, ATestThatFindsNothingIsATestAndOneThatFindsSomethingAWait) {
  {
    ScorePTrace scorep = trace(2);
    scorep.enter(0, 10, "MPI_Irecv");
    scorep.irecv_request(0, 10, 1);
    scorep.leave(0, 20, "MPI_Irecv");
    scorep.enter(0, 30, "MPI_Testany");
    scorep.request_test(0, 30, 1);
    scorep.leave(0, 40, "MPI_Testany");
    scorep.enter(0, 50, "MPI_Test");
    scorep.irecv(0, 60, 1, ScorePTrace::world, 4, 200, 1);
    scorep.leave(0, 60, "MPI_Test");
    scorep.finish(100);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> operations = operations_of(source, 0);
  ASSERT_THAT(kinds_of(operations), ElementsAre(receive, test, wait, exit));
  EXPECT_THAT(operations[1].requests, ElementsAre(operations[0].request));
  EXPECT_EQ(operations[1].completion, Completion::any);
  EXPECT_THAT(operations[2].requests, ElementsAre(operations[0].request));
}

TEST_F(ForeignTrace, ARequestThatATestFindsCompleteEarlierThanRecordedIsNotAwaitedAgain) {
  {
    ScorePTrace scorep = trace(2);
    scorep.enter(0, 10, "MPI_Irecv");
    scorep.irecv_request(0, 10, 1);
    scorep.leave(0, 20, "MPI_Irecv");
    scorep.enter(0, 30, "MPI_Test");
    scorep.request_test(0, 30, 1);
    scorep.leave(0, 40, "MPI_Test");
    scorep.enter(0, 50, "MPI_Wait");
    scorep.irecv(0, 60, 1, ScorePTrace::world, 4, 200, 1);
    scorep.leave(0, 60, "MPI_Wait");
    scorep.finish(100);
  }
  TraceSource source(folder_ / "trace");
  Operation operation;
  source.next(Rank{0}, operation);
  const RequestId request = operation.request;
  source.next(Rank{0}, operation);
  ASSERT_EQ(operation.kind, test);
  ASSERT_TRUE(operation.wants_answer);
  Answer answer;
  answer.completed.emplace_back().request = request;
  source.answer(Rank{0}, answer);
  source.next(Rank{0}, operation);
  EXPECT_EQ(operation.kind, wait);
  EXPECT_THAT(operation.requests, IsEmpty());
}

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

TEST_F(ForeignTrace, CallsThatOnlyAskTheLibraryAndUserRegionsCountAsComputing) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "main");
    scorep.enter(0, 20, "MPI_Comm_rank");
    scorep.leave(0, 30, "MPI_Comm_rank");
    scorep.enter(0, 40, "MPI_Init");
    scorep.leave(0, 100, "MPI_Init");
    scorep.leave(0, 150, "main");
    scorep.finish(200);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> operations = operations_of(source, 0);
  ASSERT_THAT(kinds_of(operations), ElementsAre(nothing, exit));
  EXPECT_EQ(operations[0].call, Call::MPI_Init);
  EXPECT_EQ(operations[0].elapsed, ns(40));
  EXPECT_EQ(operations[1].elapsed, ns(100));
}

TEST_F(ForeignTrace, ThreadsAndMetricsAreSkippedWithOneNotice) {
  ScorePTrace::Options options;
  options.threads = options.metrics = true;
  {
    ScorePTrace scorep = trace(2, options);
    scorep.enter(0, 100, "MPI_Send");
    scorep.send(0, 100, 1, ScorePTrace::world, 5, 4096);
    scorep.leave(0, 300, "MPI_Send");
    scorep.enter(1, 50, "MPI_Recv");
    scorep.receive(1, 400, 0, ScorePTrace::world, 5, 4096);
    scorep.leave(1, 400, "MPI_Recv");
    scorep.finish(2500);
  }
  TraceSource source(folder_ / "trace");
  EXPECT_EQ(source.ranks(), 2U);
  EXPECT_THAT(kinds_of(operations_of(source, 0)), ElementsAre(send, wait, exit));
  EXPECT_THAT(kinds_of(operations_of(source, 1)), ElementsAre(receive, wait, exit));
  EXPECT_THAT(source.notices(), ElementsAre(HasSubstr("2 locations of further threads and 1 of")));
}

TEST_F(ForeignTrace, MessagesThatNobodyReceivesAreCounted) {
  {
    ScorePTrace scorep = trace(2);
    scorep.enter(0, 100, "MPI_Send");
    scorep.send(0, 100, 1, ScorePTrace::world, 5, 4096);
    scorep.leave(0, 300, "MPI_Send");
    scorep.finish(2500);
  }
  TraceSource source(folder_ / "trace");
  operations_of(source, 0);
  operations_of(source, 1);
  EXPECT_THAT(source.notices(), ElementsAre(HasSubstr("1 recorded messages were never received")));
}

TEST_F(ForeignTrace, AReceiveThatIsCancelledIsLeftOut) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Irecv");
    scorep.irecv_request(0, 10, 1);
    scorep.leave(0, 20, "MPI_Irecv");
    scorep.enter(0, 30, "MPI_Cancel");
    scorep.leave(0, 40, "MPI_Cancel");
    scorep.enter(0, 50, "MPI_Wait");
    scorep.request_cancelled(0, 60, 1);
    scorep.leave(0, 60, "MPI_Wait");
    scorep.finish(100);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> operations = operations_of(source, 0);
  ASSERT_THAT(kinds_of(operations), ElementsAre(nothing, nothing, wait, exit));
  EXPECT_THAT(operations[2].requests, IsEmpty());
  EXPECT_THAT(source.notices(), ElementsAre(HasSubstr("left out 1 receives")));
}

TEST_F(ForeignTrace, ANonblockingSendRecordedAsABlockingOneIsNotAwaited) {
  {
    ScorePTrace scorep = trace(2);
    scorep.enter(0, 10, "MPI_Isend");
    scorep.send(0, 10, 1, ScorePTrace::world, 5, 100);
    scorep.leave(0, 20, "MPI_Isend");
    scorep.enter(0, 30, "MPI_Wait");
    scorep.leave(0, 40, "MPI_Wait");
    scorep.finish(100);
  }
  TraceSource source(folder_ / "trace");
  EXPECT_THAT(kinds_of(operations_of(source, 0)), ElementsAre(send, nothing, exit));
}

TEST_F(ForeignTrace, ClocksThatAreNoMultipleOfPicosecondsAreRoundedOncePerRecord) {
  ScorePTrace::Options options;
  options.ticks_per_second = 3'000'000'000;
  {
    ScorePTrace scorep = trace(1, options);
    scorep.enter(0, 1, "MPI_Init");  // 3 ticks
    scorep.leave(0, 2, "MPI_Init");
    scorep.finish(1'000'000);
  }
  TraceSource source(folder_ / "trace");
  const std::vector<Operation> operations = operations_of(source, 0);
  EXPECT_EQ(operations[0].elapsed, ns(1));
  EXPECT_EQ(operations[1].elapsed, ns(1'000'000 - 2));
}

void expect_error(const std::filesystem::path& trace, const std::string& what) {
  try {
    TraceSource source(trace);
    for (std::size_t i = 0; i < source.ranks(); ++i) operations_of(source, static_cast<std::int32_t>(i));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(what));
  }
}

TEST_F(ForeignTrace, OneSidedCommunicationIsRefused) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Put");
    scorep.put(0, 10);
    scorep.leave(0, 20, "MPI_Put");
    scorep.finish(100);
  }
  expect_error(folder_ / "trace", "location 0 (rank 0), record 3: accesses another rank's memory");
}

TEST_F(ForeignTrace, AnUnknownCommunicatorIsAnError) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Send");
    scorep.send_to_nowhere(0, 10);
    scorep.leave(0, 20, "MPI_Send");
    scorep.finish(100);
  }
  expect_error(folder_ / "trace", "location 0 (rank 0), record 3: names communicator");
}

TEST_F(ForeignTrace, ACompletionWithoutAStartIsAnError) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Wait");
    scorep.isend_complete(0, 10, 42);
    scorep.leave(0, 20, "MPI_Wait");
    scorep.finish(100);
  }
  expect_error(folder_ / "trace", "record 3: completes request 42");
}

TEST_F(ForeignTrace, TimeThatGoesBackIsAnError) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Init");
    scorep.leave(0, 50, "MPI_Init");
    scorep.clock_offset(0, 1000);
    scorep.clock_offset(100, -1000);
    scorep.finish(100);
  }
  expect_error(folder_ / "trace", "record 2: time goes back");
}

TEST_F(ForeignTrace, ACallThatIsNeverLeftIsAnError) {
  {
    ScorePTrace scorep = trace(1);
    scorep.enter(0, 10, "MPI_Init");
    scorep.finish(100);
  }
  expect_error(folder_ / "trace", "enters MPI_Init and never leaves it");
}

}  // namespace
}  // namespace morgana
