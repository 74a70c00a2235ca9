#include <signal.h>

#include <cstdio>
#include <set>

#include "tests/integration/support/leftovers.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/support/pvm_daemon.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using Words = std::vector<std::string>;

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// Captures over the real PVM, whose files lie in a folder that the test can look into.
class PvmCaptureTest : public MorganaTest {
 protected:
  void SetUp() override {
    if (!PvmDaemon::available()) GTEST_SKIP() << "PVM's daemon is not installed";
    fs::create_directory(path("tmp"));
  }
  FinishedProcess start(const Words& arguments, const std::string& input = "") {
    write("input", input);
    HowToRun how;
    how.folder = path("");
    how.environment = {"TMPDIR=" + path("tmp")};
    return run_to_end(
        joined({"env", "PVM_PATH=/usr/bin", "sh", "-c", "exec \"$@\" <input", "sh", MORGANA_BIN "/morgana"},
               arguments),
        how);
  }
  FinishedProcess capture(const Words& program, const std::string& input = "") {
    return start(joined({"capture", "--quiet", "-o", "program.otf2", "--"}, program), input);
  }
  nlohmann::json stats() {
    succeed({"stats", "program.otf2", "--quiet", "--json", "stats.json"});
    return read_json("stats.json");
  }
  std::set<std::string> left_behind() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(path("tmp"))) names.insert(entry.path().filename());
    return names;
  }
};

TEST_F(PvmCaptureTest, RecordsWhatMaster1AndItsSlavesExchange) {
  const FinishedProcess run = capture({"master1"}, "3\n");
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("I got 200.000000 from 0; (expecting 200.000000)"));
  // The master sends each slave its data, each slave one number to its neighbour and one to the master.
  const nlohmann::json counts = stats();
  EXPECT_EQ(counts.at("messages"), 9);
  // Integers and floats are 4 bytes: the number of slaves and 100 floats, with the slaves' ids.
  EXPECT_EQ(counts.at("bytes"), 3 * (4 + 3 * 4 + 4 + 100 * 4) + 3 * 4 + 3 * (4 + 4));
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(PvmCaptureTest, CanBeReplayedOnAnyPlatform) {
  ASSERT_EQ(capture({"master1"}, "3\n").exit_code, 0);
  for (const char* platform : {"loggp-example", "ethernet-10", "fast-ethernet", "infiniband-hdr"}) {
    succeed({"replay", "program.otf2", "--platform", platform, "--quiet", "--json", "replay.json"});
    const nlohmann::json replay = read_json("replay.json");
    EXPECT_EQ(replay.at("ranks"), 4) << platform;
    EXPECT_EQ(replay.at("total").at("messages_sent"), 9) << platform;
    EXPECT_EQ(replay.at("total").at("messages_received"), 9) << platform;
  }
}

TEST_F(PvmCaptureTest, AReplayOfAReplayTakesTheSameTime) {
  ASSERT_EQ(capture({"master1"}, "3\n").exit_code, 0);
  succeed({"replay", "program.otf2", "--platform", "ethernet-10", "--quiet", "--json", "first.json",
           "--trace", "first.otf2"});
  succeed({"replay", "first.otf2", "--platform", "ethernet-10", "--quiet", "--json", "second.json"});
  EXPECT_EQ(simulated_ps("first.json"), simulated_ps("second.json"));
}

TEST_F(PvmCaptureTest, KnowsGroupsNotificationsAndCollectedOutput) {
  const FinishedProcess run = capture({MORGANA_BIN "/pvm_spawner", "3", "gexample"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  succeed({"replay", "program.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
  EXPECT_EQ(read_json("replay.json").at("ranks"), 4);
  EXPECT_THAT(left_behind(), IsEmpty());
}

TEST_F(PvmCaptureTest, SaysWhichProgramCannotBeRecorded) {
  const FinishedProcess wrong = start({"capture", "-o", "program.otf2", "--api", "pvm", "--", "true"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, HasSubstr("is not linked to PVM's shared library"));
  EXPECT_FALSE(fs::exists(path("program.otf2")));
}

// PVM's daemon works in the user's home folder; "./pvm_relative" is a file of the folder where the run
// starts.
TEST_F(PvmCaptureTest, FindsTasksByRelativePathsAsRunDoes) {
  fs::copy_file(program("pvm_relative"), path("pvm_relative"));
  for (const Words& how : {Words{"capture", "-o", "program.otf2", "--"},
                           Words{"run", "-n", "4", "--compute", "none", "-p", "ethernet-10", "--"}}) {
    const FinishedProcess run = start(joined(how, {"./pvm_relative"}));
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("started 2 and 0\n")) << how.front();
  }
  EXPECT_EQ(stats().at("messages"), 2);
}

// The figures of a program whose tasks were not started are not those of the program.
TEST_F(PvmCaptureTest, SaysHowManyTasksWereNotStarted) {
  fs::copy_file(program("pvm_relative"), path("pvm_relative"));
  const std::string said = "pvm_spawn started 0 of 3 tasks of ./no_such_worker (PvmNoFile";
  EXPECT_THAT(capture({"./pvm_relative"}).err, HasSubstr("note: " + said)) << "with --quiet, too";
  const FinishedProcess compared =
      start({"compare", "--platforms", "ethernet-10,atm-pvm", "--", "./pvm_relative"});
  EXPECT_THAT(compared.err, HasSubstr("note: " + said));
  EXPECT_THAT(compared.out, HasSubstr("\ntasks           " + said)) << "below the table";
  const FinishedProcess emulated = start({"compare", "-n", "3", "--record", "processor-time", "--platforms",
                                          "ethernet-10,atm-pvm", "--", "./pvm_relative"});
  EXPECT_THAT(emulated.err, HasSubstr("it started 0 of 3 tasks"));
  EXPECT_THAT(emulated.out, HasSubstr("\ntasks           " + said));
}

TEST_F(PvmCaptureTest, SaysThatTheDaemonCannotBeStarted) {
  const FinishedProcess run = run_to_end({"env", "PVM_ROOT=" + path("tmp"), MORGANA_BIN "/morgana", "capture",
                                          "-o", path("program.otf2"), "--", "master1"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("PVM's daemon can't be started"));
  EXPECT_FALSE(fs::exists(path("program.otf2")));
}

TEST_F(PvmCaptureTest, LeavesNothingBehindWhenInterrupted) {
  // Waits for a message that nobody sends; ended as soon as its tasks run.
  const Words command{"env",
                      "PVM_PATH=/usr/bin",
                      "TMPDIR=" + path("tmp"),
                      "timeout",
                      "--preserve-status",
                      "-s",
                      "INT",
                      "3",
                      MORGANA_BIN "/morgana",
                      "capture",
                      "-o",
                      path("program.otf2"),
                      "--",
                      MORGANA_BIN "/pvm_spawner",
                      "2",
                      "hitc_slave",
                      "@nobody"};
  EXPECT_EQ(run_to_end(command).exit_code, 128 + SIGINT);
  EXPECT_THAT(left_behind(), IsEmpty());
  EXPECT_FALSE(fs::exists(path("program.otf2")));
  EXPECT_THAT(processes_with("TMPDIR=" + path("tmp")), IsEmpty());
}

/// Class `paper` of a kernel: the trace has the messages that the kernel counts itself.
class PvmCaptureOfKernels : public PvmCaptureTest, public testing::WithParamInterface<std::string> {};

TEST_P(PvmCaptureOfKernels, HasTheTrafficThatTheyCount) {
  const std::string kernel = MORGANA_BIN "/" + GetParam() + ".pvm";
  const Words sizes{"--tasks", "4", "--class", "paper"};
  ASSERT_EQ(capture(joined({kernel}, sizes)).exit_code, 0);
  PvmDaemon daemon;
  const FinishedProcess own = run_to_end(daemon.command(joined(joined({kernel}, sizes), {"--traffic"})));
  const std::size_t time = own.out.find("time ");
  ASSERT_NE(time, std::string::npos) << own.out << own.err;
  unsigned long long messages = 0, bytes = 0;
  double mean = 0, median = 0;
  ASSERT_EQ(
      std::sscanf(own.out.c_str() + own.out.find('\n', time),
                  " %llu messages, %llu bytes, mean %lf, median %lf", &messages, &bytes, &mean, &median),
      4)
      << own.out;
  const nlohmann::json counts = stats();
  EXPECT_EQ(counts.at("messages").get<unsigned long long>(), messages);
  // XDR fills the text of the result up to whole words, which the kernel does not count.
  EXPECT_NEAR(counts.at("bytes").get<double>(), static_cast<double>(bytes), 6);
  EXPECT_NEAR(counts.at("mean_length").get<double>(), mean, 0.1);
  EXPECT_EQ(counts.at("median_length").get<double>(), median);
}

INSTANTIATE_TEST_SUITE_P(Of, PvmCaptureOfKernels, testing::Values("cg", "pde1", "is"),
                         [](const auto& kernel) { return kernel.param; });

}  // namespace
}  // namespace morgana::test
