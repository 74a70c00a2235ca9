#include "traces/export/timeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "tests/support/temporary_folder.h"
#include "tests/traces/otf2/sample_trace.h"

namespace morgana {
namespace {

using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::write_sample;

Timeline sample(int rounds) {
  const TemporaryFolder folder;
  write_sample(folder / "trace", rounds);
  return read_timeline(folder / "trace");
}

// Each call takes 10 ns and begins 10 ns after the one before; a message leaves with its send, and has come
// when the wait ends.
TEST(Timeline, HasEveryCallAndMessage) {
  EXPECT_EQ(timeline_csv(sample(1)),
            "kind,rank,name,begin_ps,end_ps,bytes,peer,tag\n"
            "call,0,MPI_Send,10000,20000,1000,,\n"
            "call,0,MPI_Irecv,30000,40000,0,,\n"
            "call,0,MPI_Wait,50000,60000,10,,\n"
            "call,0,MPI_Allreduce,70000,80000,8,,\n"
            "call,1,MPI_Irecv,10000,20000,0,,\n"
            "call,1,MPI_Wait,30000,40000,1000,,\n"
            "call,1,MPI_Send,50000,60000,10,,\n"
            "call,1,MPI_Allreduce,70000,80000,8,,\n"
            "message,0,message,10000,40000,1000,1,5\n"
            "message,1,message,50000,60000,10,0,5\n"
            "end,0,end,80000,80000,,,\n"
            "end,1,end,80000,80000,,,\n");
}

/// Rank 0 computes for 10 ns after its only call, rank 1 for 30 ns.
Timeline with_computing_at_the_end() {
  const TemporaryFolder folder;
  const auto ns = [](std::int64_t count) { return SimTime::from_ps(1000 * count); };
  TraceWriter writer(folder / "trace", testing::sample_properties(2));
  for (const std::int32_t rank : {0, 1}) {
    Operation call;
    call.kind = OperationKind::sleep;
    call.call = Call::MPI_Barrier;
    call.duration = ns(10);
    writer.operation_ended(Rank{rank}, call, ns(0), ns(10), {});
    Operation exit;
    exit.kind = OperationKind::exit;
    writer.operation_ended(Rank{rank}, exit, ns(20 + 20 * rank), ns(20 + 20 * rank), {});
  }
  writer.finish();
  return read_timeline(folder / "trace");
}

TEST(Timeline, TellsEveryFormWhereEachRankEnds) {
  const Timeline timeline = with_computing_at_the_end();
  EXPECT_THAT(timeline_csv(timeline), HasSubstr("end,0,end,20000,20000,,,\nend,1,end,40000,40000,,,\n"));
  EXPECT_THAT(paje_text(timeline),
              HasSubstr("5 0.000000020000 R r0\n5 0.000000040000 R r1\n5 0.000000040000 P p\n"));
  const std::string json = chrome_json(timeline);
  EXPECT_THAT(json,
              HasSubstr(R"({"ph":"i","s":"t","name":"end","cat":"rank","pid":0,"tid":0,"ts":0.020000})"));
  EXPECT_THAT(json,
              HasSubstr(R"({"ph":"i","s":"t","name":"end","cat":"rank","pid":0,"tid":1,"ts":0.040000})"));
  // A packet at 40 ns of an instant on rank 1's track (1 program, 2 network, 3 and 4 ranks).
  EXPECT_THAT(perfetto_trace(timeline), HasSubstr("\x40\x28\x68\x02\x5a\x0a\x48\x03\x58\x04\xba\x01\x03"
                                                  "end"));
}

TEST(Timeline, HasTheCollectivesOfSeveralRanks) {
  const Timeline timeline = sample(1);
  ASSERT_EQ(timeline.collectives.size(), 1U);
  EXPECT_EQ(timeline.names.at(timeline.collectives[0]), "MPI_Allreduce");
  ASSERT_EQ(timeline.parts.size(), 2U);
  for (const int rank : {0, 1}) {
    const Timeline::Part& part = timeline.parts[static_cast<std::size_t>(rank)];
    EXPECT_EQ(part.rank, Rank{rank});
    EXPECT_EQ(part.begin, SimTime::from_ps(70000));
    EXPECT_EQ(part.end, SimTime::from_ps(80000));
  }
}

TEST(Timeline, IsAThreadARankForChrome) {
  const std::string json = chrome_json(sample(1));
  EXPECT_THAT(json, HasSubstr(R"({"ph":"M","name":"thread_name","pid":0,"tid":1,"args":{"name":"rank 1"}})"));
  EXPECT_THAT(json, HasSubstr(R"({"ph":"X","name":"MPI_Wait","cat":"call","pid":0,"tid":1,"ts":0.030000,)"
                              R"("dur":0.010000,"args":{"bytes":1000}})"));
  EXPECT_THAT(json, HasSubstr(R"("id":2,"pid":0,"tid":1,"ts":0.050000,"args":{"bytes":10,"tag":5}})"));
  EXPECT_THAT(json, HasSubstr(R"("id":2,"pid":0,"tid":0,"ts":0.060000})"));
}

// The second rank's wait: 30 ns after the begin, on its track (1 program, 2 network, 3 and 4 ranks).
TEST(Timeline, IsATrackARankForPerfetto) {
  const Timeline timeline = sample(1);
  const auto wait =
      static_cast<char>(std::ranges::find(timeline.names, "MPI_Wait") - timeline.names.begin() + 1);
  const std::string bytes_1000 =
      "\x22\x0a\x52\x05"
      "bytes"
      "\x20\xe8\x07";
  const std::string begin = std::string("\x58\x04\x48\x01\x50") + wait + bytes_1000;
  EXPECT_THAT(perfetto_trace(timeline), HasSubstr("\x0a\x1a\x40\x1e\x68\x02\x5a\x12" + begin + "\x50\x01"));
}

/// The order of what happens at 40 ns, where a message comes with the end of a call.
TEST(Timeline, HasMessagesWithinCallsForPerfetto) {
  const std::string text = perfetto_trace(sample(1));
  const std::size_t sent = text.find("to rank 1"), come = text.find("from rank 0"),
                    end = text.find("\x58\x04\x48\x02", come);
  ASSERT_NE(sent, std::string::npos);
  ASSERT_NE(come, std::string::npos);
  ASSERT_NE(end, std::string::npos);
  EXPECT_LT(sent, come);
  EXPECT_LT(end, text.find("to rank 0"));
}

/// Lines that begin with a number from 6 to 9 are states and links; the second word is their time.
TEST(Timeline, IsInOrderOfTimeForPaje) {
  const std::string text = paje_text(sample(4));
  std::string last;
  int pushed = 0, popped = 0, begun = 0, ended = 0;
  for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1) {
    const char kind = text[at];
    if (kind < '6' || kind > '9') continue;
    const std::string time = text.substr(at + 2, text.find(' ', at + 2) - at - 2);
    EXPECT_LE(last, time);  // all have as many digits
    last = time;
    pushed += kind == '6', popped += kind == '7', begun += kind == '8', ended += kind == '9';
  }
  EXPECT_EQ(pushed, 2 * (3 * 4 + 1));
  EXPECT_EQ(popped, pushed);
  EXPECT_EQ(begun, 8);
  EXPECT_EQ(ended, begun);
  EXPECT_THAT(text, HasSubstr("6 0.000000010000 S r0 n0\n6 0.000000010000 S r1 n1\n"
                              "8 0.000000010000 L p \"1000 B, tag 5\" r0 m1\n"));
}

// As RunStatistics has it (PollsThatARankAnswersItselfAreCallsToo), from the trace of the same rank.
TEST(Timeline, KnowsPollsThatARankAnsweredItself) {
  const TemporaryFolder folder;
  testing::write_polls(folder / "trace");
  const Timeline timeline = read_timeline(folder / "trace");
  ASSERT_EQ(timeline.polls.size(), 1U);
  EXPECT_EQ(timeline.names.at(timeline.polls[0].name), "MPI_Iprobe");
  EXPECT_EQ(timeline.polls[0].begin, SimTime::from_ps(12'000'000));
  EXPECT_EQ(timeline.polls[0].end, SimTime::from_ps(32'000'000));
  EXPECT_EQ(timeline.polls[0].time, SimTime::from_ps(8'000'000));
  EXPECT_EQ(timeline.polls[0].count, 4U);
  EXPECT_EQ(timeline.calls.size(), 2U);
}

}  // namespace
}  // namespace morgana
