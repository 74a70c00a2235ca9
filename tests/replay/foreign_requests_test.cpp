#include <gmock/gmock.h>

#include "tests/replay/foreign_trace.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using testing::ForeignTrace;
using ::testing::IsEmpty;
using testing::ScorePTrace;

using enum OperationKind;

TEST_F(ForeignTrace, NonblockingReceivesAreFoundOutByLookingAhead) {
  {
    ScorePTrace scorep = trace(2);
    start_receive(scorep);
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
    start_receive(scorep);
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
    start_receive(scorep);
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

TEST_F(ForeignTrace, AReceiveThatIsCancelledIsLeftOut) {
  {
    ScorePTrace scorep = trace(1);
    start_receive(scorep);
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
  expect_messages(source.notices());
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

}  // namespace
}  // namespace morgana
