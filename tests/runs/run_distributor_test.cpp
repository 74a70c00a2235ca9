// Handing out runs, with the test as the workers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/agent/work_order.h"
#include "runs/run_process.h"
#include "runs/shared_runs.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// None of them is made here, unless a test says so.
std::vector<Job> jobs_named(const std::vector<std::string>& names) {
  std::vector<Job> jobs;
  for (const std::string& name : names)
    jobs.push_back({name, [name] { return RunOutcome{"made here", {{"length", name.size()}}}; }});
  return jobs;
}

class DistributorTest : public testing::Test {
 protected:
  DistributorTest() {
    std::vector<ArrivedAgent> agents;
    for (std::uint32_t number = 0; number < 2; ++number) {
      std::array<int, 2> ends{};
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
      there_.push_back(std::make_unique<Stream>(ends[1]));
      there_.back()->accept_up_to(largest_frame);
      ArrivedAgent& agent = agents.emplace_back();
      agent.stream = std::make_unique<Stream>(ends[0]);
      agent.stream->accept_up_to(largest_frame);
      agent.hello.number = number;
      agent.hello.machine = "machine-" + std::to_string(number);
    }
    distributor_ = std::make_unique<RunDistributor>(std::move(agents));
  }
  ~DistributorTest() override {
    if (running_.joinable()) running_.join();
  }

  void start(const std::vector<Job>& jobs, std::optional<std::size_t> side_by_side = 1) {
    if (running_.joinable()) running_.join();
    jobs_ = jobs;
    words_.clear();
    thrown_.clear();
    running_ = std::thread([this, side_by_side] {
      try {
        distributor_->run(jobs_, side_by_side,
                          [this](std::size_t job, const RunOutcome& outcome) { words_[job] = outcome.word; },
                          {});
      } catch (const Error& error) {
        thrown_ = error.what();
      }
    });
  }
  void finish() { running_.join(); }

  void come(std::size_t worker, std::uint64_t list, std::uint64_t room = 1) {
    come_with(worker, {list, jobs_.size(), hash_of(jobs_), room});
  }
  void come_with(std::size_t worker, const RunList& list) {
    there_[worker]->send(FrameKind::ready, -1, encode(list));
  }
  /// @return the number of the run that the worker is given
  std::uint64_t given(std::size_t worker) {
    Frame frame;
    EXPECT_TRUE(there_[worker]->receive_within(frame, std::chrono::seconds(60)));
    EXPECT_EQ(frame.kind, FrameKind::make);
    return ContentReader(frame.content).number();
  }
  void make(std::size_t worker, std::uint64_t list, std::uint64_t run, const std::string& text) {
    there_[worker]->send(FrameKind::made, -1, ContentWriter().number(list).number(run).text(text).bytes());
  }
  static std::string text(const std::string& word) { return text_of(RunOutcome{word, {}}); }
  std::vector<std::string> told(std::size_t worker) {
    Frame frame;
    EXPECT_TRUE(there_[worker]->receive_within(frame, std::chrono::seconds(60)));
    EXPECT_EQ(frame.kind, FrameKind::outcomes);
    ContentReader content(frame.content);
    std::vector<std::string> all(content.count());
    for (std::string& one : all) one = content.text();
    return all;
  }

  std::vector<std::unique_ptr<Stream>> there_;
  std::unique_ptr<RunDistributor> distributor_;
  std::vector<Job> jobs_;
  std::map<std::size_t, std::string> words_;
  std::string thrown_;
  std::thread running_;
};

TEST_F(DistributorTest, GivesEachWhatItHasRoomForAndTellsAll) {
  start(jobs_named({"a", "b", "c"}));
  come(1, 1);
  EXPECT_EQ(given(1), 0U);
  come(0, 1);
  EXPECT_EQ(given(0), 1U);
  make(0, 1, 1, text("of b"));
  EXPECT_EQ(given(0), 2U);
  make(0, 1, 2, text("of c"));
  make(1, 1, 0, text("of a"));
  finish();
  EXPECT_EQ(thrown_, "");
  EXPECT_THAT(words_, ElementsAre(std::pair(0, "of a"), std::pair(1, "of b"), std::pair(2, "of c")));
  const std::vector<std::string> all{text("of a"), text("of b"), text("of c")};
  EXPECT_EQ(told(0), all);
  EXPECT_EQ(told(1), all);
}

TEST_F(DistributorTest, GivesTheRunsOfOneThatIsGoneToOthers) {
  start(jobs_named({"a", "b"}));
  come(0, 1);
  EXPECT_EQ(given(0), 0U);
  come(1, 1);
  EXPECT_EQ(given(1), 1U);
  there_[0]->shut();
  make(1, 1, 1, text("b"));
  EXPECT_EQ(given(1), 0U);
  make(1, 1, 0, text("a"));
  finish();
  EXPECT_EQ(thrown_, "");
  EXPECT_THAT(words_, SizeIs(2));
}

TEST_F(DistributorTest, EndsWhereNobodyIsLeft) {
  start(jobs_named({"a", "b"}));
  for (const auto& worker : there_) worker->shut();
  finish();
  expect_message(thrown_, "2 of 2 runs");
  start(jobs_named({"c"}));  // and where nobody was
  finish();
  expect_message(thrown_, "1 of 1 runs");
}

// The last outcome may come together with the end of the last worker.
TEST_F(DistributorTest, NeedsNobodyOnceAllIsMade) {
  start(jobs_named({"a"}));
  there_[1]->shut();
  come(0, 1);
  EXPECT_EQ(given(0), 0U);
  make(0, 1, 0, text("a"));
  there_[0]->finish_sending();
  finish();
  EXPECT_EQ(thrown_, "");
  EXPECT_THAT(words_, SizeIs(1));
}

TEST_F(DistributorTest, MakesThoseItselfThatAreMadeOneAtATime) {
  start(jobs_named({"a", "bb"}), std::nullopt);
  finish();
  EXPECT_EQ(words_.at(1), "made here");
  const std::vector<Job> first = jobs_;
  // One that comes late is told, if it has come to the same.
  start(jobs_named({"c"}));
  come_with(0, {1, first.size(), hash_of(first), 0});
  EXPECT_THAT(told(0), ElementsAre(HasSubstr("made here"), HasSubstr("2.0")));
  come(0, 2);
  EXPECT_EQ(given(0), 0U);
  make(0, 2, 0, text("c"));
  finish();
  EXPECT_EQ(thrown_, "");
}

TEST_F(DistributorTest, RefusesAWorkerWithOtherRuns) {
  start(jobs_named({"a", "b"}));
  come_with(0, {1, 2, hash_of(jobs_named({"a", "c"})), 1});
  finish();
  expect_message(thrown_, "machine-0");
}

TEST_F(DistributorTest, RefusesTheSameNamesThatDependOnOtherThings) {
  std::vector<Job> other = jobs_named({"a"});
  other[0].about = "compute scale 2";
  start(jobs_named({"a"}));
  come_with(1, {1, 1, hash_of(other), 1});
  finish();
  expect_message(thrown_, "machine-1");
}

TEST_F(DistributorTest, RefusesWhatNobodyAskedFor) {
  start(jobs_named({"a"}));
  come(0, 1);
  EXPECT_EQ(given(0), 0U);
  make(1, 1, 0, text("a"));
  finish();
  expect_message(thrown_, "machine-1");
}

TEST_F(DistributorTest, RefusesAListThatIsNone) {
  start(jobs_named({"a"}));
  come(0, 7);
  finish();
  expect_message(thrown_, "machine-0");
}

TEST_F(DistributorTest, ThrowsTheErrorOfARun) {
  start(jobs_named({"a"}));
  come(0, 1);
  EXPECT_EQ(given(0), 0U);
  make(0, 1, 0, R"({"error": "it can't"})");
  finish();
  expect_message(thrown_, "a: it can't");
}

}  // namespace
}  // namespace morgana
