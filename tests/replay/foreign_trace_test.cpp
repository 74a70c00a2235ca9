#include <gmock/gmock.h>

#include "replay/comparison.h"
#include "tests/replay/foreign_trace.h"
#include "tests/support/messages.h"
#include "tests/support/otf2_leaks.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using testing::ForeignTrace;
using ::testing::IsEmpty;
using testing::ScorePTrace;

using enum OperationKind;

TEST_F(ForeignTrace, BlockingPingPongIsSendsReceivesAndTheirWaits) {
  {
    ScorePTrace scorep = trace(2);
    send_4096_bytes(scorep);
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
    send_4096_bytes(scorep);
    scorep.enter(1, 50, "MPI_Recv");
    scorep.receive(1, 400, 0, ScorePTrace::world, 5, 4096);
    scorep.leave(1, 400, "MPI_Recv");
    scorep.finish(2500);
  }
  TraceSource source(folder_ / "trace");
  EXPECT_EQ(source.ranks(), 2U);
  EXPECT_THAT(kinds_of(operations_of(source, 0)), ElementsAre(send, wait, exit));
  EXPECT_THAT(kinds_of(operations_of(source, 1)), ElementsAre(receive, wait, exit));
  expect_messages(source.notices(), {"2 locations", " 1 of"});
}

TEST_F(ForeignTrace, ReplaysSayHowManyMessagesNobodyReceived) {
  {
    ScorePTrace scorep = trace(2);
    send_4096_bytes(scorep);
    scorep.finish(2500);
  }
  const ReplayResult result = replay_on(Platform::load("ideal"), folder_ / "trace", {});
  expect_messages(result.notices, {"rank 0", "rank 1", "tag 5", "4096 bytes"});
}

// What has been read serves any number of replays, and needs the trace no more.
TEST_F(ForeignTrace, IsReadOnceForSeveralReplays) {
  {
    ScorePTrace scorep = trace(2);
    send_4096_bytes(scorep);
    scorep.finish(2500);
  }
  const Platform ideal = Platform::load("ideal"), slow = Platform::load("ethernet-10");
  const SimTime on_ideal = replay_on(ideal, folder_ / "trace", {}).statistics.simulated_time(),
                on_slow = replay_on(slow, folder_ / "trace", {}).statistics.simulated_time();
  EXPECT_LT(on_ideal, on_slow);
  ReplayOptions shared;
  shared.translated = read_trace(folder_ / "trace", {});
  std::filesystem::remove_all(folder_ / "trace");
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(replay_on(ideal, folder_ / "trace", shared).statistics.simulated_time(), on_ideal);
    EXPECT_EQ(replay_on(slow, folder_ / "trace", shared).statistics.simulated_time(), on_slow);
  }
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

}  // namespace
}  // namespace morgana
