#include "tests/support/bsc_traces.h"

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
using namespace morgana::testing;

std::vector<Operation> operations_of_task(ImportedProgram& program, int rank) {
  std::vector<Operation> all;
  do {
    program.next(Rank{rank}, all.emplace_back());
  } while (all.back().kind != OperationKind::exit);
  return all;
}

using ReadProgram = std::unique_ptr<ImportedProgram> (*)(const std::filesystem::path&);

std::string refusal_of_task_file(ReadProgram read, std::string text, const std::string& what,
                                 const std::string& by) {
  const TemporaryFolder folder;
  text.replace(text.find(what), what.size(), by);
  try {
    const auto program = read(folder.write("in", text));
    for (std::size_t rank = 0; rank < program->ranks(); ++rank)
      operations_of_task(*program, static_cast<int>(rank));
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

std::string dimemas_refusal(const std::string& what, const std::string& by) {
  return refusal_of_task_file(read_dimemas, dimemas_ring, what, by);
}
std::string paraver_refusal(const std::string& what, const std::string& by) {
  return refusal_of_task_file(read_paraver, paraver_pair, what, by);
}

TEST(Dimemas, ARingKeepsItsCommunicatorsSizesAndTimes) {
  const TemporaryFolder folder;
  const std::string file = folder.write("ring.dim", dimemas_ring);
  EXPECT_EQ(program_form(file), ProgramForm::dimemas);
  const auto program = read_dimemas(file);
  ASSERT_EQ(program->ranks(), 3u);
  const auto all = operations_of_task(*program, 0);
  ASSERT_EQ(all.size(), 10u);
  EXPECT_EQ(all[0].call, Call::MPI_Isend);
  EXPECT_EQ(all[0].elapsed, SimTime::from_ps(1'000'000));
  EXPECT_EQ(all[0].bytes, Bytes(1000));
  EXPECT_EQ(all[0].peer, Rank{1});
  EXPECT_EQ(all[0].tag, Tag{5});
  EXPECT_EQ(all[1].call, Call::MPI_Irecv);
  EXPECT_THAT(all[2].requests, ElementsAre(all[1].request));
  EXPECT_EQ(all[3].collective.kind, CollectiveKind::allreduce);
  EXPECT_EQ(all[3].context, world_context);  // communicator 1 has all tasks in order
  EXPECT_EQ(all[5].kind, OperationKind::context_created);
  EXPECT_THAT(all[5].members, ElementsAre(Rank{2}, Rank{0}));
  EXPECT_EQ(all[6].context, all[5].context);
  EXPECT_EQ(all[6].collective.kind, CollectiveKind::gatherv);
  EXPECT_EQ(all[6].collective.root, 0);  // task 2
  EXPECT_EQ(all[6].collective.bytes, Bytes(24));
  EXPECT_THAT(all[8].requests, ElementsAre(all[0].request));  // nothing else waits for the send
  EXPECT_EQ(all[8].elapsed, SimTime::from_ps(2'000'000));
  // The root gets what each member gives by its own line.
  const auto root = operations_of_task(*program, 2);
  EXPECT_THAT(root[6].collective.receive_sizes, ElementsAre(Bytes(40), Bytes(24)));
  EXPECT_TRUE(program->notices().empty());
}

TEST(Dimemas, SaysWhatItLeavesOut) {
  const TemporaryFolder folder;
  const auto program = read_dimemas(folder.write(
      "a.dim",
      "#DIMEMAS:\"a\":1,99:2(2,1),1\nd:1:1:2:0:1\nd:2:5\n1:0:1:0.5\n11:0:0:0.5\n3:0:0:1:8:3:1:2\n"
      "10:0:0:9:1:0:0:7:4\n10:1:0:9:1:0:0:4:7\ns:0:40:50\ns:1:90\n"));
  const auto all = operations_of_task(*program, 0);
  ASSERT_EQ(all.size(), 3u);
  // 7 B to two members: 4 and 3; of the other member's 4 B two are for each.
  EXPECT_THAT(all[0].collective.send_sizes, ElementsAre(Bytes(4), Bytes(3)));
  EXPECT_THAT(all[0].collective.receive_sizes, ElementsAre(Bytes(4), Bytes(2)));
  expect_messages(program->notices(), {"threads", "GPUs", "1 wait", "1 part"});
}

TEST(Dimemas, SaysFileLineAndWhatIsWrong) {
  expect_message(dimemas_refusal("#DIMEMAS", "#DIMENAS"), "in:1");
  expect_message(dimemas_refusal("3(1,1,1)", "999999(1,1,1)"), {"in:1", "999999 tasks"});
  expect_message(dimemas_refusal("d:1:2:2:2:0", "d:1:2:3:2:0"), "in:3");
  expect_message(dimemas_refusal("d:1:2:2:2:0", "d:1:1:2:2:0"), "communicator 1");
  expect_message(dimemas_refusal("d:1:2:2:2:0", "d:1:2:2:2:3"), {"communicator 2", "in:10"});
  expect_message(dimemas_refusal("1:0:0:0.000001000", "1:0:0:-1"), "in:4");
  expect_message(dimemas_refusal("1:0:0:0.000001000", "1:0:0:x"), {"in:4", "\"x\""});
  expect_message(dimemas_refusal("2:0:0:1:", "2:0:0:7:"), {"in:6", "is 7", "-1 to 2"});
  expect_message(dimemas_refusal("10:0:0:11:", "10:0:0:14:"), {"in:9: 14", "0 to 13"});
  expect_message(dimemas_refusal("10:0:0:3:2:2:0", "10:0:0:3:2:1:0"), {"communicator 2", "in:10"});
  expect_message(dimemas_refusal("20:0:0:", "77:0:0:"), {"in:5", "\"77\""});
}

TEST(Paraver, EventsStatesAndMessagesMakeAProgram) {
  const TemporaryFolder folder;
  const std::string file = folder.write("pair.prv", paraver_pair);
  EXPECT_EQ(program_form(file), ProgramForm::paraver);
  const auto program = read_paraver(file);
  ASSERT_EQ(program->ranks(), 2u);
  const auto ns = [](std::int64_t n) { return SimTime::from_ps(1000 * n); };
  const auto first = operations_of_task(*program, 0);
  ASSERT_EQ(first.size(), 8u);
  EXPECT_EQ(first[0].call, Call::MPI_Isend);
  EXPECT_EQ(first[0].elapsed, ns(1000));
  EXPECT_EQ(first[0].bytes, Bytes(1000));
  EXPECT_EQ(first[0].tag, Tag{5});
  EXPECT_EQ(first[1].call, Call::MPI_Waitall);
  EXPECT_EQ(first[1].elapsed, ns(200));
  EXPECT_THAT(first[1].requests, ElementsAre(first[0].request));
  EXPECT_EQ(first[2].call, Call::MPI_Recv);
  EXPECT_EQ(first[2].elapsed, ns(100));
  EXPECT_EQ(first[2].bytes, Bytes(8));
  EXPECT_THAT(first[4].members, ElementsAre(Rank{1}, Rank{0}));
  EXPECT_EQ(first[4].elapsed, ns(1000));
  EXPECT_EQ(first[5].collective.kind, CollectiveKind::broadcast);
  EXPECT_EQ(first[5].collective.bytes, Bytes(16));
  EXPECT_EQ(first[5].collective.root, 0);
  EXPECT_EQ(first[7].elapsed, ns(2000));
  const auto second = operations_of_task(*program, 1);
  ASSERT_EQ(second.size(), 8u);
  EXPECT_EQ(second[0].call, Call::MPI_Irecv);
  EXPECT_EQ(second[0].elapsed, ns(500));
  EXPECT_EQ(second[1].call, Call::MPI_Wait);
  EXPECT_THAT(second[1].requests, ElementsAre(second[0].request));
  EXPECT_EQ(second[2].call, Call::MPI_Send);
  EXPECT_EQ(second[2].elapsed, ns(500));
  expect_messages(program->notices(), {"1 send"});
}

// The .pcf beside a trace says what its numbers mean; without _ns times are in microseconds.
TEST(Paraver, NamesOfCallsAndUnitsAreTheFiles) {
  const TemporaryFolder folder;
  folder.write("a.pcf",
               "STATES\n1 Running\n\nEVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n77 MPI_Barrier\n8 "
               "MPI_Reduce\n\n");
  const auto program = read_paraver(
      folder.write("a.prv",
                   "#Paraver (1/1/26 at 1:00):9:1(1):1:1(1:1),1\nc:1:1:1:1\n1:1:1:1:1:0:2:2\n"
                   "2:1:1:1:1:3:50000002:77\n2:1:1:1:1:4:50000002:0\n2:1:1:1:1:4:50000002:8:50100001:64\n"
                   "2:1:1:1:1:5:50000002:0\n2:1:1:1:1:6:50000003:23\n2:1:1:1:1:6:50000003:0\n"));
  const auto all = operations_of_task(*program, 0);
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[0].call, Call::MPI_Barrier);
  EXPECT_EQ(all[0].elapsed, SimTime::from_ps(1'000'000));  // not created until 2 us
  EXPECT_EQ(all[2].call, Call::MPI_Reduce);
  EXPECT_EQ(all[2].collective.bytes, Bytes(64));
  expect_messages(program->notices(), {"MPI_Comm_split"});
}

TEST(Paraver, SaysFileLineAndWhatIsWrong) {
  expect_message(paraver_refusal("#Paraver (", "#Paraver ["), "in:1");
  expect_message(paraver_refusal("2(1:1,1:1)", "5(1:1,1:1)"), {"in:1", "5 tasks"});
  expect_message(paraver_refusal("c:1:2:2:2:1", "c:1:2:2:2:9"), {"communicator 2", "in:23"});
  expect_message(paraver_refusal("2:1:1:1:1:1000:50000001:3", "2:1:1:3:1:1000:50000001:3"),
                 {"in:9", "is 3", "1 to 2"});
  expect_message(paraver_refusal("2:1:1:1:1:1200:", "2:1:1:1:1:900:"), "in:12");
  expect_message(paraver_refusal("1:1:1:1:1:0:1000:1", "1:1:1:1:1:1000:0:1"), "in:4");
  expect_message(paraver_refusal("1:1:1:1:1:0:1000:1", "4:1:1:1:1:0:1000:1"), "\"4\"");
  expect_message(paraver_refusal(":7000:1000:5", ":7000:-1:5"), {"in:10", "is -1", "1099511627776"});
  expect_message(paraver_refusal(":50000001:4", ":50000001"), "in:6");
}

}  // namespace
}  // namespace morgana
