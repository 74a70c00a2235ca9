#include "pvmshim/channel/shared_core.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using testing::Forked;

cpu_set_t mask_of(pid_t process) {
  cpu_set_t mask;
  EXPECT_EQ(sched_getaffinity(process, sizeof mask, &mask), 0);
  return mask;
}

class SharedCoreTest : public ::testing::Test {
 protected:
  void take_turns(int turns, std::size_t others = 0) {
    for (int i = 0; i < turns; ++i) core_.before_waking(static_cast<std::size_t>(i % 2), rank(i % 2), others);
  }
  pid_t rank(int which) const { return which == 0 ? first_.pid() : second_.pid(); }

  const cpu_set_t before_ = mask_of(0);
  Forked first_{[] { return pause(); }};
  Forked second_{[] { return pause(); }};
  SharedCore core_{2};
};

TEST_F(SharedCoreTest, IsUsedOnceRanksHaveTakenTurnsForAWhile) {
  take_turns(2);
  EXPECT_FALSE(core_.together());
  take_turns(100);
  EXPECT_TRUE(core_.together());
  const cpu_set_t here = mask_of(0);
  EXPECT_EQ(CPU_COUNT(&here), 1);
  for (const int which : {0, 1}) {
    const cpu_set_t there = mask_of(rank(which));
    EXPECT_TRUE(CPU_EQUAL(&there, &here));
  }
}

TEST_F(SharedCoreTest, IsLeftWhenTwoRanksRunAtOnce) {
  take_turns(32);
  ASSERT_TRUE(core_.together());
  core_.before_waking(0, rank(0), 1);
  EXPECT_FALSE(core_.together());
  for (const pid_t process : {pid_t{0}, rank(0), rank(1)}) {
    const cpu_set_t after = mask_of(process);
    EXPECT_TRUE(CPU_EQUAL(&after, &before_));
  }
}

TEST_F(SharedCoreTest, IsUsedByTwoThatRunAtOnceWhereTheirTurnsAreQuick) {
  take_turns(32, 1);
  EXPECT_FALSE(core_.together());
  take_turns(200, 1);
  EXPECT_TRUE(core_.together());
  take_turns(200, 2);
  EXPECT_FALSE(core_.together());
}

TEST_F(SharedCoreTest, IsLeftWhenOneComputesBesideAnotherWhoseTurnsAreQuick) {
  const Forked computes([]() -> int {
    raise(SIGSTOP);
    while (true) asm volatile("");
  });
  ASSERT_EQ(waitpid(computes.pid(), nullptr, WUNTRACED), computes.pid());
  for (int i = 0; i < 200; ++i) core_.before_waking(1, computes.pid(), 1);
  core_.before_waking(0, rank(0), 1);
  ASSERT_TRUE(core_.together());
  const cpu_set_t together = mask_of(computes.pid());
  ASSERT_EQ(CPU_COUNT(&together), 1);
  kill(computes.pid(), SIGCONT);
  clockid_t clock;
  ASSERT_EQ(clock_getcpuclockid(computes.pid(), &clock), 0);
  for (timespec computed{}; computed.tv_nsec < 20'000'000;) ASSERT_EQ(clock_gettime(clock, &computed), 0);
  for (int i = 0; i < 128; ++i) core_.before_waking(0, rank(0), 1);
  const cpu_set_t after = mask_of(computes.pid());
  EXPECT_TRUE(CPU_EQUAL(&after, &before_));
}

/// A process with a second thread, which is named "second": sanitizers have threads of their own, too.
int two_threads() {
  std::thread second([] {
    prctl(PR_SET_NAME, "second");
    pause();
  });
  return pause();
}

std::vector<pid_t> threads_of(pid_t process) {
  std::vector<pid_t> all;
  for (const auto& task : std::filesystem::directory_iterator("/proc/" + std::to_string(process) + "/task"))
    all.push_back(std::atoi(task.path().filename().c_str()));
  return all;
}

/// Waits until there is one.
pid_t second_thread_of(pid_t process) {
  while (true)
    for (const pid_t thread : threads_of(process)) {
      std::ifstream comm("/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/comm");
      std::string name;
      if (comm >> name && name == "second") return thread;
    }
}

TEST_F(SharedCoreTest, MovesAllThreadsOfARankAndBack) {
  const Forked threads(two_threads);
  second_thread_of(threads.pid());
  for (int i = 0; i < 32; ++i) core_.before_waking(0, threads.pid(), 0);
  for (const pid_t thread : threads_of(threads.pid())) {
    const cpu_set_t mask = mask_of(thread);
    EXPECT_EQ(CPU_COUNT(&mask), 1);
  }
  core_.part();
  for (const pid_t thread : threads_of(threads.pid())) {
    const cpu_set_t mask = mask_of(thread);
    EXPECT_TRUE(CPU_EQUAL(&mask, &before_));
  }
}

// Also where that is the core on which all meet: it was not moved.
TEST_F(SharedCoreTest, RespectsTheMaskThatAThreadHasGivenItself) {
  const Forked threads(two_threads);
  const pid_t thread = second_thread_of(threads.pid());
  for (int i = 0; i < 32; ++i) core_.before_waking(0, rank(0), 0);
  const cpu_set_t own = mask_of(rank(0));
  ASSERT_EQ(sched_setaffinity(thread, sizeof own, &own), 0);
  for (int i = 0; i < 32; ++i) core_.before_waking(1, threads.pid(), 0);
  core_.part();
  const cpu_set_t after = mask_of(thread), others = mask_of(threads.pid());
  EXPECT_TRUE(CPU_EQUAL(&after, &own));
  EXPECT_TRUE(CPU_EQUAL(&others, &before_));
}

TEST_F(SharedCoreTest, IsLeftWhenNoRankIsWokenForAWhile) {
  take_turns(32);
  core_.part_after(std::chrono::hours(1));
  EXPECT_TRUE(core_.together());
  core_.part_after(std::chrono::nanoseconds(0));
  EXPECT_FALSE(core_.together());
}

TEST_F(SharedCoreTest, RespectsTheMaskThatARankHasGivenItself) {
  cpu_set_t own;
  CPU_ZERO(&own);
  for (std::size_t core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &before_)) {
      CPU_SET(core, &own);
      break;
    }
  ASSERT_EQ(sched_setaffinity(rank(1), sizeof own, &own), 0);
  take_turns(100);
  core_.part();
  const cpu_set_t after = mask_of(rank(1));
  EXPECT_TRUE(CPU_EQUAL(&after, &own));
}

}  // namespace
}  // namespace morgana
