// Real programs as tasks of an emulated machine.

#include "tests/pvmshim/pvm/emulated.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "tests/engine/paced_transport.h"

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
       {"return\n", "executed\n", "executed too\n", "without PVM\n", "the same again: 0\n"})
    EXPECT_THAT(output, HasSubstr(line));
  EXPECT_THAT(output, Not(HasSubstr("BEGIN")));  // PvmShowTids
}

TEST(EmulatedTasks, MayComeBackAsAnotherProgram) {
  const std::string output = emulate({program("endings")}).output;
  EXPECT_THAT(output, HasSubstr("came back as the same: 0, parent -23\n"));
  EXPECT_THAT(output, HasSubstr("sent to itself 0, received 1\n"));
  EXPECT_THAT(output, Not(HasSubstr("could not")));
}

// As over PVM 3.4.6.
TEST(EmulatedTasks, EnrolAnewUnderAnotherIdAfterTheyHaveLeft) {
  const EmulatedRun run = emulate({program("leaving"), "enrol anew"});
  EXPECT_EQ(run.output,
            "another: 1, parent -23, still another: 0\n"
            "tasks 1, itself 1, the old one's state -31\n"
            "to the old one 0, came 0\n"
            "to itself 0, came 1\n");
  EXPECT_EQ(run.result, 0);
}

// As over PVM 3.4.6.
TEST(EmulatedTasks, LearnTheSizeOfTheGroupThatTheyFreeze) {
  EXPECT_EQ(emulate({program("leaving"), "freeze"}).output, "instance 0, frozen 1, size 1\n");
}

// As over PVM 3.4.6: the daemon sends SIGTERM to all.
TEST(EmulatedTasks, AreTerminatedByHalt) {
  const EmulatedRun run = emulate({program("leaving"), "halt"});
  EXPECT_EQ(run.output, "started 1\n");
  EXPECT_EQ(run.result, 128 + SIGTERM);
}

TEST(EmulatedTasks, ThatReceiveFromNobodyAreToldSo) {
  const EmulatedRun run = emulate({program("leaving"), "from nobody"});
  EXPECT_THAT(run.output, HasSubstr("rank 1: waits in pvm_recv for a message that nobody can send"));
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

/// How a task is ended by another one, what it does meanwhile, and what it does about signals.
struct Killing {
  std::string how, doing, handling;
};

void PrintTo(const Killing& killing, std::ostream* out) {
  *out << killing.how << " while it does " << killing.doing << " and " << killing.handling;
}

class KilledTasks : public ::testing::TestWithParam<Killing> {};

TEST_P(KilledTasks, AreGoneWhateverTheyAreDoing) {
  const auto& [how, doing, handling] = GetParam();
  const EmulatedRun run = emulate({program("killing"), how, doing, handling});
  EXPECT_EQ(run.result, 0);
  EXPECT_EQ(run.output, "result 0\ngone 1, there 0\n");
}

const std::string sigterm = std::to_string(SIGTERM), sigkill = std::to_string(SIGKILL);

INSTANTIATE_TEST_SUITE_P(
    EmulatedTasks, KilledTasks,
    ::testing::Values(Killing{"kill", "nrecv", "nothing"}, Killing{"kill", "probe", "nothing"},
                      Killing{"kill", "recv", "nothing"}, Killing{sigkill, "nrecv", "nothing"},
                      Killing{sigterm, "nrecv", "nothing"}, Killing{sigterm, "probe", "nothing"},
                      Killing{sigterm, "recv", "nothing"}, Killing{sigterm, "recv", "leaves"}));

// As over PVM 3.4.6, where pvm_kill sends SIGTERM.
TEST(EmulatedTasks, GoOnReceivingAfterASignalThatTheyCatch) {
  for (const std::string& how : {sigterm, std::string("kill")}) {
    const EmulatedRun run = emulate({program("killing"), how, "recv", "goes on"});
    EXPECT_EQ(run.result, 0) << how;
    EXPECT_EQ(run.output, "result 0\ntold 0\nit went on\ngone 1, there 0\n") << how;
  }
}

TEST(EmulatedTasks, TakeTheSameSimulatedTimeEveryTime) {
  EXPECT_EQ(emulate({program("clocks")}).output, emulate({program("clocks")}).output);
}

}  // namespace
}  // namespace morgana
