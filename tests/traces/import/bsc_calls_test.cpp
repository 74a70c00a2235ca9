// Calls in traces of Dimemas as prv2dim writes them (prv2dim/TaskTranslationInfo.cpp and
// common_utilities/Dimemas_Generation.h of BSC's dimemas), and of Paraver as Extrae does.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "traces/import/imported_program.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace morgana::testing;

struct ReadTrace {
  std::vector<std::vector<Operation>> ranks;
  std::vector<std::string> notices;
  std::string refusal;
};

ReadTrace read_trace(std::unique_ptr<ImportedProgram> (*read)(const std::filesystem::path&),
                     const std::string& text) {
  const TemporaryFolder folder;
  ReadTrace all;
  try {
    const auto program = read(folder.write("in", text));
    for (std::size_t rank = 0; rank < program->ranks(); ++rank) {
      std::vector<Operation>& operations = all.ranks.emplace_back();
      do {
        program->next(Rank(static_cast<std::int32_t>(rank)), operations.emplace_back());
      } while (operations.back().kind != OperationKind::exit);
    }
    all.notices = program->notices();
  } catch (const Error& error) {
    all.refusal = error.what();
  }
  return all;
}

/// Four tasks, which communicator 1 has in order, and communicator 2 tasks 3 and 1.
ReadTrace dimemas(const std::string& records) {
  return read_trace(read_dimemas, "#DIMEMAS:\"g\":0:4(1,1,1,1),2\nd:1:1:4:0:1:2:3\nd:1:2:2:3:1\n" + records);
}

/// A collective of all four tasks on communicator 1. @param sums  by task: what it gives and receives
ReadTrace dimemas_of_all(int collective, const std::vector<std::string>& sums,
                         const std::vector<int>& roots = {0, 0, 0, 0}) {
  std::string records;
  for (std::size_t task = 0; task < 4; ++task)
    records += fmt::format("10:{}:0:{}:1:{}:0:{}:1\n", task, collective, roots[task], sums[task]);
  return dimemas(records);
}

// 1 is MPI_Bcast, 10 MPI_Reduce.
TEST(DimemasCalls, ARootIsMarkedOrNumbered) {
  const std::vector<std::string> sums(4, "0:1000");
  for (const std::vector<int>& roots : {std::vector{0, 0, 1, 0}, std::vector{2, 2, 2, 2}}) {
    const ReadTrace all = dimemas_of_all(1, sums, roots);
    ASSERT_EQ(all.refusal, "");
    for (const auto& rank : all.ranks) EXPECT_EQ(rank[0].collective.root, 2);
  }
  EXPECT_EQ(dimemas_of_all(10, sums, {1, 1, 1, 1}).ranks[0][0].collective.root, 1);
  EXPECT_EQ(dimemas_of_all(10, sums, {0, 1, 0, 0}).ranks[0][0].collective.root, 1);
  EXPECT_EQ(dimemas_of_all(10, sums, {0, 0, 0, 0}).ranks[0][0].collective.root, 0);
  EXPECT_THAT(dimemas_of_all(1, sums, {1, 1, 0, 0}).refusal, HasSubstr("name different roots"));
}

TEST(DimemasCalls, RootsOfOtherCommunicatorsAreTheirs) {
  // Task 1, the second member, is marked first; then nobody is.
  const ReadTrace all =
      dimemas("10:1:0:1:2:1:0:8:0:1\n10:1:0:1:2:0:0:8:0:1\n10:3:0:1:2:0:0:0:8:1\n10:3:0:1:2:0:0:0:8:1\n");
  ASSERT_EQ(all.refusal, "");
  EXPECT_EQ(all.ranks[3][1].collective.root, 1);
  EXPECT_EQ(all.ranks[1][1].collective.root, 1);
  EXPECT_EQ(all.ranks[3][3].collective.root, 0);
  expect_messages(all.notices, {"2 parts"});
  EXPECT_THAT(dimemas("10:1:0:1:2:2:0:8:0:1\n10:3:0:1:2:2:0:0:8:1\n").refusal,
              HasSubstr("in:4: the root, task 2, is not a member of communicator 2"));
}

// 11 is MPI_Allreduce; the last field is 0 where it starts, and 2 where it is awaited.
TEST(DimemasCalls, NonblockingCollectivesStartAndAreAwaited) {
  std::string records;
  for (int task = 0; task < 4; ++task)
    records += fmt::format(
        "10:{0}:0:11:1:0:0:8:8:0\n1:{0}:0:1.0\n10:{0}:0:11:1:0:0:8:8:2\n10:{0}:0:9:1:0:0:8:8:0\n", task);
  records += "10:3:0:9:1:0:0:8:8:2\n10:3:0:9:1:0:0:8:8:2\n";
  const ReadTrace all = dimemas(records);
  ASSERT_EQ(all.refusal, "");
  const std::vector<Operation>& first = all.ranks[0];
  ASSERT_EQ(first.size(), 5u);
  EXPECT_EQ(first[0].call, Call::MPI_Iallreduce);
  EXPECT_FALSE(first[0].collective.blocking);
  EXPECT_EQ(first[1].call, Call::MPI_Wait);
  EXPECT_EQ(first[1].elapsed, SimTime::from_seconds(1));
  EXPECT_THAT(first[1].requests, ElementsAre(first[0].request));
  EXPECT_EQ(first[2].call, Call::MPI_Ialltoallv);
  EXPECT_THAT(first[2].collective.receive_sizes, ElementsAre(Bytes(2), Bytes(2), Bytes(2), Bytes(2)));
  EXPECT_THAT(first[3].requests, ElementsAre(first[2].request));  // at the end
  EXPECT_THAT(all.ranks[3][3].requests, ElementsAre(all.ranks[3][2].request));
  expect_messages(all.notices, {"1 wait", "3 nonblocking collectives", "4 parts"});
}

// What Extrae records of MPI_IN_PLACE: nothing given, and received as ever.
TEST(DimemasCalls, InPlaceSizesFollowFromTheOtherSums) {
  const auto part = [](const ReadTrace& all, std::size_t rank) { return all.ranks[rank][0].collective; };
  const ReadTrace allgather = dimemas_of_all(6, std::vector<std::string>(4, "0:4000"));
  EXPECT_EQ(part(allgather, 1).bytes, Bytes(1000));
  EXPECT_THAT(allgather.notices, IsEmpty());
  const ReadTrace allgatherv = dimemas_of_all(7, std::vector<std::string>(4, "0:4000"));
  EXPECT_THAT(part(allgatherv, 1).receive_sizes,
              ElementsAre(Bytes(1000), Bytes(1000), Bytes(1000), Bytes(1000)));
  expect_messages(allgatherv.notices, {"4 parts"});
  const ReadTrace alltoallv = dimemas_of_all(9, std::vector<std::string>(4, "0:4000"));
  EXPECT_EQ(part(alltoallv, 1).send_sizes[2], Bytes(1000));
  EXPECT_EQ(part(alltoallv, 1).receive_sizes[2], Bytes(1000));
  const ReadTrace scatter = dimemas_of_all(4, {"4000:0", "0:1000", "0:1000", "0:1000"}, {1, 0, 0, 0});
  EXPECT_EQ(part(scatter, 0).bytes, Bytes(1000));
  const ReadTrace scatterv = dimemas_of_all(5, {"0:30", "100:0", "0:20", "0:10"}, {0, 1, 0, 0});
  EXPECT_THAT(part(scatterv, 1).send_sizes, ElementsAre(Bytes(30), Bytes(40), Bytes(20), Bytes(10)));
  const ReadTrace gatherv = dimemas_of_all(3, {"30:0", "0:100", "20:0", "10:0"}, {0, 1, 0, 0});
  EXPECT_THAT(part(gatherv, 1).receive_sizes, ElementsAre(Bytes(30), Bytes(40), Bytes(20), Bytes(10)));
  const ReadTrace gather = dimemas_of_all(2, {"10:0", "0:40", "10:0", "10:0"}, {0, 1, 0, 0});
  EXPECT_EQ(part(gather, 1).bytes, Bytes(10));
}

// prv2dim writes copies to a GPU and waits for its streams as messages and barriers of the task's threads.
TEST(DimemasCalls, WhatHappensWithinATaskIsLeftOut) {
  const ReadTrace all =
      read_trace(read_dimemas,
                 "#DIMEMAS:\"g\":0:2(2,2),1\nd:1:1:2:0:1\nd:1:-1:1:0\nd:1:-1:1:1\n10:0:0:0:-1:0:0:0:0:1\n"
                 "10:0:1:0:-1:0:0:0:0:1\n2:0:0:0:1:0:7:0:1\n3:0:1:0:0:0:7:0:0\n2:0:0:1:-1:8:7:1:0\n3:1:0:0:-"
                 "1:8:7:1:0\n");
  ASSERT_EQ(all.refusal, "");
  EXPECT_EQ(all.ranks[0].size(), 3u);
  EXPECT_EQ(all.ranks[0][0].peer, Rank{1});
  expect_messages(all.notices, {"4 messages and barriers"});
  EXPECT_THAT(read_trace(read_dimemas, "#DIMEMAS:\"g\":0:2(2,2),1\nd:1:1:2:0:1\n2:0:1:1:0:8:7:1:0\n").refusal,
              HasSubstr("in:3: a thread other than 0 communicates with another task"));
}

// A receiver may take its messages as late as it likes: their sender waits at its end only.
TEST(DimemasCalls, NothingWaitsForASendBeforeATasksEnd) {
  std::string records;
  for (int i = 0; i < 3000; ++i) records += "2:0:0:1:-1:1000000:7:1:2\n";
  records += "2:0:0:1:-1:1:9:1:0\n";
  const ReadTrace all = dimemas(records);
  const std::vector<Operation>& sender = all.ranks[0];
  ASSERT_EQ(sender.size(), 3004u);
  EXPECT_THAT(sender[3001].requests, ElementsAre(sender[3000].request));  // the blocking one
  EXPECT_EQ(sender[3002].requests.size(), 3000u);
}

/// Tasks with communicator 1 of all in order; times in nanoseconds.
ReadTrace paraver(int tasks, const std::string& records, const std::string& names = {}) {
  std::string threads, members;
  for (int i = 1; i <= tasks; ++i) {
    threads += fmt::format("{}1:1", i > 1 ? "," : "");
    members += fmt::format(":{}", i);
  }
  const std::string text =
      fmt::format("#Paraver (29/11/2026 at 12:00):20000_ns:1({0}):1:{0}({1}),1\nc:1:1:{0}{2}\n{3}", tasks,
                  threads, members, records);
  const TemporaryFolder folder;
  if (!names.empty()) folder.write("in.pcf", names);
  ReadTrace all;
  const auto program = read_paraver(folder.write("in.prv", text));
  for (int rank = 0; rank < tasks; ++rank) {
    std::vector<Operation>& operations = all.ranks.emplace_back();
    do {
      program->next(Rank{rank}, operations.emplace_back());
    } while (operations.back().kind != OperationKind::exit);
  }
  all.notices = program->notices();
  return all;
}

/// A call's two lines of events. @param more  events beside the one that begins it
std::string events(int task, int begin, int end, int type, int value, const std::string& more = {}) {
  return fmt::format("2:{0}:1:{0}:1:{1}:{3}:{4}{5}\n2:{0}:1:{0}:1:{2}:{3}:0\n", task, begin, end, type, value,
                     more.empty() ? "" : ":" + more);
}
std::string message(int from, int sent, int to, int posted, int received, int bytes, int tag) {
  return fmt::format("3:{0}:1:{0}:1:{1}:{1}:{2}:1:{2}:1:{3}:{4}:{5}:{6}\n", from, sent, to, posted, received,
                     bytes, tag);
}

constexpr int point_to_point = 50000001, of_collective = 50000002;

TEST(ParaverCalls, SizesMayStandBeforeTheCallThatTheyAreOf) {
  const std::string sizes = "50100001:800:50100002:800:50100004:1:50000002:10";
  std::string records;
  for (const int task : {1, 2}) {
    records += events(task, 100, 200, of_collective, 10);
    records += fmt::format("2:{0}:1:{0}:1:300:{1}\n2:{0}:1:{0}:1:400:50000002:0\n", task, sizes);
    records += fmt::format("2:{0}:1:{0}:1:500:50100001:9\n", task);
    // As Paraver's cutter ends all events at the last time.
    records += events(task, 600, 700, of_collective, 10, "50100001:16:50100002:16:50100004:1");
    records.insert(records.rfind("50000002:0"), "50100004:0:50100002:0:50100001:0:");
    records += fmt::format("2:{0}:1:{0}:1:700:50100004:0:50100002:0\n", task);
  }
  const ReadTrace all = paraver(2, records);
  EXPECT_EQ(all.ranks[0][0].collective.bytes, Bytes(0));
  EXPECT_EQ(all.ranks[0][2].collective.bytes, Bytes(800));
  EXPECT_EQ(all.ranks[0][4].collective.bytes, Bytes(16));
  expect_messages(all.notices, {"2 parts", "2 collectives", "2 events"});
}

TEST(ParaverCalls, EachSendOfOneTimeHasItsOwnMessage) {
  // Two MPI_Send of task 1 within a microsecond, that is at one time, and one from 10 to 12 as they end.
  const std::string records = events(1, 10, 10, point_to_point, 1) + events(1, 10, 10, point_to_point, 1) +
                              events(1, 10, 12, point_to_point, 1) + events(2, 5, 12, point_to_point, 2) +
                              events(3, 5, 12, point_to_point, 2) + events(2, 12, 14, point_to_point, 2) +
                              message(1, 10, 2, 5, 12, 100, 1) + message(1, 10, 3, 5, 12, 200, 1) +
                              message(1, 10, 2, 12, 14, 300, 1);
  const ReadTrace all = paraver(3, records);
  ASSERT_EQ(all.ranks[0].size(), 7u);
  EXPECT_EQ(all.ranks[0][0].bytes, Bytes(100));
  EXPECT_EQ(all.ranks[0][1].kind, OperationKind::wait);
  EXPECT_EQ(all.ranks[0][2].bytes, Bytes(200));
  EXPECT_EQ(all.ranks[0][4].bytes, Bytes(300));
  EXPECT_EQ(all.ranks[1][2].bytes, Bytes(300));
  EXPECT_THAT(all.notices, IsEmpty());
}

// 59 is MPI_Waitany, 60 MPI_Waitsome, 39 MPI_Test, 3 MPI_Isend, 4 MPI_Irecv, 5 MPI_Wait.
TEST(ParaverCalls, WaitsForSendsAreOfSeveralNames) {
  std::string records;
  for (int i = 0; i < 3; ++i)
    records += events(1, 100 * (i + 1), 100 * (i + 1) + 50, point_to_point, 3) +
               message(1, 100 * (i + 1), 2, 10 * (i + 1), 900, 8, i);
  records += events(1, 400, 410, point_to_point, 59) + events(1, 420, 430, point_to_point, 60) +
             events(1, 440, 450, point_to_point, 39) + events(1, 460, 470, point_to_point, 5) +
             events(1, 480, 490, point_to_point, 5);
  for (int i = 0; i < 3; ++i) records += events(2, 10 * (i + 1), 10 * (i + 1) + 5, point_to_point, 4);
  records += events(2, 800, 900, point_to_point, 60);
  const ReadTrace all = paraver(2, records);
  const std::vector<Operation>& sender = all.ranks[0];
  ASSERT_EQ(sender.size(), 7u);
  EXPECT_EQ(sender[3].call, Call::MPI_Waitany);
  EXPECT_THAT(sender[3].requests, ElementsAre(sender[0].request));
  EXPECT_EQ(sender[4].call, Call::MPI_Waitsome);
  EXPECT_THAT(sender[4].requests, ElementsAre(sender[1].request));
  EXPECT_EQ(sender[5].call, Call::MPI_Wait);
  EXPECT_THAT(sender[5].requests, ElementsAre(sender[2].request));
  EXPECT_EQ(all.ranks[1][3].requests.size(), 3u);
  expect_messages(all.notices, {"3 waits", "1 wait", "1 test"});
}

// 41 is MPI_Sendrecv, 123 and 124 MPI_Start and MPI_Startall (EventEncoding.h of dimemas).
TEST(ParaverCalls, ExchangesAndStartsHaveTheirMessages) {
  std::string records;
  for (const int task : {1, 2})
    records += events(task, 100, 200, point_to_point, 41) + message(task, 100, 3 - task, 100, 200, 64, task);
  records += events(1, 300, 310, point_to_point, 124) + events(2, 300, 305, point_to_point, 123) +
             events(2, 306, 310, point_to_point, 123) + message(1, 300, 2, 300, 400, 7, 7) +
             message(1, 300, 2, 306, 400, 8, 8) + events(1, 350, 400, point_to_point, 6) +
             events(2, 350, 400, point_to_point, 6);
  const ReadTrace all = paraver(2, records);
  const std::vector<Operation>&one = all.ranks[0], &two = all.ranks[1];
  ASSERT_EQ(one.size(), 7u);
  EXPECT_EQ(one[0].call, Call::MPI_Sendrecv);
  EXPECT_EQ(one[0].tag, Tag{1});
  EXPECT_EQ(one[1].tag, Tag{2});
  EXPECT_EQ(one[2].requests.size(), 2u);
  EXPECT_EQ(one[3].call, Call::MPI_Startall);
  EXPECT_EQ(one[4].bytes, Bytes(8));
  EXPECT_EQ(one[5].requests.size(), 2u);
  EXPECT_EQ(two[3].bytes, Bytes(7));
  EXPECT_EQ(two[4].bytes, Bytes(8));
  EXPECT_EQ(two[5].requests.size(), 2u);
  EXPECT_THAT(all.notices, IsEmpty());
}

// 155 is MPI_Iallreduce, 14 MPI_Gatherv, 16 MPI_Scatterv, 18 MPI_Allgatherv.
TEST(ParaverCalls, NonblockingAndVariableCollectives) {
  std::string records;
  const auto sums = [](int given, int received, bool root) {
    return fmt::format("50100001:{}:50100002:{}{}:50100004:1", given, received, root ? ":50100003:1" : "");
  };
  for (const int task : {1, 2}) {
    const bool root = task == 2;
    records += events(task, 100, 110, of_collective, 155, sums(16, 16, false)) +
               events(task, 150, 160, point_to_point, 5) +
               events(task, 200, 210, of_collective, 14, sums(10 * task, root ? 30 : 0, root)) +
               events(task, 300, 310, of_collective, 16, sums(root ? 30 : 0, 10 * task, root)) +
               events(task, 400, 410, of_collective, 18, sums(10 * task, 30, false));
  }
  const ReadTrace all = paraver(2, records);
  const std::vector<Operation>& root = all.ranks[1];
  ASSERT_EQ(root.size(), 9u);
  EXPECT_EQ(root[0].call, Call::MPI_Iallreduce);
  EXPECT_FALSE(root[0].collective.blocking);
  EXPECT_EQ(root[0].collective.bytes, Bytes(16));
  EXPECT_THAT(root[1].requests, ElementsAre(root[0].request));
  EXPECT_EQ(root[2].collective.root, 1);
  EXPECT_THAT(root[2].collective.receive_sizes, ElementsAre(Bytes(10), Bytes(20)));
  EXPECT_EQ(all.ranks[0][2].collective.bytes, Bytes(10));
  EXPECT_THAT(root[4].collective.send_sizes, ElementsAre(Bytes(10), Bytes(20)));
  EXPECT_THAT(root[6].collective.receive_sizes, ElementsAre(Bytes(10), Bytes(20)));
  expect_messages(all.notices, {"2 waits"});
}

TEST(ParaverCalls, NoCallVanishesUncounted) {
  const std::string names =
      "EVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n200 MPI_Iexscan\n201 MPI_Comm_disconnect\n"
      "202 MPI_Type_commit\n203 MPI_Isendrecv\n\n";
  std::string records;
  for (int i = 0; i < 4; ++i) records += events(1, 100 * i, 100 * i + 50, of_collective, 200 + i);
  EXPECT_THAT(paraver(1, records, names).notices,
              ElementsAre(HasSubstr("1 MPI_Comm_disconnect, 1 MPI_Iexscan, 1 MPI_Isendrecv")));
}

TEST(ParaverCalls, AnOddTagIsNoReasonToRefuseATrace) {
  const ReadTrace all =
      paraver(2, events(1, 100, 110, point_to_point, 1) + events(2, 50, 150, point_to_point, 2) +
                     message(1, 100, 2, 50, 150, 8, -1));
  EXPECT_EQ(all.ranks[0][0].tag, all.ranks[1][0].tag);
  expect_messages(all.notices, {"1 message", "2147483647"});
}

TEST(ParaverCalls, ALineThatEndsEarlyIsNamedWithItsField) {
  const auto refusal = [](const std::string& line) {
    try {
      paraver(1, line + "\n");
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("read");
  };
  expect_message(refusal("1:1:1:1:1:0"), "in.prv:3");
  expect_message(refusal("1:1:1:1:1:0::1"), {"in.prv:3", "field 7", "is \"\""});
}

}  // namespace
}  // namespace morgana
