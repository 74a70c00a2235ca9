// Records as dumpi/common/dumpiio.c of sst-dumpi writes them, with numbers by its own list of calls.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "tests/support/dumpi_writer.h"
#include "tests/support/messages.h"
#include "traces/import/imported_program.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace morgana::testing;

constexpr int everyone = 2, no_communicator = 1;

struct Imported {
  std::vector<std::vector<Operation>> ranks;
  std::vector<std::string> notices;
  std::string refusal;
};

Imported imported(const std::vector<std::string>& files) {
  const TemporaryFolder folder;
  Imported all;
  try {
    const auto program = read_dumpi(write_dumpi(folder, files));
    for (std::size_t rank = 0; rank < files.size(); ++rank) {
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

/// All ranks have the same file.
Imported imported(const DumpiRank& calls, int ranks = 2) {
  return imported(std::vector<std::string>(static_cast<std::size_t>(ranks), calls.file()));
}

std::string doubles(int count, int peer, int tag, int communicator = everyone) {
  return n4(count) + n2(dumpi_double) + n4(peer) + n4(tag) + n2(communicator);
}

/// The collective of rank `rank` when each of two ranks calls what `arguments` say for it.
template <typename Arguments>
CollectivePart part_of(int number, int rank, const Arguments& arguments) {
  std::vector<std::string> files;
  for (int one = 0; one < 2; ++one) files.push_back(DumpiRank().call(number, arguments(one)).file());
  const Imported all = imported(files);
  EXPECT_EQ(all.refusal, "");
  EXPECT_THAT(all.notices, IsEmpty());
  return all.refusal.empty() ? all.ranks[static_cast<std::size_t>(rank)][0].collective : CollectivePart();
}

// Root 1 of two ranks, with 3 doubles a rank, and in the v-forms 3 doubles of rank 0 and 5 of rank 1.
TEST(DumpiCalls, GatherAndScatterHaveTheirSizesAtTheRootAndElsewhere) {
  const auto only_root = [](int rank, const std::string& text) { return rank == 1 ? text : std::string(); };
  const auto gather = [&](int rank) {
    return n4(rank) + n4(3) + n2(dumpi_double) + n4(1) + n2(everyone) +
           only_root(rank, n4(3) + n2(dumpi_double));
  };
  for (const int number : {number::gather, number::scatter})
    for (const int rank : {0, 1}) {
      const CollectivePart part = part_of(number, rank, gather);
      EXPECT_EQ(part.kind, number == number::gather ? CollectiveKind::gather : CollectiveKind::scatter);
      EXPECT_EQ(part.root, 1);
      EXPECT_EQ(part.bytes, Bytes(24));
    }
  const auto gatherv = [&](int rank) {
    return n4(rank) + n4(2) + n4(rank == 0 ? 3 : 5) + n2(dumpi_double) + n4(1) + n2(everyone) +
           only_root(rank, list_of({3, 5}) + list_of({0, 3})) + n2(dumpi_double);
  };
  EXPECT_EQ(part_of(number::gatherv, 0, gatherv).bytes, Bytes(24));
  EXPECT_THAT(part_of(number::gatherv, 1, gatherv).receive_sizes, ElementsAre(Bytes(24), Bytes(40)));
  const auto scatterv = [&](int rank) {
    return n4(rank) + n4(2) + n2(dumpi_double) + n4(rank == 0 ? 3 : 5) + n2(dumpi_double) + n4(1) +
           n2(everyone) + only_root(rank, list_of({3, 5}) + list_of({0, 3}));
  };
  EXPECT_EQ(part_of(number::scatterv, 0, scatterv).bytes, Bytes(24));
  EXPECT_THAT(part_of(number::scatterv, 1, scatterv).send_sizes, ElementsAre(Bytes(24), Bytes(40)));
}

TEST(DumpiCalls, AllgatherAndAlltoallHaveASizeAMember) {
  const auto all = [](int) { return n4(3) + n2(dumpi_int) + n4(3) + n2(dumpi_int) + n2(everyone); };
  EXPECT_EQ(part_of(number::allgather, 0, all).bytes, Bytes(12));
  EXPECT_EQ(part_of(number::alltoall, 0, all).bytes, Bytes(12));
  const auto allgatherv = [](int rank) {
    return n4(2) + n4(rank == 0 ? 3 : 5) + n2(dumpi_int) + list_of({3, 5}) + list_of({0, 3}) + n2(dumpi_int) +
           n2(everyone);
  };
  EXPECT_THAT(part_of(number::allgatherv, 1, allgatherv).receive_sizes, ElementsAre(Bytes(12), Bytes(20)));
  // Rank 0 gives rank 1 two ints, and gets one back; both keep three.
  const auto alltoallv = [](int rank) {
    const int sent = rank == 0 ? 2 : 1, got = 3 - sent;
    const auto counts = [&](int other) { return rank == 0 ? list_of({3, other}) : list_of({other, 3}); };
    return n4(2) + counts(sent) + list_of({0, 3}) + n2(dumpi_int) + counts(got) + list_of({0, 3}) +
           n2(dumpi_int) + n2(everyone);
  };
  EXPECT_THAT(part_of(number::alltoallv, 0, alltoallv).send_sizes, ElementsAre(Bytes(12), Bytes(8)));
  EXPECT_THAT(part_of(number::alltoallv, 0, alltoallv).receive_sizes, ElementsAre(Bytes(12), Bytes(4)));
  const auto alltoallw = [](int rank) {
    const auto types = n4(2) + n2(dumpi_int) + n2(dumpi_double);
    const auto counts = rank == 0 ? list_of({1, 2}) : list_of({2, 1});
    return n4(2) + counts + list_of({0, 9}) + types + counts + list_of({0, 9}) + types + n2(everyone);
  };
  EXPECT_THAT(part_of(number::alltoallw, 0, alltoallw).send_sizes, ElementsAre(Bytes(4), Bytes(16)));
}

// In place the counts of what is sent mean nothing; its type is null.
TEST(DumpiCalls, AlltoallvInPlaceGivesWhatItReceives) {
  constexpr int null_type = 1;
  const auto in_place = [](int) {
    return n4(2) + list_of({7, 9}) + list_of({0, 7}) + n2(null_type) + list_of({5, 6}) + list_of({0, 5}) +
           n2(dumpi_double) + n2(everyone);
  };
  const CollectivePart part = part_of(number::alltoallv, 0, in_place);
  EXPECT_THAT(part.send_sizes, ElementsAre(Bytes(40), Bytes(48)));
  EXPECT_THAT(part.receive_sizes, ElementsAre(Bytes(40), Bytes(48)));
}

TEST(DumpiCalls, ReductionsHaveElementsAndOrders) {
  constexpr int sum = 3, own = 16;
  const auto reduce = [](int) { return n4(5) + n2(dumpi_int) + n1(sum) + n4(1) + n2(everyone); };
  const CollectivePart reduced = part_of(number::reduce, 0, reduce);
  EXPECT_EQ(reduced.root, 1);
  EXPECT_EQ(reduced.bytes, Bytes(20));
  EXPECT_EQ(reduced.element, Bytes(4));
  EXPECT_TRUE(reduced.commutative);
  const auto scan = [](int) { return n4(5) + n2(dumpi_double) + n1(sum) + n2(everyone); };
  EXPECT_EQ(part_of(number::scan, 0, scan).kind, CollectiveKind::scan);
  EXPECT_EQ(part_of(number::exscan, 0, scan).kind, CollectiveKind::exscan);
  EXPECT_EQ(part_of(number::exscan, 0, scan).bytes, Bytes(40));
  const auto reduce_scatter = [](int) {
    return n4(2) + list_of({3, 5}) + n2(dumpi_int) + n1(sum) + n2(everyone);
  };
  EXPECT_THAT(part_of(number::reduce_scatter, 0, reduce_scatter).send_sizes,
              ElementsAre(Bytes(12), Bytes(20)));
  DumpiRank ordered;
  ordered.call(number::op_create, n4(0) + n1(own));
  ordered.call(number::allreduce, n4(1) + n2(dumpi_int) + n1(own) + n2(everyone));
  EXPECT_FALSE(imported(ordered).ranks[0][0].collective.commutative);
}

// Four receives are open; Waitsome returns the third and the first, Testany the second, Testsome nothing and
// Testall the rest.
TEST(DumpiCalls, WaitsAndTestsAreForWhatTheyReturned) {
  DumpiRank calls;
  for (const int request : {2, 3, 4, 5}) calls.call(number::irecv, doubles(1, 1, request) + n4(request));
  calls.call(number::waitsome, n4(4) + list_of({2, 3, 4, 5}) + n4(2) + list_of({2, 0}) + n4(2) +
                                   status(8, 1, 4) + status(8, 1, 2));
  calls.call(number::testany, n4(3) + list_of({1, 3, 5}) + n4(1) + n4(1) + n4(1) + status(8, 1, 3));
  calls.call(number::testsome, n4(2) + list_of({1, 5}) + n4(0) + list_of({}) + no_status());
  calls.call(number::testall, n4(2) + list_of({1, 5}) + n4(1) + no_status());
  const Imported all = imported(calls);
  const std::vector<Operation>& first = all.ranks[0];
  ASSERT_EQ(first.size(), 9u);
  EXPECT_THAT(first[4].requests, ElementsAre(first[2].request, first[0].request));
  EXPECT_EQ(first[4].call, Call::MPI_Waitsome);
  EXPECT_THAT(first[5].requests, ElementsAre(first[1].request));
  EXPECT_EQ(first[6].kind, OperationKind::test);
  EXPECT_THAT(first[6].requests, ElementsAre(first[3].request));
  EXPECT_EQ(first[7].kind, OperationKind::wait);
  EXPECT_THAT(first[7].requests, ElementsAre(first[3].request));
  EXPECT_THAT(all.notices, IsEmpty());
}

// On the platform of an import a send has ended at once: asked for there, it would be awaited in a replay
// where the recorded program went on.
TEST(DumpiCalls, ATestThatFoundNothingDoesNotAskForSends) {
  DumpiRank calls;
  calls.call(number::isend, doubles(1, 1, 1) + n4(2));
  calls.call(number::test, n4(2) + n4(0) + no_status());
  calls.call(number::irecv, doubles(1, 1, 1) + n4(3));
  calls.call(number::testany, n4(2) + list_of({2, 3}) + n4(-1) + n4(0) + no_status());
  calls.call(number::waitall, n4(2) + list_of({2, 3}) + no_status());
  const Imported all = imported(calls);
  const std::vector<Operation>& first = all.ranks[0];
  ASSERT_EQ(first.size(), 5u);
  EXPECT_EQ(first[2].kind, OperationKind::test);
  EXPECT_THAT(first[2].requests, ElementsAre(first[1].request));
  EXPECT_THAT(first[3].requests, ElementsAre(first[0].request, first[1].request));
}

TEST(DumpiCalls, AProbeThatFoundNothingIsNotOneThatSaysNothing) {
  DumpiRank calls;
  calls.call(number::iprobe, n4(-1) + n4(-1) + n2(everyone) + n4(0) + no_status());
  calls.call(number::iprobe, n4(-1) + n4(-1) + n2(everyone) + n4(1) + n4(1) + status(80, 1, 5));
  calls.call(number::probe, n4(1) + n4(6) + n2(everyone) + no_status());
  const Imported all = imported(calls);
  EXPECT_EQ(all.ranks[0][0].kind, OperationKind::test_probe);
  EXPECT_EQ(all.ranks[0][0].peer, any_rank);
  EXPECT_EQ(all.ranks[0][1].kind, OperationKind::probe);
  EXPECT_EQ(all.ranks[0][1].peer, Rank{1});
  EXPECT_EQ(all.ranks[0][1].tag, Tag{5});
  EXPECT_EQ(all.ranks[0][2].tag, Tag{6});
  EXPECT_THAT(all.notices, IsEmpty());
}

// A status says whether a receive was cancelled or had come before.
TEST(DumpiCalls, CancelIsCarriedOutIfItSucceeded) {
  for (const bool cancelled : {false, true}) {
    DumpiRank calls;
    calls.call(number::irecv, doubles(1, 1, 9) + n4(2));
    calls.call(number::cancel, n4(2));
    calls.call(number::wait, n4(2) + n4(1) + status(0, 1, 9, cancelled));
    const Imported all = imported(calls);
    EXPECT_EQ(all.ranks[0][1].kind, cancelled ? OperationKind::cancel : OperationKind::wait);
    EXPECT_THAT(all.notices, IsEmpty());
  }
  DumpiRank unknown;
  unknown.call(number::irecv, doubles(1, 1, 9) + n4(2));
  unknown.call(number::cancel, n4(2));
  unknown.call(number::wait, n4(2) + no_status());
  EXPECT_THAT(imported(unknown).notices, ElementsAre(HasSubstr("2 MPI_Cancel are carried out, though")));
}

TEST(DumpiCalls, EachStartOfAPersistentReceiveGetsItsOwnMessage) {
  DumpiRank calls;
  calls.call(number::recv_init, doubles(10, -1, -1) + n4(2));
  calls.call(number::start, n4(2));
  calls.call(number::wait, n4(2) + n4(1) + status(80, 2, 7));
  calls.call(number::startall, n4(1) + list_of({2}));
  calls.call(number::wait, n4(2) + n4(1) + status(80, 1, 8));
  const Imported all = imported(calls, 3);
  ASSERT_EQ(all.ranks[0].size(), 5u);
  EXPECT_EQ(all.ranks[0][0].peer, Rank{2});
  EXPECT_EQ(all.ranks[0][0].tag, Tag{7});
  EXPECT_EQ(all.ranks[0][0].bytes, Bytes(80));
  EXPECT_EQ(all.ranks[0][2].peer, Rank{1});
  EXPECT_EQ(all.ranks[0][2].tag, Tag{8});
  EXPECT_THAT(all.notices, IsEmpty());
}

// MPICH's MPI_PROC_NULL is -1, as any source is in these files: a send to it tells.
TEST(DumpiCalls, AReceiveFromNobodyIsToldFromOneFromAnybody) {
  std::vector<std::string> files;
  for (const int rank : {0, 1}) {
    DumpiRank calls;
    const int left = rank - 1, right = rank == 0 ? 1 : -1;
    calls.call(number::irecv, doubles(1, left, 1) + n4(2));
    calls.call(number::irecv, doubles(1, right, 1) + n4(3));
    calls.call(number::isend, doubles(1, left, 1) + n4(4));
    calls.call(number::isend, doubles(1, right, 1) + n4(5));
    calls.call(number::waitall, n4(4) + list_of({2, 3, 4, 5}) + no_status());
    files.push_back(calls.file());
  }
  const Imported all = imported(files);
  for (const int rank : {0, 1}) {
    const std::vector<Operation>& operations = all.ranks[static_cast<std::size_t>(rank)];
    ASSERT_EQ(operations.size(), 4u);  // a receive, a send, a wait for both and the exit
    EXPECT_EQ(operations[0].peer, Rank{1 - rank});
    EXPECT_EQ(operations[2].requests.size(), 2u);
  }
  expect_messages(all.notices, {"2 receives", "source -1", "MPI_PROC_NULL"});
  // MPI_Cart_shift tells it, too.
  DumpiRank shifted;
  shifted.call(number::cart_shift, n2(everyone) + n4(0) + n4(1) + n4(-1) + n4(1));
  shifted.call(number::recv, doubles(1, -1, 1) + no_status());
  EXPECT_EQ(imported(shifted).ranks[0].size(), 1u);
  DumpiRank anybody;
  anybody.call(number::recv, doubles(1, -1, 1) + no_status());
  EXPECT_EQ(imported(anybody).ranks[0][0].peer, any_rank);
}

TEST(DumpiCalls, WaitsForMessagesOfNobodyAreNoSurprise) {
  constexpr int nobody = -2;
  DumpiRank calls;
  calls.call(number::irecv, doubles(1, nobody, 1) + n4(2));
  calls.call(number::isend, doubles(1, nobody, 1) + n4(3));
  calls.call(number::waitall, n4(2) + list_of({2, 3}) + no_status());
  const Imported all = imported(calls);
  EXPECT_EQ(all.ranks[0].size(), 1u);
  EXPECT_THAT(all.notices, IsEmpty());
}

// libdumpi numbers requests in 16 bits with a sign.
TEST(DumpiCalls, RequestsBelowZeroAreAwaited) {
  DumpiRank calls;
  calls.call(number::irecv, doubles(1, 1, 1) + n4(-30000));
  calls.call(number::wait, n4(-30000) + no_status());
  calls.call(number::wait, n4(-29999) + no_status());
  const Imported all = imported(calls);
  ASSERT_EQ(all.ranks[0].size(), 3u);
  EXPECT_THAT(all.ranks[0][1].requests, ElementsAre(all.ranks[0][0].request));
  expect_messages(all.notices, {"2 waits and tests"});
}

TEST(DumpiCalls, RequestsOf8BitsAreRefusedWhereTheyCanNotBeTold) {
  DumpiRank calls;
  calls.call(number::irecv, doubles(1, 1, 1) + n4(2));
  calls.call(number::irecv, doubles(1, 1, 2) + n4(2));
  const auto all = [&](int version) {
    return imported(std::vector<std::string>(2, calls.file({}, version)));
  };
  EXPECT_THAT(all(65).refusal, HasSubstr("t-0000.bin: offset 53: request 2 is pending already"));
  EXPECT_EQ(all(67).refusal, "");
  EXPECT_THAT(all(67).notices, ElementsAre(HasSubstr("2 requests are never awaited")));
}

// MPI was allowed to number a grid's ranks anew, and has: rank 0 is 1 there.
TEST(DumpiCalls, ATopologyHasTheOrderThatItsRanksWereTold) {
  constexpr int grid = 4;
  const auto files = [](bool told) {
    std::vector<std::string> all;
    for (const int rank : {0, 1}) {
      DumpiRank calls;
      calls.call(number::cart_create, n2(everyone) + n4(1) + list_of({2}) + list_of({0}) + n4(1) + n2(grid));
      if (told) calls.call(number::comm_rank, n2(grid) + n4(1 - rank));
      if (rank == 0) calls.call(number::send, doubles(1, 0, 1, grid));
      all.push_back(calls.file());
    }
    return all;
  };
  const Imported told = imported(files(true));
  EXPECT_THAT(told.ranks[0][2].members, ElementsAre(Rank{1}, Rank{0}));
  EXPECT_EQ(told.ranks[0][3].peer, Rank{1});
  EXPECT_THAT(told.notices, IsEmpty());
  const Imported not_told = imported(files(false));
  EXPECT_THAT(not_told.ranks[0][2].members, ElementsAre(Rank{0}, Rank{1}));
  expect_messages(not_told.notices, {"2 ranks"});
  DumpiRank wrong;
  wrong.call(number::comm_dup, n2(everyone) + n2(grid));
  wrong.call(number::comm_rank, n2(grid) + n4(0));
  EXPECT_THAT(imported(wrong).refusal,
              HasSubstr("t-0001.bin: offset 37: the communicator had another order"));
}

TEST(DumpiCalls, GroupsAreMadeOfGroups) {
  constexpr int all_group = 3, low = 4, high = 5, result = 6, made = 7;
  struct Case {
    int number;
    std::vector<int> members;
  };
  // low is {0, 1, 2}, high {3, 2}.
  for (const Case& one : {Case{number::group_union, {0, 1, 2, 3}}, Case{number::group_intersection, {2}},
                          Case{number::group_difference, {0, 1}}}) {
    std::vector<std::string> files;
    for (int rank = 0; rank < 4; ++rank) {
      const bool member = std::ranges::find(one.members, rank) != one.members.end();
      DumpiRank calls;
      calls.call(number::comm_group, n2(everyone) + n2(all_group));
      calls.call(number::group_excl, n2(all_group) + n4(1) + list_of({3}) + n2(low));
      calls.call(number::group_incl, n2(all_group) + n4(2) + list_of({3, 2}) + n2(high));
      calls.call(one.number, n2(low) + n2(high) + n2(result));
      calls.call(number::comm_create, n2(everyone) + n2(result) + n2(member ? made : no_communicator));
      files.push_back(calls.file());
    }
    const Imported all = imported(files);
    ASSERT_EQ(all.refusal, "");
    std::vector<Rank> expected;
    for (const int member : one.members) expected.push_back(Rank{member});
    EXPECT_EQ(all.ranks[static_cast<std::size_t>(one.members[0])][2].members, expected) << one.number;
  }
}

TEST(DumpiCalls, AskingForAParentAndLeavingACommunicatorAreHarmless) {
  DumpiRank calls;
  calls.call(number::comm_get_parent, n2(no_communicator));
  calls.call(number::comm_dup, n2(everyone) + n2(4));
  calls.call(number::comm_disconnect, n2(4));
  EXPECT_EQ(imported(calls).refusal, "");
  DumpiRank child;
  child.call(number::comm_get_parent, n2(5));
  EXPECT_THAT(imported(child).refusal,
              HasSubstr("MPI_Comm_get_parent: processes that join or are spawned can't be imported; record"));
}

// A type that libdumpi did not know has number 0; its elements are not nothing.
TEST(DumpiCalls, MessagesOfUnknownTypesAreCounted) {
  DumpiRank calls;
  calls.call(number::send, n4(1000) + n2(0) + n4(1) + n4(1) + n2(everyone));
  const Imported all = imported(calls);
  EXPECT_EQ(all.ranks[0][0].bytes, Bytes(1000));
  expect_messages(all.notices, {"2 messages and collectives", "1 byte"});
}

}  // namespace
}  // namespace morgana
