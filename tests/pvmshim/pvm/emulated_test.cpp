// Real programs as tasks of an emulated machine.

#include "tests/pvmshim/pvm/emulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/process/paced_transport.h"

namespace morgana {
namespace {

using testing::emulate;
using testing::EmulatedRun;
using ::testing::HasSubstr;
using ::testing::Not;

std::string program(const std::string& name) {
  return std::string(MORGANA_PVM_PROGRAMS) + "/" + name;
}

/// A file's text, without the lines at its beginning that say where it is from.
std::string fixture(const std::string& name) {
  std::ifstream file(std::string(MORGANA_PVM_FIXTURES) + "/" + name);
  std::string text;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with("#")) text += line + "\n";
  return text;
}

TEST(EmulatedTasks, TalkAsOverTheRealDaemon) {
  const EmulatedRun run = emulate({program("conversation")});
  EXPECT_EQ(run.output, fixture("conversation.txt"));
  EXPECT_EQ(run.result, 0);
}

TEST(EmulatedTasks, TalkAsOverTheRealDaemonWhenTheyShareOneHost) {
  EXPECT_EQ(emulate({program("conversation")}, 1).output, fixture("conversation.txt"));
}

TEST(EmulatedTasks, AreMissedHoweverTheyEnd) {
  const EmulatedRun run = emulate({program("endings")});
  EXPECT_EQ(run.result, 0) << run.output;
  EXPECT_THAT(run.output, Not(HasSubstr("never told")));
  for (const char* way : {"return", "exit", "_exit", "quick", "exec", "execl", "fork", "error", "stay",
                          "exit from PVM", "signal", "not a task"})
    EXPECT_THAT(run.output, HasSubstr(std::string(way) + ": told\n"));
  EXPECT_THAT(run.output, HasSubstr("end\n"));
}

TEST(EmulatedTasks, HaveTheirOutputCaughtByTheirParent) {
  const std::string output = emulate({program("endings")}).output;
  for (const char* line :
       {"return\n", "executed\n", "executed too\n", "without PVM\n", "the same again: 1\n"})
    EXPECT_THAT(output, HasSubstr(line));
  EXPECT_THAT(output, Not(HasSubstr("BEGIN")));  // PvmShowTids
}

TEST(EmulatedTasks, MayComeBackAsAnotherProgram) {
  const std::string output = emulate({program("endings")}).output;
  EXPECT_THAT(output, HasSubstr("came back as the same: 1, parent -23\n"));
  EXPECT_THAT(output, HasSubstr("sent to itself 0, received 1\n"));
  EXPECT_THAT(output, Not(HasSubstr("could not")));
}

TEST(EmulatedTasks, HaveForkedChildrenThatAreNoTasks) {
  const std::string output = emulate({program("endings")}).output;
  EXPECT_THAT(output, HasSubstr("the child's call: -14\n"));
  EXPECT_THAT(output, HasSubstr("child ended with 0, the task goes on: 1\n"));
  EXPECT_THAT(output, Not(HasSubstr("it would start a task")));
}

TEST(EmulatedTasks, SayAndEndAsTheyAreToldOnErrors) {
  const std::string output = emulate({program("endings")}).output;
  EXPECT_THAT(output, HasSubstr("]: pvm_send(): Bad parameter\n"));
  EXPECT_THAT(output, Not(HasSubstr("not reached")));
}

TEST(EmulatedTasks, PassOnNoMessageThatHasNotComeYet) {
  const EmulatedRun run =
      emulate({program("relay"), "4", "9000"}, 3, [](std::size_t hosts) { return paced_machine(hosts); });
  EXPECT_EQ(run.result, 0);
  EXPECT_THAT(run.output, HasSubstr("PASS"));
  ASSERT_THAT(run.output, HasSubstr("sent at "));
  // The head is one of 36 frames. The program's clock shows whole microseconds.
  const auto rest_us = 35 * PacedTransport::gap.ps() / 1'000'000;
  EXPECT_GE(std::stoi(run.output.substr(run.output.find("sent at ") + 8)), rest_us - 1);
}

TEST(EmulatedTasks, WaitInSimulatedTime) {
  const EmulatedRun run = emulate({program("clocks")});
  EXPECT_EQ(run.output,
            "trecv 2500000\n"
            "trecv of what is there at once\n"
            "pvmsleep 3000000\n"
            "polled to the end\n"
            "hostsync 0, since 2000, no difference\n"
            "after PVM 1000\n");
}

TEST(EmulatedTasks, TakeTheSameSimulatedTimeEveryTime) {
  EXPECT_EQ(emulate({program("clocks")}).output, emulate({program("clocks")}).output);
}

}  // namespace
}  // namespace morgana
