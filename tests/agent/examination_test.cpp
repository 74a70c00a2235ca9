// What agents are asked and answer where machines are examined, and where they make runs of a command.

#include "pvmshim/agent/examination.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <thread>

#include "pvmshim/agent/frame.h"
#include "pvmshim/agent/work_order.h"

namespace morgana {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// All that is shorter than `content` is refused.
template <typename Decode>
void expect_cut_off_is_refused(const std::vector<std::byte>& content, const Decode& decode) {
  for (std::size_t size = 0; size < content.size(); ++size)
    EXPECT_THROW(decode(std::span(content).first(size)), MalformedFrame) << size;
}

Findings some_findings() {
  Findings findings;
  findings.checks = {{Check::State::ok, "cores", "2", ""}, {Check::State::warning, "pvm", "none", "install"}};
  findings.work = 0.0049;
  findings.no_files = "there is no /x";
  findings.reached = {{0, 21e-6, ""}, {1, 0, "refused"}};
  return findings;
}

TEST(Examination, IsOrderedAndReportedWhole) {
  ExaminationOrder order{1, {{{"10.0.0.1", "::1"}, 5}, {{}, 6}}, "/home/user", ".file", "secret"};
  const ExaminationOrder again = decode_examination(encode(order));
  EXPECT_EQ(again.number, 1U);
  EXPECT_EQ(again.folder, "/home/user");
  EXPECT_EQ(again.file, ".file");
  EXPECT_EQ(again.content, "secret");
  ASSERT_EQ(again.agents.size(), 2U);
  EXPECT_THAT(again.agents[0].addresses, ElementsAre("10.0.0.1", "::1"));
  EXPECT_EQ(again.agents[1].port, 6);

  const Findings found = decode_findings(encode(some_findings()));
  ASSERT_EQ(found.checks.size(), 2U);
  EXPECT_EQ(found.checks[1].state, Check::State::warning);
  EXPECT_EQ(found.checks[1].mend, "install");
  EXPECT_EQ(found.work, 0.0049);
  EXPECT_EQ(found.no_files, "there is no /x");
  ASSERT_EQ(found.reached.size(), 2U);
  EXPECT_EQ(found.reached[0].round_trip, 21e-6);
  EXPECT_EQ(found.reached[1].why_not, "refused");
}

TEST(Examination, ThatMakesNoSenseIsRefused) {
  ExaminationOrder order{1, {{{"10.0.0.1"}, 5}, {{}, 6}}, "/home/user", ".file", "secret"};
  expect_cut_off_is_refused(encode(order), decode_examination);
  expect_cut_off_is_refused(encode(some_findings()), decode_findings);
  order.number = 2;
  EXPECT_THROW(decode_examination(encode(order)), MalformedFrame);
  Findings odd = some_findings();
  odd.checks[0].state = static_cast<Check::State>(4);
  EXPECT_THROW(decode_findings(encode(odd)), MalformedFrame);
}

TEST(WorkOrder, IsReadAsItWasWritten) {
  const WorkOrder order{"/home/user", {"A=1"}, {"tune", "-p", "fast-ethernet"}};
  const WorkOrder again = decode_work_order(encode(order));
  EXPECT_EQ(again.folder, order.folder);
  EXPECT_EQ(again.environment, order.environment);
  EXPECT_EQ(again.arguments, order.arguments);
  expect_cut_off_is_refused(encode(order), decode_work_order);
  const RunList list = decode_run_list(encode(RunList{1, 2, 3, 4}));
  EXPECT_EQ(list.number, 1U);
  EXPECT_EQ(list.jobs, 2U);
  EXPECT_EQ(list.hash, 3U);
  EXPECT_EQ(list.room, 4U);
  expect_cut_off_is_refused(encode(RunList{}), decode_run_list);
}

/// An agent in a thread, looked at by the test as the emulator.
class AnsweredExamination : public testing::Test {
 protected:
  AnsweredExamination() {
    socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data());
    order_.agents = {{{"127.0.0.1"}, listener_.port()}};
    order_.folder = std::filesystem::current_path();
  }
  Findings findings() {
    Stream here(ends_[0]);
    std::thread agent([this] {
      Stream emulator(ends_[1]);
      answer_examination(order_, emulator, own_listener_, "secret", [] {
        return std::vector<Check>{{Check::State::ok, "here", "", ""}};
      });
    });
    here.accept_up_to(largest_frame);
    Frame frame;
    EXPECT_TRUE(here.receive_within(frame, std::chrono::seconds(60)));
    EXPECT_EQ(frame.kind, FrameKind::examined);
    here.send(FrameKind::probe);
    Frame probe;
    EXPECT_TRUE(here.receive_within(probe, std::chrono::seconds(60)));
    EXPECT_EQ(probe.kind, FrameKind::probe);
    here.send(FrameKind::quit);
    agent.join();
    return decode_findings(frame.content);
  }

  std::array<int, 2> ends_{};
  Listener listener_, own_listener_;
  ExaminationOrder order_;
};

TEST_F(AnsweredExamination, SaysWhatIsThere) {
  const Findings found = findings();
  ASSERT_EQ(found.checks.size(), 1U);
  EXPECT_EQ(found.checks[0].what, "here");
  EXPECT_GT(found.work, 0);
  EXPECT_EQ(found.no_files, "");
  EXPECT_THAT(found.reached, IsEmpty());
}

TEST_F(AnsweredExamination, SaysThatFilesAreMissing) {
  order_.file = "no-such-file-of-an-examination";
  EXPECT_THAT(findings().no_files, HasSubstr("lacks a file just written"));
}

TEST_F(AnsweredExamination, SaysThatTheFolderIsMissing) {
  order_.folder = "/no/such/folder";
  EXPECT_EQ(findings().no_files, "there is no /no/such/folder");
}

// The other one's port accepts, and nobody is there who would answer.
TEST_F(AnsweredExamination, SaysWhomItDoesNotReach) {
  order_.number = 1;
  order_.agents.emplace_back();
  const Findings found = findings();
  ASSERT_EQ(found.reached.size(), 1U);
  EXPECT_EQ(found.reached[0].agent, 0U);
  EXPECT_NE(found.reached[0].why_not, "");
}

}  // namespace
}  // namespace morgana
