// What SMPI's time-independent traces say, beside the cases of imported_program_test.cpp.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "traces/import/imported_program.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::TemporaryFolder;

class TimeIndependent : public ::testing::Test {
 protected:
  /// All operations of rank 0 of a trace of so many ranks whose only actions are those of rank 0.
  std::vector<Operation> read(const std::string& actions, int ranks = 2) {
    std::string text = actions;
    for (int rank = 1; rank < ranks; ++rank) text += std::to_string(rank) + " init\n";
    program_ = read_time_independent(folder_.write("a.ti", text), 1e9);
    std::vector<Operation> all;
    do {
      program_->next(Rank{0}, all.emplace_back());
    } while (all.back().kind != OperationKind::exit);
    return all;
  }
  /// Why such a trace is refused.
  std::string refusal(const std::string& actions) {
    try {
      read(actions);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  TemporaryFolder folder_;
  std::unique_ptr<ImportedProgram> program_;
};

struct DoubleAndInt {
  double value;
  int index;
};
struct LongDoublePair {
  long double value;
  int index;
};
struct Wide {
  std::int64_t low, high;
};

// The numbers and C types are those of src/smpi/mpi/smpi_datatype.cpp of SimGrid 3.32.
TEST_F(TimeIndependent, EveryDatatypeOfSmpisHasTheSizeOfItsCType) {
  const std::vector<std::size_t> sizes{
      sizeof(double), sizeof(int), sizeof(char), sizeof(short), sizeof(long), sizeof(float), 1,
      // 7: C's other integers
      sizeof(long long), 1, 1, sizeof(short), sizeof(unsigned), sizeof(long), sizeof(long long),
      // 14: long double, wchar_t, bool; 17: int8_t to uint64_t
      sizeof(long double), sizeof(wchar_t), sizeof(bool), 1, 2, 4, 8, 1, 2, 4, 8,
      // 25: complex numbers; 28: MPI_Aint, MPI_Offset
      sizeof(std::complex<float>), sizeof(std::complex<double>), sizeof(std::complex<long double>),
      sizeof(std::ptrdiff_t), sizeof(long long),
      // 30: pairs
      sizeof(std::pair<float, int>), sizeof(std::pair<long, int>), sizeof(DoubleAndInt),
      sizeof(std::pair<short, int>), 2 * sizeof(int), 2 * sizeof(float), 2 * sizeof(double), 2 * sizeof(long),
      // 38: Fortran's; SMPI has a COMPLEX32 of two doubles and an INTEGER1 of an int
      sizeof(float), sizeof(float), sizeof(double), sizeof(long double), 2 * sizeof(float),
      2 * sizeof(double), 2 * sizeof(double), sizeof(int), 2, 4, 8, sizeof(Wide),
      // 50: long double and int; C++'s; UB, LB, PACKED, a pointer, MPI_Count
      sizeof(LongDoublePair), sizeof(bool), sizeof(std::complex<float>), sizeof(std::complex<double>),
      sizeof(std::complex<long double>), 0, 0, 1, sizeof(void*), sizeof(long long)};
  ASSERT_EQ(sizes.size(), 60U);
  for (std::size_t type = 0; type < sizes.size(); ++type)
    EXPECT_EQ(read("0 send 1 0 10 " + std::to_string(type) + "\n")[0].bytes,
              Bytes(static_cast<std::int64_t>(10 * sizes[type])))
        << type;
  expect_message(refusal("0 init\n0 send 1 0 10 60\n"), {"a.ti:2: 60", "0 to 59"});
  expect_message(refusal("0 send 1 0 10 -2\n"), "a.ti:1: -2");
}

TEST_F(TimeIndependent, ADerivedDatatypeMovesNothingAndIsMentioned) {
  EXPECT_EQ(read("0 send 1 4 2 -1\n")[0].bytes, Bytes(0));
  expect_messages(program_->notices(), {"1 action"});
  EXPECT_GT(read("0 recv 1 4 2 -1\n")[0].bytes, Bytes(1'000'000));  // whatever comes has room
  EXPECT_EQ(read("0 reduce 3 0 0 -1\n0 bcast 3 0 -1\n")[0].collective.bytes, Bytes(0));
  expect_messages(program_->notices(), {"2 actions"});
  read("0 send 1 4 2 1\n");
  EXPECT_THAT(program_->notices(), IsEmpty());
}

TEST_F(TimeIndependent, MessagesAreSentInTheirModes) {
  struct Case {
    const char* action;
    Call call;
    SendMode mode;
    bool blocks;
  };
  for (const auto& [action, call, mode, blocks] :
       {Case{"send", Call::MPI_Send, SendMode::standard, true},
        Case{"isend", Call::MPI_Isend, SendMode::standard, false},
        Case{"Ssend", Call::MPI_Ssend, SendMode::synchronous, true},
        Case{"ISsend", Call::MPI_Issend, SendMode::synchronous, false},
        Case{"bsend", Call::MPI_Bsend, SendMode::buffered, true},
        Case{"ibsend", Call::MPI_Ibsend, SendMode::buffered, false}}) {
    SCOPED_TRACE(action);
    const auto all = read(std::string("0 ") + action + " 1 3 5 1\n0 wait 0 1 3\n");
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].call, call);
    EXPECT_EQ(all[0].mode, mode);
    EXPECT_EQ(all[0].bytes, Bytes(20));
    EXPECT_EQ(all[0].part, blocks ? CallPart::first : CallPart::whole);
    EXPECT_EQ(all[1].kind, OperationKind::wait);
    EXPECT_EQ(all[1].call, blocks ? call : Call::MPI_Wait);
    EXPECT_EQ(program_->notices().size(), blocks ? 1U : 0U);  // nothing left to wait for
  }
}

/// "irecv test wait": what the operations are, by their calls; a test that found its request waits.
std::string kinds_of(const std::vector<Operation>& all) {
  std::string text;
  for (const Operation& one : all) {
    if (one.kind == OperationKind::exit) continue;
    EXPECT_FALSE(one.wants_answer);
    const std::string kind = one.kind == OperationKind::send      ? "send"
                             : one.kind == OperationKind::receive ? "receive"
                             : one.kind == OperationKind::test    ? "test"
                             : one.kind == OperationKind::wait    ? "wait"
                                                                  : "other";
    text += (text.empty() ? "" : " ") + kind;
    if (!one.requests.empty()) text += std::to_string(static_cast<std::uint64_t>(one.requests[0]));
  }
  return text;
}

// A trace does not say what a test found: but who waits later has found nothing, and who does not has found
// it.
TEST_F(TimeIndependent, ATestFoundItsRequestWhereNoLaterWaitNamesIt) {
  const auto meant = [this](const std::string& lines) { return kinds_of(read(lines)); };
  EXPECT_EQ(meant("0 irecv 1 7 10 1\n0 test 1 0 7\n0 wait 1 0 7\n"), "receive test1 wait1");
  EXPECT_EQ(meant("0 isend 1 0 9 6\n0 test 0 1 0\n0 compute 5\n0 wait 0 1 0\n"), "send test1 wait1");
  EXPECT_EQ(meant("0 isend 1 0 9 6\n0 test 0 1 0\n0 compute 5\n0 waitall 1\n"), "send test1 wait1");
  EXPECT_EQ(meant("0 isend 1 0 9 6\n0 test 0 1 0\n0 test 0 1 0\n"), "send test1 wait1");
  // Loops until each is found, with the same name; then a wait for the last one alone.
  EXPECT_EQ(meant("0 isend 1 0 9 6\n0 test 0 1 0\n0 test 0 1 0\n0 isend 1 0 9 6\n0 test 0 1 0\n"
                  "0 isend 1 0 9 6\n0 test 0 1 0\n0 wait 0 1 0\n"),
            "send test1 wait1 send wait2 send test3 wait3");
  // Two under way at a time, both waited for, and one of two.
  EXPECT_EQ(meant("0 isend 1 0 9 6\n0 isend 1 0 9 6\n0 test 0 1 0\n0 wait 0 1 0\n0 wait 0 1 0\n"),
            "send send test1 wait1 wait2");
  EXPECT_EQ(meant("0 isend 1 0 9 6\n0 isend 1 0 9 6\n0 test 0 1 0\n0 wait 0 1 0\n"), "send send wait1 wait2");
  // Two under way, both found by tests, and the second one after a test in vain.
  EXPECT_EQ(meant("0 isend 1 0 9 6\n0 isend 1 0 9 6\n0 test 0 1 0\n0 test 0 1 0\n"), "send send wait1 wait2");
  EXPECT_EQ(meant("0 isend 1 0 9 6\n0 isend 1 0 9 6\n0 test 0 1 0\n0 test 0 1 0\n0 test 0 1 0\n"),
            "send send test1 wait1 wait2");
  // A receive from anybody with any tag is named as what has come.
  EXPECT_EQ(meant("0 irecv -333 -444 9 6\n0 test 1 0 5\n0 irecv -333 -444 9 6\n0 test 1 0 6\n"
                  "0 wait 1 0 6\n"),
            "receive wait1 receive test2 wait2");
  EXPECT_EQ(meant("0 ibcast 9 0 6\n0 test -333 -333 -3335\n0 wait -333 -333 -3335\n"), "other test1 wait1");
  EXPECT_THAT(program_->notices(), IsEmpty());
}

// As smpirun writes them: a wait for a collective names no ranks, but a tag of its kind.
TEST_F(TimeIndependent, CollectivesInTheBackgroundEndWhereTheyAreWaitedFor) {
  const auto all = read(
      "0 iallreduce 7 0 1\n0 ireduce 3 0 1 26\n0 isend 1 9 1 1\n0 wait -333 -333 -113\n0 wait -333 -333 "
      "-4446\n"
      "0 wait 0 1 9\n");
  ASSERT_EQ(all.size(), 7U);
  EXPECT_EQ(all[0].call, Call::MPI_Iallreduce);
  EXPECT_EQ(all[0].part, CallPart::whole);
  EXPECT_FALSE(all[0].collective.blocking);
  EXPECT_EQ(all[0].collective.bytes, Bytes(28));
  EXPECT_EQ(all[1].collective.kind, CollectiveKind::reduce);
  EXPECT_EQ(all[1].collective.root, 1);
  EXPECT_EQ(all[1].collective.bytes, Bytes(48));
  EXPECT_EQ(all[3].requests[0], all[1].request);
  EXPECT_EQ(all[4].requests[0], all[0].request);
  EXPECT_EQ(all[5].requests[0], all[2].request);
  EXPECT_THAT(program_->notices(), IsEmpty());
}

TEST_F(TimeIndependent, EveryCollectiveMayBeInTheBackground) {
  for (const auto& [action, tag] :
       std::vector<std::pair<std::string, int>>{{"ibarrier", -779},
                                                {"ibcast 5 1 0", -3335},
                                                {"ireduce 3 0 1 1", -113},
                                                {"iallreduce 3 0 1", -4446},
                                                {"iscan 3 0 1", -889},
                                                {"iexscan 3 0 1", -889},
                                                {"igather 3 3 1 1 1", -446},
                                                {"iscatter 3 3 1 1 1", -224},
                                                {"iallgather 3 3 1 1", -557},
                                                {"ialltoall 4 4 1 1", -1113},
                                                {"igatherv 10 10 10 0 1 1", -2224},
                                                {"iscatterv 10 10 10 0 1 1", -335},
                                                {"iallgatherv 10 10 10 1 1", -668},
                                                {"ialltoallv 20 10 10 20 10 10 1 1", -1001},
                                                {"ialltoallv 20 10 10 20 10 10 1 1", -1021},
                                                {"ireducescatter 10 10 0 1", -890}}) {
    SCOPED_TRACE(action);
    const auto all = read("0 " + action + "\n0 wait -333 -333 " + std::to_string(tag) + "\n");
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].kind, OperationKind::collective);
    EXPECT_EQ(all[1].requests[0], all[0].request);
    const auto together = read("0 " + action + "\n0 irecv 1 3 1 1\n0 waitall 2\n");
    ASSERT_EQ(together.size(), 4U);
    EXPECT_EQ(together[2].requests.size(), 2U);
  }
}

// Of four ranks: counts alone, with datatypes, with displacements, with both.
TEST_F(TimeIndependent, AnAllgathervMayTellDisplacements) {
  for (const auto& [parameters, element] : std::vector<std::pair<std::string, std::int64_t>>{
           {"", 1}, {" 1 1", 4}, {" 90 91 92 93", 1}, {" 0 0 1 2 3 4", 8}}) {
    const auto all = read("0 allgatherv 6 6 7 8 9" + parameters + "\n", 4);
    EXPECT_THAT(all[0].collective.receive_sizes,
                ElementsAre(Bytes(6 * element), Bytes(7 * element), Bytes(8 * element), Bytes(9 * element)))
        << parameters;
  }
}

TEST_F(TimeIndependent, WhatCannotBeCarriedOutIsRefusedWithItsLineAndAReason) {
  for (const char* action : {"waitAny 2", "testany", "testall", "testsome"})
    expect_message(refusal("0 init\n0 " + std::string(action) + "\n"), {"a.ti:2", "requests"});
  for (const char* action : {"Start 1 3 5 1", "Startall"})
    expect_message(refusal("0 " + std::string(action) + "\n"), {"a.ti:1", "persistent request"});
  for (const char* action :
       {"Put 1 0 5 1", "Get 1 0 5 1", "Accumulate 1 0 5 1", "Rput 1 0 5 1", "Rget_accumulate 1 0 5 1",
        "Get_accumulate 1 0 5 1", "Compare_and_swap 1 0 1 1", "Win_fence", "Win_flush_local_all"})
    expect_message(refusal("0 " + std::string(action) + "\n"), {"a.ti:1", "one-sided"});
  expect_message(refusal("0 IO - read_at_all 100\n"), {"a.ti:1", "\"IO\""});
  expect_message(refusal("0 frobnicate 1\n"), {"a.ti:1", "\"frobnicate\""});
  expect_message(refusal("0 isleep 1\n"), {"a.ti:1", "\"isleep\""});
}

}  // namespace
}  // namespace morgana
