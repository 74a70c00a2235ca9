#include "pvmshim/launch/process/rank_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>
#include <vector>

namespace morgana {
namespace {

/// Processes that wait to be killed; they are reaped at the end.
class RankWatchTest : public testing::Test {
 protected:
  RankWatchTest() { EXPECT_EQ(pipe(output_.data()), 0); }
  ~RankWatchTest() override {
    for (const pid_t process : processes_) {
      kill(process, SIGKILL);
      waitpid(process, nullptr, 0);
    }
    for (const int end : output_) close(end);
  }
  pid_t sleeper() {
    const pid_t process = fork();
    if (process == 0) {
      signal(SIGUSR1, SIG_DFL);
      while (true) pause();
    }
    processes_.push_back(process);
    return process;
  }
  /// Kills it, and waits until its death shows.
  void end(const RankWatch& watch, Rank rank, pid_t process, int signal) {
    kill(process, signal);
    while (watch.runs(rank)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  std::array<int, 2> output_{};
  std::vector<pid_t> processes_;
};

// MPICH signals the ranks that are left when one has been killed, and one of these may be seen first.
TEST_F(RankWatchTest, NamesTheRankThatWasKilledAndNotOneThatMpichSignalledForIt) {
  const pid_t job = sleeper(), killed = sleeper(), signalled = sleeper();
  RankWatch watch(
      job, output_[0], [](Rank) { return false; }, [] {});
  watch.add(Rank{0}, signalled);
  watch.add(Rank{1}, killed);
  end(watch, Rank{0}, signalled, SIGUSR1);
  const auto alone = watch.death();
  ASSERT_TRUE(alone);
  if (!alone->status) GTEST_SKIP() << "this kernel forgets how processes end";
  EXPECT_EQ(alone->rank, Rank{0});
  end(watch, Rank{1}, killed, SIGKILL);
  const auto death = watch.death();
  ASSERT_TRUE(death);
  EXPECT_EQ(death->rank, Rank{1});
  EXPECT_TRUE(WIFSIGNALED(*death->status));
  EXPECT_EQ(WTERMSIG(*death->status), SIGKILL);
}

// A rank that ends by its own fault is the cause, whoever was killed before it was seen.
TEST_F(RankWatchTest, NamesTheRankWhoseOwnFaultItIs) {
  const pid_t job = sleeper(), killed = sleeper(), faulty = sleeper();
  RankWatch watch(
      job, output_[0], [](Rank) { return false; }, [] {});
  watch.add(Rank{0}, killed);
  watch.add(Rank{1}, faulty);
  end(watch, Rank{0}, killed, SIGKILL);
  end(watch, Rank{1}, faulty, SIGSEGV);
  const auto death = watch.death();
  ASSERT_TRUE(death);
  if (!death->status) GTEST_SKIP() << "this kernel forgets how processes end";
  EXPECT_EQ(death->rank, Rank{1});
}

}  // namespace
}  // namespace morgana
