#include <csignal>
#include <filesystem>
#include <regex>

#include "tests/integration/support/leftovers.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/native_run.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

struct Uncaught {
  const char* kind;
  const char* says;
};

void PrintTo(const Uncaught& error, std::ostream* out) {
  *out << error.kind;
}

/// Errors that the program leaves to MPI's default handler.
class UncaughtError : public MorganaTest, public testing::WithParamInterface<Uncaught> {
 protected:
  static std::string sentence() {
    return std::string("morgana: rank 2 ended the run by an error that it does not catch, in ") +
           GetParam().says;
  }
  /// The code that MPICH ends the rank with, of which the system keeps eight bits. It stands in what MPICH
  /// says: from 4.2 on mpiexec's own code may be that of another rank, which it has killed, what ranks have
  /// said last may be lost, and other ranks left running.
  int native_exit_code() const {
    static const std::regex abort_code(R"(Abort\((\d+)\))");
    constexpr int killed = 9, bits = 0xff, most_tries = 20;
    const std::string mark = "RUN_OF=" + path("");
    FinishedProcess native;
    for (int tries = 0; tries < most_tries; ++tries) {
      native = run_natively(3, {program("fatal_errors"), GetParam().kind}, {mark});
      for (const SeenProcess& left : processes_with(mark)) ::kill(left.pid, SIGKILL);
      const std::string said = native.out + native.err;
      if (std::smatch code; std::regex_search(said, code, abort_code))
        return static_cast<int>(std::stol(code[1]) & bits);
      if (native.exit_code != 0 && native.exit_code != killed) break;
    }
    return native.exit_code;
  }
};

TEST_P(UncaughtError, EndsTheRunWithMpichsExitCodeAndNamesTheRankAndTheCause) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--quiet", "--", program("fatal_errors"), GetParam().kind});
  EXPECT_EQ(result.exit_code, native_exit_code());
  EXPECT_THAT(result.err, StartsWith(sentence()));  // MPICH's own words don't stand above it
  EXPECT_THAT(result.err, Not(HasSubstr("Fatal error in")));
}

TEST_P(UncaughtError, EndsTheRunInTheSameWayWhereSeveralThreadsMayCall) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--quiet", "--", program("fatal_errors"), GetParam().kind, "multiple"});
  EXPECT_EQ(result.exit_code, native_exit_code());
  EXPECT_THAT(result.err, StartsWith(sentence()));
  EXPECT_THAT(result.err, Not(HasSubstr("Fatal error in")));
}

TEST_P(UncaughtError, EndsTheRunInTheSameWayWhileAnotherThreadWaits) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--quiet", "--", program("fatal_errors"), GetParam().kind, "threads"});
  EXPECT_EQ(result.exit_code, native_exit_code());
  EXPECT_THAT(result.err, StartsWith(sentence()));
  EXPECT_EQ(result.out, "not written out yet ");
}

TEST_P(UncaughtError, EndsTheRecordingInTheSameWay) {
  const FinishedProcess result = morgana(
      {"capture", "-n", "3", "--quiet", "-o", "run.otf2", "--", program("fatal_errors"), GetParam().kind});
  EXPECT_EQ(result.exit_code, native_exit_code());
  EXPECT_THAT(result.err, StartsWith("morgana: rank 2 ended the run by an error that it does not catch, in"));
}

TEST_F(MorganaTest, WhatAnUncaughtErrorOfARankWithThreadsFindsUnflushedIsWritten) {
  const FinishedProcess result = morgana({"run", "-n", "2", "--quiet", "--", program("unflushed_output")});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_EQ(result.out, "not flushed\n");
}

// Ranks are those of MPI_COMM_WORLD in every report, also where a message is of another communicator.
INSTANTIATE_TEST_SUITE_P(
    Of, UncaughtError,
    testing::Values(Uncaught{"rank",
                             "MPI_Send: Invalid rank has value 99 but must be nonnegative and less than 3\n"},
                    Uncaught{"tag", "MPI_Send: Invalid tag, value is -7\n"},
                    Uncaught{"root", "MPI_Bcast: Invalid root"},
                    Uncaught{"operator", "MPI_Reduce: Invalid MPI_Op"},
                    Uncaught{"group", "MPI_Comm_group: Invalid communicator"},
                    Uncaught{"truncation",
                             "MPI_Recv: Message truncated: 8 bytes came "
                             "from rank 2 with tag 0, there is room for 4"},
                    Uncaught{"named",
                             "MPI_Recv: Message truncated: 8 bytes came from rank 2 "
                             "with tag 3, there is room for 4 (communicator \"halo\")"},
                    Uncaught{"waitall",
                             "MPI_Waitall: 8 bytes came from rank 2 with tag 7, "
                             "there is room for 4"},
                    Uncaught{"window", "MPI_Put: Invalid rank"},
                    Uncaught{"flush", "MPI_Win_flush: Wrong synchronization of RMA calls"},
                    Uncaught{"keyval", "MPI_Win_set_attr: Invalid keyval"},
                    Uncaught{"place", "MPI_Isend: Invalid argument: Null pointer in parameter request"}),
    [](const auto& error) { return std::string(error.param.kind); });

/// Over the real MPI all ranks of this machine do share memory.
TEST_F(MorganaTest, MemoryThatHostsCannotShareIsAnErrorOfTheCallThatAsksForIt) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--map", "spread", "--quiet", "--", program("fatal_errors"), "shared"});
  EXPECT_EQ(result.exit_code, 57);  // MPI_ERR_RMA_SHARED
  EXPECT_THAT(result.err, StartsWith("morgana: rank 2 ended the run by an error that it does not catch, in "
                                     "MPI_Win_allocate_shared: Memory cannot be shared"));
}

/// Only MPICH knows whether MPI_ERRORS_ARE_FATAL was set or is what stands there from the start.
TEST_F(MorganaTest, AHandlerThatACommunicatorHasOfItsOwnEndsTheRunThoughTheWorldsReturns) {
  for (const std::string level : {"single", "multiple"}) {
    const FinishedProcess result =
        morgana({"run", "-n", "3", "--quiet", "--", program("fatal_errors"), "handler of its own", level});
    // Then MPICH ends the job, and 4.2 or the proxy of its mpiexec may crash where several threads may call.
    if (MPICH_NUMBER >= 40200000L && level == "multiple" &&
        result.err.find("was killed by signal 11") != std::string::npos)
      continue;
    EXPECT_EQ(result.exit_code,
              14);  // MPI_ERR_TRUNCATE; natively mpiexec's, or that of a rank which it has killed
    EXPECT_THAT(result.err, HasSubstr("morgana: rank 2 ended the run by an error that it does not catch, in "
                                      "MPI_Recv: Message truncated: 8 bytes came"));
  }
}

/// MPICH tells the program sender and tag of a message that is too long, but not its length.
TEST_F(MorganaTest, ARecordingNamesWhatWasTooLongForItsReceive) {
  const auto said = [&](const std::string& kind) {
    return morgana({"capture", "-n", "3", "--quiet", "-o", "run.otf2", "--", program("fatal_errors"), kind})
        .err;
  };
  EXPECT_THAT(said("truncation"),
              HasSubstr("in MPI_Recv: Message truncated: what came from rank 2 with tag 0 "
                        "is longer than the room for 4 bytes\n"));
  EXPECT_THAT(said("named"), HasSubstr("in MPI_Recv: Message truncated: what came from rank 2 with tag 3 "
                                       "is longer than the room for 4 bytes (communicator \"halo\")\n"));
  EXPECT_THAT(said("waitall"), HasSubstr("in MPI_Waitall: what came from rank 2 with tag 7 "
                                         "is longer than the room for 4 bytes\n"));
}

TEST_F(MorganaTest, ADeadlockNamesTheCommunicatorAsTheProgramDid) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--quiet", "--", program("fatal_errors"), "stuck"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("rank 2: waits in MPI_Recv for a message from rank 2 with tag 3 on "
                                    "communicator \"halo?\" of 1 rank (2) made by MPI_Comm_dup"));
}

TEST_F(MorganaTest, AnErrorHandlerThatExitsGivesTheRunItsCode) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--quiet", "--", program("fatal_errors"), "exiting"});
  EXPECT_EQ(result.exit_code, 33);
  EXPECT_THAT(result.err, HasSubstr("morgana: rank 2 exited with code 33 before it had called MPI_Finalize"));
}

TEST_F(MorganaTest, AProgramGoesOnBehindErrorsThatItCatches) {
  for (const std::string level : {"single", "multiple"}) {
    const FinishedProcess result =
        morgana({"run", "-n", "3", "--quiet", "--", program("fatal_errors"), "caught", level});
    EXPECT_EQ(result.exit_code, 0) << level << ": " << result.err;
    EXPECT_THAT(result.out, HasSubstr("PASS fatal_errors")) << level;
  }
}

TEST_F(MorganaTest, AnErrorThatWasReturnedIsNotTakenForTheCauseOfALaterDeath) {
  for (const std::string how : {"run", "capture"}) {
    std::vector<std::string> command{how, "-n", "3", "--quiet"};
    if (how == "capture") command.insert(command.end(), {"-o", "run.otf2"});
    command.insert(command.end(), {"--", program("fatal_errors"), "returned"});
    const FinishedProcess result = morgana(command);
    EXPECT_EQ(result.exit_code, 137) << how;
    EXPECT_THAT(result.err, HasSubstr("morgana: rank 2 was killed by signal 9 (Killed)")) << how;
  }
}

TEST_F(MorganaTest, AnotherMpisLibraryThatTheProgramLoadsIsNamed) {
  for (const std::string which : {"own", "first"}) {
    const FinishedProcess result =
        morgana({"run", "-n", "1", "--quiet", "--", program("foreign"), program("libmpi.so.40"), which});
    EXPECT_NE(result.exit_code, 0) << which;
    EXPECT_THAT(result.err, HasSubstr("it has loaded " + program("libmpi.so.40") +
                                      ", Open MPI's own library, without Morgana's stand-in before it"))
        << which;
  }
}

/// As mpi4py does: MPI is finalised when the interpreter ends, after an exception, too. Here a program of
/// that name does it.
TEST_F(MorganaTest, ADeadlockAfterAnExceptionInPythonSaysSo) {
  std::filesystem::create_symlink(program("fatal_errors"), path("python3"));
  const FinishedProcess result = morgana({"run", "-n", "3", "--quiet", "--", path("python3"), "exception"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("rank 1: waits in MPI_Barrier for the other members of MPI_COMM_WORLD\n"
                                    "  rank 2: has ended\n"
                                    "  A Python program calls MPI_Finalize after an exception, too"));
  EXPECT_LT(result.err.find("ValueError: no such cell"), result.err.find("deadlock"));
}

}  // namespace
}  // namespace morgana::test
