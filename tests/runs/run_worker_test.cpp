// A worker, told by the test what it is to make.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <map>
#include <thread>

#include "emulator/core/error.h"
#include "pvmshim/agent/work_order.h"
#include "runs/run_process.h"
#include "runs/shared_runs.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::HasSubstr;

std::vector<Job> some_jobs() {
  std::vector<Job> jobs;
  for (int i = 0; i < 3; ++i)
    jobs.push_back({"job " + std::to_string(i), [i] {
                      if (i == 2) throw Error("two is too many");
                      return RunOutcome{"finished", {{"value", 0.1 * i}}};
                    }});
  return jobs;
}

class WorkerTest : public testing::Test {
 protected:
  WorkerTest() : ends_(connected()), there_(ends_[0]), worker_(ends_[1]) {
    there_.accept_up_to(largest_frame);
  }

  Frame next() {
    Frame frame;
    do {
      EXPECT_TRUE(there_.receive_within(frame, std::chrono::seconds(60)));
    } while (frame.kind == FrameKind::alive);
    return frame;
  }
  void make(std::uint64_t run) { there_.send(FrameKind::make, -1, ContentWriter().number(run).bytes()); }
  /// @return what came of it, as text
  std::string made(std::uint64_t list, std::uint64_t run) {
    const Frame frame = next();
    EXPECT_EQ(frame.kind, FrameKind::made);
    ContentReader content(frame.content);
    EXPECT_EQ(content.number(), list);
    EXPECT_EQ(content.number(), run);
    return content.text();
  }
  void tell(const std::vector<std::string>& outcomes) {
    ContentWriter content;
    content.number(outcomes.size());
    for (const std::string& text : outcomes) content.text(text);
    there_.send(FrameKind::outcomes, -1, content.bytes());
  }

  static std::array<int, 2> connected() {
    std::array<int, 2> ends{};
    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data());
    return ends;
  }
  std::array<int, 2> ends_;
  Stream there_;
  RunWorker worker_;
};

TEST_F(WorkerTest, MakesWhatItIsGivenAndIsToldTheRest) {
  const std::vector<Job> jobs = some_jobs();
  std::map<std::size_t, RunOutcome> outcomes;
  std::thread runner([&] {
    Runner(2, std::shared_ptr<RunExchange>(std::shared_ptr<void>(), &worker_))
        .run(std::span(jobs).first(2),
             [&](std::size_t job, const RunOutcome& outcome) { outcomes[job] = outcome; });
  });
  const Frame come = next();
  EXPECT_EQ(come.kind, FrameKind::ready);
  const RunList list = decode_run_list(come.content);
  EXPECT_EQ(list.number, 1U);
  EXPECT_EQ(list.jobs, 2U);
  EXPECT_EQ(list.hash, hash_of(std::span(jobs).first(2)));
  EXPECT_EQ(list.room, 2U);
  make(1);
  const RunOutcome one = outcome_of(made(1, 1), jobs[1]);
  EXPECT_EQ(one.figures.at("value"), 0.1);
  tell({text_of(RunOutcome{"deadlock", {}}), text_of(one)});
  runner.join();
  EXPECT_EQ(outcomes.at(0).word, "deadlock");
  EXPECT_EQ(outcomes.at(1).figures.at("value"), 0.1);
}

// One a second; fewer where the machine is busy.
TEST_F(WorkerTest, SaysSeldomThatItLives) {
  const auto begin = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::size_t signs = 0;
  Frame frame;
  try {
    for (; signs < 1000 && there_.receive_within(frame, std::chrono::milliseconds(10)); ++signs)
      EXPECT_EQ(frame.kind, FrameKind::alive);
  } catch (const Error&) {  // nothing more has come
  }
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(static_cast<double>(signs), waited.count() + 1);
}

TEST_F(WorkerTest, SendsErrorsAndThrowsThoseOfOthers) {
  const std::vector<Job> jobs = some_jobs();
  std::string thrown;
  std::thread runner([&] {
    try {
      worker_.run(jobs, 1, [](std::size_t, const RunOutcome&) {}, {});
    } catch (const Error& error) {
      thrown = error.what();
    }
  });
  next();
  make(2);
  const std::string text = made(1, 2);
  EXPECT_THAT(text, HasSubstr("two is too many"));
  EXPECT_THROW(outcome_of(text, jobs[2]), Error);
  tell({text_of(RunOutcome{}), text_of(RunOutcome{}), text});
  runner.join();
  expect_message(thrown, "job 2");
}

TEST_F(WorkerTest, CountsItsLists) {
  for (std::uint64_t list = 1; list <= 2; ++list) {
    std::thread runner([&] { worker_.run({}, std::nullopt, [](std::size_t, const RunOutcome&) {}, {}); });
    const RunList come = decode_run_list(next().content);
    EXPECT_EQ(come.number, list);
    EXPECT_EQ(come.room, 0U);
    tell({});
    runner.join();
  }
}

TEST(HashOfJobs, TellsListsApart) {
  std::vector<Job> jobs = some_jobs();
  const std::uint64_t before = hash_of(jobs);
  std::swap(jobs[0], jobs[1]);
  EXPECT_NE(hash_of(jobs), before);
  // Offset basis of the 64-bit FNV-1a (Fowler, Noll, Vo).
  EXPECT_EQ(hash_of({}), 0xcbf29ce484222325U);
}

TEST(RunText, ThatMakesNoSenseIsAnErrorOfTheRun) {
  const Job job{"a job", [] { return RunOutcome{}; }};
  for (const char* text :
       {"", "{", "7", "{}", R"({"outcome": 1})", R"({"error": 1})", R"({"outcome": "finished"})"})
    EXPECT_THROW(outcome_of(text, job), Error) << text;
}

}  // namespace
}  // namespace morgana
