#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/started_process.h"

namespace morgana::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

/// Programs that end badly. Each test has a temporary folder of its own as TMPDIR and a mark in the
/// environment, by which processes that stayed behind are found.
class Fault : public MorganaTest {
 protected:
  Fault() : mark_("MORGANA_TEST_MARK=" + path("")) {
    fs::create_directory(path("tmp"));
    ::setenv("TMPDIR", path("tmp").c_str(), 1);
    ::setenv("MORGANA_TEST_MARK", path("").c_str(), 1);
  }
  ~Fault() override {
    ::unsetenv("TMPDIR");
    ::unsetenv("MORGANA_TEST_MARK");
  }

  /// Processes with this test's mark, but for the test itself and zombies (which hold nothing).
  std::vector<std::string> left_behind() const {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator("/proc")) {
      const std::string pid = entry.path().filename();
      if (pid.find_first_not_of("0123456789") != std::string::npos || pid == std::to_string(::getpid()))
        continue;
      std::ifstream file(entry.path() / "environ", std::ios::binary);
      std::ostringstream environment;
      environment << file.rdbuf();  // fails quietly if the process ends meanwhile
      if (environment.str().find(mark_) != std::string::npos) found.push_back(pid);
    }
    return found;
  }

  void expect_nothing_left() const {
    EXPECT_THAT(left_behind(), testing::IsEmpty());
    EXPECT_TRUE(fs::is_empty(path("tmp"))) << "files in the temporary folder";
    for (const auto& entry : fs::directory_iterator("/dev/shm")) {
      EXPECT_EQ(entry.path().filename().string().find("morgana"), std::string::npos) << entry.path();
    }
  }

 private:
  std::string mark_;
};

struct Death {
  const char* how;
  int exit_code;
  const char* says;
};

class DyingRank : public Fault, public testing::WithParamInterface<Death> {};

TEST_P(DyingRank, EndsTheRunWithItsNameAndCause) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--quiet", "--trace", "run.otf2", "--", program("dying"), GetParam().how});
  EXPECT_EQ(result.exit_code, GetParam().exit_code);
  EXPECT_THAT(result.err, HasSubstr(std::string("morgana: rank 2 ") + GetParam().says));
  EXPECT_FALSE(fs::exists(path("run.otf2"))) << "a trace of half a run";
  expect_nothing_left();
}

TEST_P(DyingRank, EndsTheRecordingWithItsNameAndCause) {
  const FinishedProcess result =
      morgana({"capture", "-n", "3", "--quiet", "-o", "run.otf2", "--", program("dying"), GetParam().how});
  EXPECT_EQ(result.exit_code, GetParam().exit_code);
  EXPECT_THAT(result.err, HasSubstr(std::string("morgana: rank 2 ") + GetParam().says));
  EXPECT_FALSE(fs::exists(path("run.otf2"))) << "a trace of half a run";
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    By, DyingRank,
    testing::Values(Death{"exit", 3, "exited with code 3 before it had called MPI_Finalize"},
                    Death{"_exit", 4, "exited with code 4 before it had called MPI_Finalize"},
                    Death{"return", 1, "exited with code 0 before it had called MPI_Finalize"},
                    Death{"abort", 134, "was killed by signal 6 (Aborted)"},
                    Death{"kill", 137, "was killed by signal 9 (Killed)"},
                    Death{"segv", 139, "was killed by signal 11 (Segmentation fault)"},
                    Death{"mpi_abort", 7, "called MPI_Abort with code 7"}),
    [](const auto& death) { return std::string(death.param.how); });

TEST_F(Fault, ADeadlockNamesWhatEachRankWaitsFor) {
  const FinishedProcess result = morgana({"run", "-n", "3", "--quiet", "--", program("deadlock")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("morgana: deadlock"));
  for (const char* part :
       {"rank 0: waits in MPI_Recv for a message from rank 2 with tag 42 (up to 256 bytes)",
        "rank 1: waits in MPI_Recv for a message from rank 0 with tag 42",
        "rank 2: waits in MPI_Recv for a message from rank 1 with tag 42"}) {
    EXPECT_THAT(result.err, HasSubstr(part));
  }
  expect_nothing_left();
}

// Where ranks know what a call brings they go on before its simulated time has come; a receive that nobody
// sends to holds them up.
TEST_F(Fault, ADeadlockSaysWhereRanksHaveRunAheadOfIt) {
  constexpr const char* note = "\n  note: ranks run ahead of simulated time: what a rank has printed after";
  const FinishedProcess ahead =
      morgana({"run", "-n", "3", "--quiet", "--compute", "none", "--", program("ending"), "1", "sends"});
  EXPECT_EQ(ahead.exit_code, 3);
  EXPECT_THAT(ahead.err, HasSubstr("rank 0: waits in MPI_Send to send 16384 bytes to rank 1"));
  EXPECT_THAT(ahead.err, HasSubstr(note));
  EXPECT_EQ(ahead.err.find(note), ahead.err.rfind(note));
  const FinishedProcess held_up = morgana({"run", "-n", "3", "--quiet", "--", program("deadlock")});
  EXPECT_EQ(held_up.exit_code, 3);
  EXPECT_THAT(held_up.err, testing::Not(HasSubstr("run ahead")));
  expect_nothing_left();
}

TEST_F(Fault, ADeadlockLeavesTheTraceOfWhatCameBefore) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--quiet", "--trace", "run.otf2", "--", program("deadlock")});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_THAT(result.err, HasSubstr("morgana: the trace run.otf2 holds what had ended before a deadlock\n"));
  EXPECT_EQ(run_to_end({"otf2-print", path("run.otf2/traces.otf2")}).exit_code, 0);
  for (const char* command : {"replay", "stats"})
    EXPECT_THAT(succeed({command, "run.otf2"}).err,
                HasSubstr("the recorded run was broken off by a deadlock"));
  const FinishedProcess dying =
      morgana({"run", "-n", "3", "--quiet", "--trace", "none.otf2", "--", program("dying"), "segv"});
  EXPECT_THAT(dying.err, HasSubstr("there is no trace none.otf2: the run did not come to its end\n"));
  expect_nothing_left();
}

TEST_F(Fault, TellsWhichResultsAreNotThere) {
  const auto run = [&](const char* of) {
    return morgana({"run", "-n", "3", "--quiet", "--json", "run.json", "--csv", "run.csv", "--", program(of),
                    of == std::string("dying") ? "segv" : ""});
  };
  for (const char* of : {"dying", "deadlock"})
    EXPECT_THAT(run(of).err,
                HasSubstr("morgana: not written, as the run did not come to its end: run.json, run.csv\n"));
}

// What was simulated is complete: all results are there, and then the death is told.
TEST_F(Fault, ARankThatDiesAfterFinalizeCostsNoResults) {
  const FinishedProcess result =
      morgana({"run", "-n", "3", "--quiet", "--json", "run.json", "--csv", "run.csv", "--trace", "run.otf2",
               "--", program("dying"), "afterwards"});
  EXPECT_EQ(result.exit_code, 134);
  EXPECT_EQ(result.err,
            "morgana: rank 2 was killed by signal 6 (Aborted) after it had called MPI_Finalize\n");
  EXPECT_EQ(read_json("run.json").at("ranks"), 3);
  EXPECT_NE(read("run.csv"), "");
  succeed({"replay", "run.otf2", "--quiet"});
  expect_nothing_left();
}

TEST_F(Fault, AnUnsupportedCallStopsTheRunWithItsName) {
  for (const std::string call : {"MPI_Open_port", "MPIX_Comm_agree", "MPIX_Comm_failure_ack",
                                 "MPIX_Comm_failure_get_acked", "MPIX_Comm_revoke", "MPIX_Comm_shrink"}) {
    const FinishedProcess result = morgana({"run", "-n", "2", "--quiet", "--", program("unsupported"), call});
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr(call + " is not supported in an emulated run"));
  }
  expect_nothing_left();
}

TEST_F(Fault, ACallThatMpichWouldCarryOutUnseenStopsTheRunWithItsName) {
  for (const std::string call : {"MPI_Scatter", "MPI_Iscatterv", "MPI_Gather", "MPI_Psend_init"}) {
    const FinishedProcess result = morgana({"run", "-n", "3", "--quiet", "--", program("unrefused"), call});
    EXPECT_EQ(result.exit_code, 1) << call;
    EXPECT_THAT(result.err, HasSubstr(call + " is called with arguments that are not valid and that MPICH"));
  }
  expect_nothing_left();
}

TEST_F(Fault, TheProgramsExitCodeIsOurs) {
  write("seven.sh", "#!/bin/sh\n" + program("pingpong") + " 1 >/dev/null\nexit 7\n");
  fs::permissions(path("seven.sh"), fs::perms::owner_all);
  EXPECT_EQ(morgana({"run", "-n", "2", "--quiet", "--", "./seven.sh"}).exit_code, 7);
  EXPECT_EQ(morgana({"capture", "-n", "2", "--quiet", "-o", "seven.otf2", "--", "./seven.sh"}).exit_code, 7);
  expect_nothing_left();
}

TEST_F(Fault, AProgramThatIsNoMpiProgramIsToldSo) {
  const FinishedProcess result = morgana({"run", "-n", "2", "--quiet", "--", "/bin/true"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, HasSubstr("MPI"));
  expect_nothing_left();
}

TEST_F(Fault, NothingIsLeftWhenAllGoesWell) {
  succeed({"run", "-n", "4", "--quiet", "--trace", "run.otf2", "--", program("ring")});
  succeed({"capture", "-n", "2", "--quiet", "-o", "ring.otf2", "--", program("ring")});
  succeed(
      {"compare", "-n", "2", "--quiet", "--platforms", "ideal", "--plot", "plot.png", "--", program("ring")});
  expect_nothing_left();
}

TEST_F(Fault, AnOlderTraceThatGivesWayIsTold) {
  const Words run{"run", "-n", "2", "--trace", "run.otf2", "--", program("ring")};
  EXPECT_THAT(succeed(run).err, Not(HasSubstr("replaced")));
  EXPECT_THAT(succeed(run).err, HasSubstr("run.otf2 has been replaced"));
  EXPECT_THAT(succeed({"capture", "-n", "2", "-o", "run.otf2", "--", program("ring")}).err,
              HasSubstr("run.otf2 has been replaced"));
  EXPECT_THAT(succeed({"replay", "run.otf2", "--trace", "run.otf2"}).err,
              HasSubstr("run.otf2 has been replaced"));
  EXPECT_THAT(morgana({"run", "-n", "3", "--trace", "run.otf2", "--", program("deadlock")}).err,
              HasSubstr("run.otf2 has been replaced"));
  write("run.otf2/notes.txt", "mine");
  const FinishedProcess refused = morgana(run);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("holds a trace of ours and notes.txt, which is not a part of one"));
  EXPECT_EQ(read("run.otf2/notes.txt"), "mine");
}

/// Sends a signal, as a user's Ctrl-C would, while the program (that would run for minutes) computes.
/// @param how  `morgana run` or `morgana capture` with its options
class InterruptedCommand : public Fault {
 protected:
  void expect_nothing_left_of(Words how, int signal) {
    how.insert(how.begin(), program("morgana"));
    how.insert(how.end(), {"-n", "2", "--quiet", "--", program("barriers"), "200", "1"});
    StartedProcess command(how, path(""), "MORGANA_TEST_MARK=" + path(""));
    while (command.running() && read(StartedProcess::out).find("computing") == std::string::npos)
      std::this_thread::sleep_for(1ms);
    ASSERT_TRUE(command.running()) << read(StartedProcess::err);
    ::kill(command.pid(), signal);
    EXPECT_EQ(command.exit_code_within(2min), 128 + signal) << read(StartedProcess::err);
    EXPECT_FALSE(fs::exists(path("run.otf2")));
    expect_nothing_left();
  }
};

TEST_F(InterruptedCommand, LeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM})
    expect_nothing_left_of({"run", "--trace", path("run.otf2")}, signal);
}

TEST_F(InterruptedCommand, LeavesNothingOfACapture) {
  expect_nothing_left_of({"capture", "-o", path("run.otf2")}, SIGINT);
}

}  // namespace
}  // namespace morgana::test
