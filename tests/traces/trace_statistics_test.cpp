#include "traces/trace_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/score_p_trace.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/sample_trace.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScorePTrace;
using testing::TemporaryFolder;
using testing::write_sample;

TEST(TraceStatistics, CountMessagesByRankAndPair) {
  const TemporaryFolder folder;
  write_sample(folder / "trace", 3);
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  EXPECT_EQ(statistics.program, "./sample -n 1");
  EXPECT_EQ(statistics.messages(), 6U);
  EXPECT_EQ(statistics.bytes, Bytes(3030));
  EXPECT_DOUBLE_EQ(statistics.lengths.summary().mean(), 505.0);
  EXPECT_DOUBLE_EQ(statistics.lengths.median(), 10.0);
  EXPECT_EQ(statistics.ranks[0].messages_sent, 3U);
  EXPECT_EQ(statistics.ranks[0].bytes_sent, Bytes(3000));
  EXPECT_EQ(statistics.ranks[0].messages_received, 3U);
  EXPECT_EQ(statistics.ranks[0].bytes_received, Bytes(30));
  EXPECT_EQ(statistics.ranks[0].collectives, 1U);
  ASSERT_EQ(statistics.pairs.size(), 2U);
  EXPECT_EQ(statistics.pairs[0].from, Rank{0});
  EXPECT_EQ(statistics.pairs[0].to, Rank{1});
  EXPECT_EQ(statistics.pairs[0].messages, 3U);
  EXPECT_EQ(statistics.pairs[1].bytes, Bytes(30));
  EXPECT_THAT(statistics.notices, IsEmpty());
}

TEST(TraceStatistics, TellTheShareOfCommunication) {
  const TemporaryFolder folder;
  write_sample(folder / "trace", 3);
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  // 10 calls of 10 ns, each 10 ns after the one before.
  EXPECT_EQ(statistics.duration, SimTime::from_ps(200'000));
  EXPECT_EQ(statistics.ranks[1].communication, SimTime::from_ps(100'000));
  EXPECT_DOUBLE_EQ(statistics.communication_share(), 0.5);
  EXPECT_DOUBLE_EQ(statistics.density(), 6 / 200e-9);
  EXPECT_DOUBLE_EQ(statistics.throughput(), 3030 * 8 / 200e-9);
}

TEST(TraceStatistics, CountCollectivesByTheirCall) {
  const TemporaryFolder folder;
  write_sample(folder / "trace", 3);
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  ASSERT_EQ(statistics.collectives.size(), 1U);
  EXPECT_EQ(statistics.collectives.at("MPI_Allreduce").calls, 2U);
  EXPECT_EQ(statistics.collectives.at("MPI_Allreduce").sent, Bytes(32));
}

TEST(TraceStatistics, CountWhatDoesNotMatch) {
  const TemporaryFolder folder;
  {
    ScorePTrace scorep(folder / "trace", 2, {});
    for (int i = 0; i < 3; ++i) {
      scorep.enter(0, 100, "MPI_Send");
      scorep.send(0, 100, 1, ScorePTrace::world, i == 0 ? 5 : 6, 4096);
      scorep.leave(0, 100, "MPI_Send");
    }
    scorep.enter(1, 50, "MPI_Recv");
    scorep.receive(1, 400, 0, ScorePTrace::world, 6, 4096);
    scorep.leave(1, 400, "MPI_Recv");
    scorep.enter(1, 500, "MPI_Recv");
    scorep.receive(1, 600, 0, ScorePTrace::world, 7, 4096);
    scorep.leave(1, 600, "MPI_Recv");
    scorep.finish(1000);
  }
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  EXPECT_EQ(statistics.unmatched_sends, 2U);
  EXPECT_EQ(statistics.unmatched_receives, 1U);
  EXPECT_THAT(statistics.notices, ElementsAre(HasSubstr("2 messages were sent and never received"),
                                              HasSubstr("1 messages were received that nobody sent")));
}

TEST(TraceStatistics, NameNonblockingCollectivesByTheCallThatBeganThem) {
  const TemporaryFolder folder;
  {
    ScorePTrace scorep(folder / "trace", 1, {});
    scorep.enter(0, 10, "MPI_Ibcast");
    scorep.icollective_request(0, 10, 7);
    scorep.leave(0, 20, "MPI_Ibcast");
    scorep.enter(0, 50, "MPI_Wait");
    scorep.icollective(0, 60, OTF2_COLLECTIVE_OP_BCAST, ScorePTrace::world, 0, 16, 16, 7);
    scorep.leave(0, 60, "MPI_Wait");
    scorep.finish(100);
  }
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  ASSERT_EQ(statistics.collectives.size(), 1U);
  EXPECT_EQ(statistics.collectives.begin()->first, "MPI_Ibcast");
}

}  // namespace
}  // namespace morgana
