#include <signal.h>

#include <fstream>

#include "tests/integration/support/leftovers.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/printed_lines.h"
#include "tests/integration/support/started_process.h"

namespace morgana::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
namespace fs = std::filesystem;

/// However slow the machine.
constexpr auto no_end_in_sight = 100s;
/// As much as pipes and sockets on the way can't hold.
constexpr int many = 5000;

struct Ending {
  const char* how;
  int exit_code;
};

/// What ranks have written before a run ends badly.
class LastOutput : public MorganaTest, public testing::WithParamInterface<Ending> {
 protected:
  FinishedProcess run(std::vector<std::string> options) {
    options.insert(options.end(), {"--quiet", "--", program("ending"), std::to_string(many), GetParam().how});
    return morgana(options);
  }
};

TEST_P(LastOutput, IsComplete) {
  const FinishedProcess result = run({"run", "-n", "2"});
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
  EXPECT_EQ(wrong_lines(result.out, 2, many), "");
}

/// Over the real MPI, which waits for ever in a deadlock.
class LastRecordedOutput : public LastOutput {};

TEST_P(LastRecordedOutput, IsComplete) {
  const FinishedProcess result = run({"capture", "-n", "2", "-o", "kept.otf2"});
  EXPECT_EQ(result.exit_code, GetParam().exit_code) << result.err;
  EXPECT_EQ(wrong_lines(result.out, 2, many), "");
}

std::string name_of(const testing::TestParamInfo<Ending>& ending) {
  return ending.param.how;
}

const auto everywhere = testing::Values(
    Ending{"well", 0}, Ending{"code", 1}, Ending{"exit", 5}, Ending{"child", 5}, Ending{"segv", 139},
    Ending{"abort", 7}, Ending{"abort_duplicate", 7}, Ending{"abort_part", 7}, Ending{"abort_between", 7});
INSTANTIATE_TEST_SUITE_P(When, LastOutput, everywhere, name_of);
INSTANTIATE_TEST_SUITE_P(InA, LastOutput, testing::Values(Ending{"deadlock", 3}), name_of);
INSTANTIATE_TEST_SUITE_P(When, LastRecordedOutput, everywhere, name_of);

class PrintedOutput : public MorganaTest {};

TEST_F(PrintedOutput, IsCompleteWhenItsReaderIsLate) {
  const FinishedProcess result =
      in_shell("morgana run -n 2 --quiet -- ending 20000 exit | { sleep 1; cat; }; exit ${PIPESTATUS[0]}");
  EXPECT_EQ(result.exit_code, 5) << result.err;
  EXPECT_EQ(wrong_lines(result.out, 2, 20000), "");
}

TEST_F(PrintedOutput, OnATerminalIsComplete) {
  const FinishedProcess result =
      in_shell("script -qec 'morgana run -n 2 --quiet -- ending 2000 exit 2>err' /dev/null | tr -d '\\r'");
  EXPECT_EQ(wrong_lines(result.out, 2, 2000), "") << read("err");
}

TEST_F(PrintedOutput, IsCompleteWhenTheUserInterrupts) {
  StartedProcess run(
      {program("morgana"), "run", "-n", "2", "--quiet", "--", program("ending"), "5000", "hang"}, path(""),
      "MORGANA_TEST_MARK=" + path("0"));
  while (!(fs::exists(path("printed.0")) && fs::exists(path("printed.1"))) && run.running()) {
  }
  ::kill(run.pid(), SIGINT);
  EXPECT_EQ(run.exit_code_within(no_end_in_sight), 130);
  EXPECT_EQ(wrong_lines(read(StartedProcess::out), 2, 5000), "") << read(StartedProcess::err);
  EXPECT_THAT(processes_with("MORGANA_TEST_MARK=" + path("0")), testing::IsEmpty());
}

// The pipe is full and nobody reads it: the run ends all the same.
TEST_F(PrintedOutput, ThatNobodyReadsDoesNotKeepAnInterruptedRun) {
  const FinishedProcess result = in_shell(
      "mkfifo never; exec 9<>never; morgana run -n 2 --quiet -- ending 50000 well >&9 & "
      "while ! pgrep -P $! >/dev/null; do :; done; sleep 1; kill -INT $!; wait $!");
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_code, 130) << result.err;
}

TEST_F(PrintedOutput, OfAStoppedRankComesWhenItGoesOn) {
  StartedProcess run(
      {program("morgana"), "run", "-n", "2", "--quiet", "--", program("ending"), "100", "stop"}, path(""),
      "MORGANA_TEST_MARK=" + path("0"));
  int stopped = 0;
  while (stopped == 0 && run.running()) {
    const std::string err = read(StartedProcess::err);
    const std::size_t note = err.find("morgana: note: rank 1 (process ");
    if (note != std::string::npos && err.find("is stopped by a signal", note) != std::string::npos)
      stopped = std::atoi(err.c_str() + err.find("process ", note) + 8);
  }
  ASSERT_GT(stopped, 0) << read(StartedProcess::err);
  ::kill(stopped, SIGCONT);
  EXPECT_EQ(run.exit_code_within(no_end_in_sight), 0) << read(StartedProcess::err);
  EXPECT_EQ(wrong_lines(read(StartedProcess::out), 2, 100), "");
}

TEST_F(PrintedOutput, AnAbortOnAnyCommunicatorIsAnnounced) {
  const FinishedProcess result =
      morgana({"run", "-n", "2", "--quiet", "--", program("ending"), "1", "abort_duplicate"});
  EXPECT_THAT(result.err, HasSubstr("Abort(7) on node 1 (rank 1 in comm=0x"));
  EXPECT_THAT(result.err, HasSubstr("morgana: rank 1 called MPI_Abort with code 7"));
}

}  // namespace
}  // namespace morgana::test
