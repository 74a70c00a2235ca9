#include "traces/otf2/trace_statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/messages.h"
#include "tests/support/score_p_trace.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/otf2/sample_trace.h"

namespace morgana {
namespace {

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

// As RunStatistics has it (PollsThatARankAnswersItselfAreCallsToo), from the trace of the same rank.
TEST(TraceStatistics, PollsThatARankAnsweredItselfAreCallsToo) {
  const TemporaryFolder folder;
  testing::write_polls(folder / "trace");
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  EXPECT_EQ(statistics.ranks[0].communication, SimTime::from_ps(11'000'000));
  ASSERT_EQ(statistics.calls[0].size(), 1U);
  const TraceStatistics::Call& polls = statistics.calls[0].at("MPI_Iprobe");
  EXPECT_EQ(polls.count, 6U);
  EXPECT_EQ(polls.time, SimTime::from_ps(11'000'000));
}

TEST(TraceStatistics, TimeByCallAddsUpToTheCommunication) {
  const TemporaryFolder folder;
  write_sample(folder / "trace", 3);
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  std::uint64_t calls = 0;
  SimTime time;
  for (const auto& [name, call] : statistics.calls[1]) {
    calls += call.count;
    time += call.time;
  }
  EXPECT_EQ(calls, 10U);
  EXPECT_EQ(time, SimTime::from_ps(100'000));
  // Both ranks are in one MPI_Allreduce each, for 10 ns.
  EXPECT_EQ(statistics.all_calls().at("MPI_Allreduce").count, 2U);
  EXPECT_EQ(statistics.all_calls().at("MPI_Allreduce").time, SimTime::from_ps(20'000));
}

TEST(TraceStatistics, CountCollectivesByTheirCall) {
  const TemporaryFolder folder;
  write_sample(folder / "trace", 3);
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  ASSERT_EQ(statistics.collectives.size(), 1U);
  EXPECT_EQ(statistics.collectives.at("MPI_Allreduce").calls, 2U);
  EXPECT_EQ(statistics.collectives.at("MPI_Allreduce").payload, (CollectivePayload{Bytes(16), Bytes(16)}));
}

/// Rank 0 serves; it starts rank 2 at 100 ns, and each of the others sends the next one a message, rank 1
/// also rank 0.
void write_with_service(const std::filesystem::path& folder) {
  const auto ns = [](std::int64_t count) { return SimTime::from_ps(1000 * count); };
  TraceProperties properties = testing::sample_properties(2);
  properties.services = 1;
  TraceWriter writer(folder, properties);
  Operation spawn;
  spawn.kind = OperationKind::spawn;
  spawn.call = Call::pvmd;
  spawn.peer = Rank{2};
  writer.operation_ended(Rank{0}, spawn, ns(100), ns(100), {});
  const auto sends = [&](Rank from, Rank to, SimTime begin) {
    Operation send;
    send.kind = OperationKind::send;
    send.call = Call::pvm_send;
    send.mode = SendMode::buffered;
    send.peer = to;
    send.tag = Tag{1};
    send.bytes = Bytes(50);
    send.request = RequestId{static_cast<std::uint64_t>(begin.ps())};
    writer.operation_ended(from, send, begin, begin + ns(30), {});
  };
  sends(Rank{1}, Rank{2}, ns(10));
  sends(Rank{1}, Rank{0}, ns(50));
  sends(Rank{2}, Rank{1}, ns(140));
  sends(Rank{0}, Rank{1}, ns(140));
  Operation exit;
  exit.kind = OperationKind::exit;
  for (const int rank : {1, 2, 0})
    writer.operation_ended(Rank{rank}, exit, ns(rank == 0 ? 999 : 200), ns(rank == 0 ? 999 : 200), {});
  writer.finish();
}

TEST(TraceStatistics, LeaveOutWhoOnlyServesTheProgram) {
  const TemporaryFolder folder;
  write_with_service(folder / "trace");
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  EXPECT_EQ(statistics.services, 1U);
  EXPECT_EQ(statistics.program_ranks().size(), 2U);
  EXPECT_EQ(statistics.messages(), 2U);
  EXPECT_EQ(statistics.program_ranks()[0].messages_sent, 1U);
  EXPECT_EQ(statistics.pairs.size(), 2U);
  EXPECT_EQ(statistics.unmatched_sends, 2U);  // not those with rank 0
  EXPECT_EQ(statistics.duration, SimTime::from_ps(200'000));
}

TEST(TraceStatistics, CountTheTimeOfARankFromItsBegin) {
  const TemporaryFolder folder;
  write_with_service(folder / "trace");
  const TraceStatistics statistics = read_trace_statistics(folder / "trace");
  EXPECT_EQ(statistics.ranks[2].begin, SimTime::from_ps(100'000));
  EXPECT_DOUBLE_EQ(statistics.ranks[2].communication_share(), 0.3);  // 30 of 100 ns
  EXPECT_DOUBLE_EQ(statistics.communication_share(), (60.0 + 30.0) / (200.0 + 100.0));
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
  expect_messages(statistics.notices, {"2 messages", "1 message"});
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
  EXPECT_EQ(statistics.calls[0].at("MPI_Ibcast").bytes, Bytes(16));
  EXPECT_EQ(statistics.calls[0].at("MPI_Wait").bytes, Bytes(0));
}

}  // namespace
}  // namespace morgana
