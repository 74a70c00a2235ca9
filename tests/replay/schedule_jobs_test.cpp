// Schedules beside a schedule: own hosts, own messages, one network.

#include "replay/jobs/schedule_jobs.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/platform/platform.h"
#include "replay/comparison.h"
#include "replay/jobs/jobs_alone.h"
#include "tests/support/byte_a_nanosecond.h"
#include "tests/support/goal_schedules.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::AllOf;
using testing::GoalSchedule;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::packet_ns;
using testing::two_leaves;

class ScheduleJobsTest : public ::testing::Test {
 protected:
  TraceBeside job(const std::string& text, SimTime start = {}, std::uint32_t times = 1) {
    return {folder_.write(fmt::format("{}.goal", ++files_), text), start, times};
  }
  ReplayResult run(const Platform& platform, const std::string& first, std::vector<TraceBeside> beside = {},
                   std::vector<std::uint32_t> hosts = {}) {
    ReplayOptions options;
    if (!hosts.empty()) options.placement = {Placement::Kind::listed, std::move(hosts), "test"};
    options.beside = std::move(beside);
    return replay_on(platform, folder_.write("first.goal", first), options);
  }
  SimTime time_of(const Platform& platform, const std::string& text, std::vector<std::uint32_t> hosts = {}) {
    return run(platform, text, {}, std::move(hosts)).statistics.simulated_time();
  }
  static std::vector<SimTime> ends_of(const ReplayResult& result) {
    std::vector<SimTime> ends;
    for (const RunStatistics::PerRank& rank : result.statistics.ranks()) ends.push_back(rank.end);
    return ends;
  }

  testing::TemporaryFolder folder_;
  int files_ = 0;
};

std::string message_of(std::int64_t packets) {
  return fmt::format("num_ranks 2\nrank 0 {{\nl1: send {0}b to 1\n}}\nrank 1 {{\nl1: recv {0}b from 0\n}}\n",
                     1024 * packets);
}

// Both send from the first leaf to the second over its one cable, which takes their packets alternately.
TEST_F(ScheduleJobsTest, TwoJobsShareACable) {
  const Platform platform = Platform::parse(two_leaves, "two-leaves.toml");
  constexpr std::int64_t packets = 1000;
  const SimTime alone = time_of(platform, message_of(packets), {0, 2});
  const ReplayResult both = run(platform, message_of(packets), {job(message_of(packets))}, {0, 2, 1, 3});
  ASSERT_EQ(both.jobs.size(), 2u);
  for (const JobResult& one : both.jobs)
    EXPECT_NEAR(static_cast<double>((one.end - alone).ps()), packets * packet_ns * 1e3, 10 * packet_ns * 1e3);
  EXPECT_EQ(both.statistics.simulated_time(), both.jobs[0].end);
}

// The times alone are those that each job takes by itself on the hosts that it had.
TEST_F(ScheduleJobsTest, JobsAloneTakeTheTimesOfRunsByHand) {
  const Platform platform = Platform::parse(two_leaves, "two-leaves.toml");
  ReplayOptions options;
  options.placement = {Placement::Kind::listed, {0, 2, 1, 3}, "test"};
  options.beside = {job(message_of(700))};
  const auto first = folder_.write("alone.goal", message_of(1000));
  ReplayResult both = replay_on(platform, first, options);
  find_times_alone(platform, first, options, both);
  ASSERT_EQ(both.jobs.size(), 2u);
  EXPECT_EQ(both.jobs[0].alone, time_of(platform, message_of(1000), {0, 2}));
  EXPECT_EQ(both.jobs[1].alone, time_of(platform, message_of(700), {1, 3}));
  for (const JobResult& one : both.jobs) EXPECT_LT(*one.alone, one.time());
}

// By LogGP hosts share nothing: each job ends as if it were alone, though all have the same ranks and tags,
// and the wildcards of one would match the messages of another.
TEST_F(ScheduleJobsTest, JobsDoNotMixMessages) {
  const Platform loggp = Platform::load("loggopsim");
  const std::string any =
      "num_ranks 3\nrank 0 {\nl1: send 800b to 2 tag 1\n}\nrank 1 {\nl1: calc 50000\nl2: send 900b to 2 tag "
      "1\n"
      "l2 requires l1\n}\nrank 2 {\nl1: recv 800b from -1 tag -1\nl2: recv 900b from -1 tag -1\n"
      "l2 requires l1\n}\n";
  const std::string ring = testing::ring(8, 14, 4096).text();
  const ReplayResult alone = run(loggp, any);
  const ReplayResult both = run(loggp, any, {job(ring), job(any)});
  EXPECT_EQ(ends_of(both), ends_of(alone));
  ASSERT_EQ(both.jobs.size(), 3u);
  EXPECT_EQ(both.jobs[1].end, time_of(loggp, ring));
  EXPECT_EQ(both.jobs[2].end, alone.statistics.simulated_time());
  EXPECT_EQ(both.jobs[1].first_host, 3u);
  EXPECT_EQ(both.jobs[2].first_host, 11u);
  EXPECT_THAT(both.notices, IsEmpty());
}

TEST_F(ScheduleJobsTest, AJobMayStartLaterAndRunSeveralTimes) {
  const Platform loggp = Platform::load("loggopsim");
  const std::string ring = testing::ring(4, 6, 100'000).text();
  const SimTime alone = time_of(loggp, ring);
  const ReplayResult both = run(loggp, message_of(1), {job(ring, 5_ms), job(ring, {}, 3)});
  ASSERT_EQ(both.jobs.size(), 3u);
  EXPECT_EQ(both.jobs[1].start, 5_ms);
  EXPECT_EQ(both.jobs[1].time(), alone);
  EXPECT_EQ(both.jobs[2].end, alone * 3);
  EXPECT_EQ(both.jobs[2].times, 3u);
}

// Nobody receives the second message: in the next run the wildcard still gets the first one.
TEST_F(ScheduleJobsTest, MessagesOfARunAreNotTheNextOnes) {
  const std::string leftover =
      "num_ranks 2\nrank 0 {\nl1: send 10b to 1\nl2: send 20b to 1\nl2 requires l1\n}\nrank 1 {\n"
      "l1: recv 10b from -1 tag -1\nl2: calc 100000\nl2 requires l1\n}\n";
  const ReplayResult result = run(Platform::load("loggopsim"), message_of(1), {job(leftover, {}, 3)});
  ASSERT_EQ(result.notices.size(), 1u);
  expect_message(result.notices[0], {"1.goal: 3 messages", "rank 0 to rank 1 with tag 0 (20 bytes)"});
  EXPECT_THAT(result.notices[0], ::testing::Not(HasSubstr("another size")));
}

// A user of LogGOPSim would merge the schedules into one, whose ranks are those of all jobs. It is the same
// run.
TEST_F(ScheduleJobsTest, TakeTheTimesOfOneMergedSchedule) {
  GoalSchedule merged(7);
  const GoalSchedule first = testing::ring(3, 8, 300'000), second = testing::ring(4, 5, 200'000);
  for (std::size_t rank = 0; rank < 3; ++rank) merged.lines[rank] = first.lines[rank];
  for (std::size_t rank = 0; rank < 4; ++rank)
    for (std::string line : second.lines[rank]) {
      for (const char* word : {" to ", " from "})
        if (const std::size_t at = line.find(word); at != std::string::npos) {
          const std::size_t peer = at + std::string(word).size();
          line = line.substr(0, peer) + std::to_string(3 + std::stoul(line.substr(peer)));
        }
      merged.lines[3 + rank].push_back(line);
    }
  for (const char* name : {"hdr-fat-tree", "roce-100g", "fast-ethernet-tree"}) {
    SCOPED_TRACE(name);
    const Platform platform = Platform::load(name);
    const std::vector<std::uint32_t> hosts{0, 2, 4, 1, 3, 5, 6};
    const std::vector<SimTime> all = ends_of(run(platform, merged.text(), {}, hosts));
    const ReplayResult both = run(platform, first.text(), {job(second.text())}, hosts);
    EXPECT_EQ(ends_of(both), std::vector(all.begin(), all.begin() + 3));
    EXPECT_EQ(both.jobs[1].end, std::ranges::max(std::span(all).subspan(3)));
  }
}

TEST_F(ScheduleJobsTest, AJobThatStandsStillLeavesTheFirstOnesResult) {
  const Platform loggp = Platform::load("loggopsim");
  const std::string waits = "num_ranks 2\nrank 0 {\nl1: recv 8b from 1\n}\nrank 1 {\nl1: calc 5\n}\n";
  const ReplayResult result = run(loggp, message_of(3), {job(waits)});
  EXPECT_EQ(result.statistics.simulated_time(), time_of(loggp, message_of(3)));
  EXPECT_TRUE(result.jobs[1].stands_still);
  EXPECT_THAT(result.stands_still,
              AllOf(HasSubstr("on loggopsim job 2 ("), HasSubstr("1.goal) stands still; job 1 has ended"),
                    HasSubstr("1.goal:3: l1 waits for a message from rank 1")));
  try {
    run(loggp, waits, {job(message_of(1))});
    ADD_FAILURE() << "it came to its end";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(), "job 1 (");
    EXPECT_THAT(deadlock.what(), ::testing::Not(HasSubstr("job 2 (")));
  }
}

}  // namespace
}  // namespace morgana
