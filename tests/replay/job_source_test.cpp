// Jobs beside a program: own hosts, own communicators, one network.

#include "replay/jobs/job_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "replay/jobs/jobs.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/byte_a_nanosecond.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::packet_ns;
using testing::two_leaves;
using Script = std::vector<std::vector<Operation>>;

JobBeside job(const Script& script, SimTime start = {}, std::uint32_t times = 1) {
  return {"beside.otf2", [script] { return std::make_unique<ScriptedSource>(script); }, start, times};
}

/// Ends of all ranks, job after job.
std::vector<SimTime> run(const Script& first, std::vector<JobBeside> beside, std::vector<std::uint32_t> hosts,
                         OperationObserver* of_first = nullptr) {
  ScriptedSource source(first);
  JobSource jobs(source, std::move(beside));
  Machine machine = Platform::parse(two_leaves, "two-leaves.toml")
                        .build(jobs.ranks(), {Placement::Kind::listed, std::move(hosts), "test"}, 1);
  std::vector<OperationObserver*> observers;
  if (of_first != nullptr) observers.push_back(of_first);
  JobObserver parted(jobs, observers, nullptr, [](SimTime) {});
  OperationObserver* const all[] = {&parted};
  return Engine(machine, jobs, all).run();
}

Script message_of(std::int64_t packets) {
  return {{send(1, 1024 * packets, 1, 1), wait({1}), exit()},
          {receive(0, 1024 * packets, 1, 1), wait({1}), exit()}};
}

// Both send from the first leaf to the second over its one cable, which takes their packets alternately.
TEST(JobSource, TwoJobsShareACable) {
  constexpr std::int64_t packets = 1000;
  const SimTime alone = run(message_of(packets), {}, {0, 2}).at(1);
  EXPECT_GT(alone, SimTime::from_ps(packets * packet_ns * 1000));
  const std::vector<SimTime> both = run(message_of(packets), {job(message_of(packets))}, {0, 2, 1, 3});
  for (const SimTime end : {both.at(1), both.at(3)})
    EXPECT_NEAR(static_cast<double>((end - alone).ps()), packets * packet_ns * 1e3, 10 * packet_ns * 1e3);
}

TEST(JobSource, TheLongerJobHasTheCableForItselfWhenTheOtherHasEnded) {
  constexpr std::int64_t packets = 1000, fewer = 300;
  const SimTime alone = run(message_of(packets), {}, {0, 2}).at(1);
  const SimTime beside = run(message_of(packets), {job(message_of(fewer))}, {0, 2, 1, 3}).at(1);
  EXPECT_NEAR(static_cast<double>((beside - alone).ps()), fewer * packet_ns * 1e3, 10 * packet_ns * 1e3);
}

// The same tags, the same number of a communicator, and a wildcard: of hosts that share nothing, so that each
// job ends as if it were alone.
Script exchange() {
  Operation half;
  half.kind = OperationKind::context_created;
  half.context = Context{3};
  half.members = {Rank{1}, Rank{0}};
  Operation any = receive(0, 5000, 7, 2);
  any.peer = any_rank;
  any.context = half.context;
  Operation there = send(1, 5000, 7, 2);
  there.context = half.context;
  Operation all = collective(CollectiveKind::allreduce, 800, 3);
  all.collective.element = Bytes(8);
  Operation barrier = collective(CollectiveKind::barrier, 0, 4);
  barrier.context = half.context;
  return {{half, there, wait({2}), all, wait({3}), barrier, wait({4}), exit()},
          {half, any, wait({2}), all, wait({3}), barrier, wait({4}), exit()}};
}

TEST(JobSource, JobsDoNotMixMessagesOrCommunicators) {
  const std::vector<SimTime> alone = run(exchange(), {}, {0, 1});
  const std::vector<SimTime> both = run(exchange(), {job(exchange())}, {0, 1, 2, 3});
  EXPECT_EQ(std::vector(both.begin(), both.begin() + 2), alone);
  EXPECT_EQ(std::vector(both.begin() + 2, both.end()), alone);
}

TEST(JobSource, AJobMayStartLater) {
  const std::vector<SimTime> alone = run(exchange(), {}, {0, 1});
  const std::vector<SimTime> both = run(exchange(), {job(exchange(), 5_ms)}, {0, 1, 2, 3});
  EXPECT_EQ(std::vector(both.begin(), both.begin() + 2), alone);
  EXPECT_EQ(both.at(2), alone.at(0) + 5_ms);
}

TEST(JobSource, AJobMayRunSeveralTimes) {
  const Script computes{{after(2_ms, exit())}};
  EXPECT_EQ(run(computes, {job(computes, 1_ms, 3)}, {0, 1}).at(1), 1_ms + 3 * 2_ms);
  // Each run has its own communicators, which all members announce anew.
  const SimTime once = run(exchange(), {job(exchange())}, {0, 1, 2, 3}).at(2);
  const SimTime often = run(exchange(), {job(exchange(), {}, 4)}, {0, 1, 2, 3}).at(2);
  EXPECT_GT(often, 3 * once);
  EXPECT_LT(often, 4 * once + 1_us);
}

TEST(JobSource, TheFirstJobsObserversSeeItsRanksOnly) {
  RunStatistics statistics(2);
  const std::vector<SimTime> ends = run(message_of(10), {job(message_of(3000))}, {0, 2, 1, 3}, &statistics);
  EXPECT_EQ(statistics.ranks().size(), 2);
  EXPECT_EQ(statistics.total().messages_sent, 1);
  EXPECT_EQ(statistics.latency().summary().count(), 1);
  EXPECT_EQ(statistics.simulated_time(), std::max(ends.at(0), ends.at(1)));
  EXPECT_LT(statistics.simulated_time(), ends.at(3));
}

TEST(JobSource, ADeadlockNamesTheJobsWorld) {
  const Script waits{{collective(CollectiveKind::barrier, 0, 1), wait({1}), exit()}, {exit()}};
  try {
    run(message_of(1), {job(waits)}, {0, 2, 1, 3});
    ADD_FAILURE() << "no deadlock";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(), {"MPI_COMM_WORLD", "beside.otf2"});
  }
}

}  // namespace
}  // namespace morgana
