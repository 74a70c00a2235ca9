#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "tests/support/dumpi_writer.h"
#include "tests/support/messages.h"
#include "traces/import/imported_program.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using namespace morgana::testing;

constexpr int world = 2;

std::vector<Operation> operations_of_rank(ImportedProgram& program, int rank) {
  std::vector<Operation> all;
  do {
    program.next(Rank{rank}, all.emplace_back());
  } while (all.back().kind != OperationKind::exit);
  return all;
}

/// A rank's operations; the other ranks have the same file.
std::vector<Operation> operations_of_dumpi(const DumpiRank& calls, const std::vector<int>& sizes = {},
                                           std::vector<std::string>* notices = nullptr, int ranks = 2) {
  const TemporaryFolder folder;
  const auto program = read_dumpi(
      write_dumpi(folder, std::vector<std::string>(static_cast<std::size_t>(ranks), calls.file(sizes))));
  auto all = operations_of_rank(*program, 0);
  if (notices != nullptr) *notices = program->notices();
  return all;
}

std::string dumpi_refusal(const std::vector<std::string>& files) {
  const TemporaryFolder folder;
  try {
    const auto program = read_dumpi(write_dumpi(folder, files));
    for (std::size_t rank = 0; rank < files.size(); ++rank)
      operations_of_rank(*program, static_cast<int>(rank));
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

TEST(Dumpi, ARingKeepsItsCommunicatorsSizesAndTimes) {
  const TemporaryFolder folder;
  const std::string meta = write_dumpi(folder, dumpi_ring());
  EXPECT_EQ(program_form(meta), ProgramForm::dumpi);
  EXPECT_EQ(program_form(folder / "t-0002.bin"), ProgramForm::dumpi);
  const auto program = read_dumpi(meta);
  ASSERT_EQ(program->ranks(), 4u);
  const auto all = operations_of_rank(*program, 0);
  ASSERT_EQ(all.size(), 13u);
  // Split: 50 ns after MPI_Comm_rank.
  EXPECT_EQ(all[0].collective.kind, CollectiveKind::create_context);
  EXPECT_EQ(all[0].elapsed, SimTime::from_ps(100'000));
  EXPECT_EQ(all[2].kind, OperationKind::context_created);
  EXPECT_THAT(all[2].members, ElementsAre(Rank{2}, Rank{0}));  // by descending rank, as the keys say
  const Context half = all[2].context;
  EXPECT_EQ(all[3].kind, OperationKind::send);
  EXPECT_EQ(all[3].elapsed, SimTime::from_ps(1'000'000));
  EXPECT_EQ(all[3].bytes, Bytes(800));
  EXPECT_EQ(all[3].peer, Rank{1});
  EXPECT_EQ(all[3].context, world_context);
  // Its completion says what the receive of anything got.
  EXPECT_EQ(all[4].peer, Rank{3});
  EXPECT_EQ(all[4].tag, Tag{7});
  EXPECT_THAT(all[5].requests, ElementsAre(all[3].request, all[4].request));
  EXPECT_EQ(all[6].collective.kind, CollectiveKind::allreduce);
  EXPECT_EQ(all[6].context, half);
  EXPECT_EQ(all[6].collective.bytes, Bytes(20));
  EXPECT_EQ(all[6].collective.element, Bytes(4));
  // Member 0 of its half, which has sent it 10 characters, is rank 2.
  EXPECT_EQ(all[8].kind, OperationKind::receive);
  EXPECT_EQ(all[8].peer, Rank{2});
  EXPECT_EQ(all[8].context, half);
  EXPECT_EQ(all[8].bytes, Bytes(10));
  EXPECT_EQ(all[10].collective.root, 1);
  EXPECT_EQ(all[10].collective.bytes, Bytes(24));
  EXPECT_EQ(all[12].elapsed, SimTime::from_ps(3'000'000));
  EXPECT_TRUE(program->notices().empty());
}

TEST(Dumpi, GroupsAndTopologiesMakeCommunicators) {
  constexpr int all_group = 3, some_group = 4, of_group = 5, grid = 6, row = 7;
  std::vector<std::string> files;
  for (int rank = 0; rank < 4; ++rank) {
    DumpiRank calls;
    calls.call(number::comm_group, n2(world) + n2(all_group));
    // Members 3 and 1, by a range.
    calls.call(number::group_range_incl,
               n2(all_group) + n4(1) + n4(1) + list_of({3, 1, -2}) + n2(some_group));
    calls.call(number::comm_create, n2(world) + n2(some_group) + n2(rank % 2 == 1 ? of_group : 1));
    if (rank % 2 == 1) calls.call(number::barrier, n2(of_group));
    // A grid of two rows of two, and its rows.
    calls.call(number::cart_create, n2(world) + n4(2) + list_of({2, 2}) + list_of({0, 0}) + n4(0) + n2(grid));
    calls.call(number::cart_sub, n4(2) + n2(grid) + list_of({0, 1}) + n2(row));
    calls.call(number::sendrecv, n4(1) + n2(dumpi_int) + n4(1 - rank % 2) + n4(5) + n4(1) + n2(dumpi_int) +
                                     n4(1 - rank % 2) + n4(5) + n2(row) + no_status());
    files.push_back(calls.file());
  }
  const TemporaryFolder folder;
  const auto program = read_dumpi(write_dumpi(folder, files));
  const auto odd = operations_of_rank(*program, 3);
  std::vector<std::vector<Rank>> made;
  for (const Operation& operation : odd)
    if (operation.kind == OperationKind::context_created) made.push_back(operation.members);
  ASSERT_EQ(made.size(), 3u);
  EXPECT_THAT(made[0], ElementsAre(Rank{3}, Rank{1}));
  EXPECT_EQ(made[1].size(), 4u);
  EXPECT_THAT(made[2], ElementsAre(Rank{2}, Rank{3}));
  EXPECT_EQ(odd[odd.size() - 4].peer, Rank{2});  // of the exchange, the wait and the exit
  // Who is not in the group makes the call, too.
  const auto even = operations_of_rank(*program, 0);
  EXPECT_EQ(even[2].kind, OperationKind::nothing);
  EXPECT_EQ(even[2].call, Call::MPI_Comm_create);
}

TEST(Dumpi, PersistentRequestsStartAgain) {
  DumpiRank calls;
  calls.call(number::ssend_init, n4(3) + n2(dumpi_int) + n4(1) + n4(9) + n2(world) + n4(2));
  calls.call(number::recv_init, n4(3) + n2(dumpi_int) + n4(1) + n4(9) + n2(world) + n4(3));
  for (int i = 0; i < 2; ++i) {
    calls.call(number::startall, n4(2) + list_of({2, 3}));
    calls.call(number::waitany, n4(2) + list_of({2, 3}) + n4(1) + no_status());
    calls.call(number::wait, n4(2) + no_status());
  }
  calls.call(number::request_free, n4(2));
  const auto all = operations_of_dumpi(calls);
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(all[0].mode, SendMode::synchronous);
  EXPECT_EQ(all[0].bytes, Bytes(12));
  EXPECT_EQ(all[1].kind, OperationKind::receive);
  EXPECT_THAT(all[2].requests, ElementsAre(all[1].request));  // the one whose index was returned
  EXPECT_THAT(all[3].requests, ElementsAre(all[0].request));
  EXPECT_NE(all[4].request, all[0].request);
}

TEST(Dumpi, ATestWaitsForWhatItFoundAndAsksAgainForWhatItDidNot) {
  DumpiRank calls;
  calls.call(number::irecv, n4(3) + n2(dumpi_int) + n4(1) + n4(9) + n2(world) + n4(2));
  calls.call(number::test, n4(2) + n4(0) + no_status());
  calls.call(number::test, n4(2) + n4(1) + no_status());
  calls.call(number::wait, n4(2) + no_status());  // of a request that is null then
  std::vector<std::string> notices;
  const auto all = operations_of_dumpi(calls, {}, &notices);
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].kind, OperationKind::test);
  EXPECT_EQ(all[2].kind, OperationKind::wait);
  expect_messages(notices, {"1 wait or test"});
}

TEST(Dumpi, WhatATestFindsOnImportingIsNotWaitedForAgain) {
  const TemporaryFolder folder;
  DumpiRank calls;
  calls.call(number::irecv, n4(3) + n2(dumpi_int) + n4(1) + n4(9) + n2(world) + n4(2));
  calls.call(number::test, n4(2) + n4(0) + no_status());
  calls.call(number::wait, n4(2) + no_status());
  const auto program = read_dumpi(write_dumpi(folder, {calls.file(), calls.file()}));
  Operation receive, operation;
  program->next(Rank{0}, receive);
  program->next(Rank{0}, operation);
  Completed completed;
  completed.request = receive.request;
  program->found_complete(Rank{0}, {&completed, 1});
  program->next(Rank{0}, operation);
  EXPECT_EQ(operation.kind, OperationKind::exit);
}

// 3 blocks of 2 doubles are 48 B; a struct of 2 such and an int 100 B; the file's table has 12 B for type 31,
// and nothing has a size for type 40, whose elements count as a byte each.
TEST(Dumpi, SizesOfDatatypesFollowFromHowTheyAreMade) {
  constexpr int vector = 29, structure = 30, of_table = 31, unknown = 40;
  DumpiRank calls;
  const auto send = [&](int type) { calls.call(number::send, n4(2) + n2(type) + n4(1) + n4(9) + n2(world)); };
  calls.call(number::type_vector, n4(3) + n4(2) + n4(5) + n2(dumpi_double) + n2(vector));
  calls.call(number::type_struct, n4(2) + list_of({2, 1}) + list_of({0, 200}) + n4(2) + n2(vector) +
                                      n2(dumpi_int) + n2(structure));
  for (const int type : {vector, structure, of_table, unknown}) send(type);
  std::vector<int> sizes(32, 0);
  sizes[dumpi_int] = 4;
  sizes[dumpi_double] = 8;
  sizes[of_table] = 12;
  std::vector<std::string> notices;
  const auto all = operations_of_dumpi(calls, sizes, &notices);
  ASSERT_EQ(all.size(), 9u);
  EXPECT_EQ(all[0].bytes, Bytes(96));
  EXPECT_EQ(all[2].bytes, Bytes(200));
  EXPECT_EQ(all[4].bytes, Bytes(24));
  EXPECT_EQ(all[6].bytes, Bytes(2));
  expect_messages(notices, {"1 message or collective"});
}

TEST(Dumpi, NobodyIsNoPeer) {
  constexpr int nobody = -1;
  DumpiRank calls;
  calls.call(number::send, n4(2) + n2(dumpi_int) + n4(nobody) + n4(9) + n2(world));
  // MPICH's MPI_PROC_NULL has the number of any source; its status has no source.
  calls.call(number::recv,
             n4(2) + n2(dumpi_int) + n4(nobody) + n4(9) + n2(world) + n4(1) + status(0, nobody, -1));
  calls.call(number::recv, n4(2) + n2(dumpi_int) + n4(-2) + n4(9) + n2(world) + no_status());
  const auto all = operations_of_dumpi(calls);
  EXPECT_EQ(all.size(), 1u);
}

TEST(Dumpi, SaysWhatItLeavesOut) {
  DumpiRank calls;
  calls.call(number::file_close, n2(3), 100);
  calls.call(number::barrier, n2(world), 100, 1);
  calls.call(number::recv, n4(2) + n2(dumpi_int) + n4(-1) + n4(9) + n2(world) + no_status());
  calls.call(number::finalize);
  std::vector<std::string> notices;
  const auto all = operations_of_dumpi(calls, {}, &notices);
  EXPECT_EQ(all[2].peer, any_rank);
  expect_messages(notices, {"1 receive or probe", "1 call on files", "1 call is"});
}

TEST(Dumpi, RefusesWhatCanNotBe) {
  const auto two = [](const DumpiRank& calls) { return std::vector<std::string>(2, calls.file()); };
  DumpiRank put;
  put.call(number::barrier, n2(world))
      .call(number::put, n4(1) + n2(9) + n4(1) + n4(0) + n4(1) + n2(9) + n2(1));
  expect_message(dumpi_refusal(two(put)), {"t-0000.bin: offset 35: MPI_Put", "one-sided"});
  DumpiRank unknown;
  unknown.call(number::barrier, n2(9));
  expect_message(dumpi_refusal(two(unknown)), {"t-0000.bin: offset 16", "communicator 9"});
  DumpiRank split;
  split.call(number::comm_split, n2(world) + n4(0) + n4(0) + n2(4));
  expect_message(dumpi_refusal({split.file(), DumpiRank().file()}), {"MPI_Comm_split", "2 ranks"});
  DumpiRank dup;
  dup.call(number::comm_dup, n2(world) + n2(4));
  expect_message(dumpi_refusal({split.file(), dup.file()}), {"rank 0", "MPI_Comm_split"});
  DumpiRank peer;
  peer.call(number::send, n4(2) + n2(dumpi_int) + n4(2) + n4(9) + n2(world));
  expect_message(dumpi_refusal(two(peer)), {"rank 2", "2 ranks"});
  DumpiRank size;
  size.call(number::comm_size, n2(world) + n4(3));
  expect_message(dumpi_refusal(two(size)), "3 ranks");
  expect_message(dumpi_refusal({dup.file().substr(0, 60), dup.file()}), "t-0000.bin");
  expect_message(dumpi_refusal({dup.file(), "nothing"}), {"t-0001.bin", "DUMPI"});
  const TemporaryFolder folder;
  write_dumpi(folder, two(size));
  std::filesystem::remove(folder / "t-0001.bin");
  try {
    read_dumpi(folder / "t-0000.bin");
    ADD_FAILURE();
  } catch (const Error& error) {
    expect_message(error.what(), {"rank 1", "t-0001.bin"});
  }
}

}  // namespace
}  // namespace morgana
