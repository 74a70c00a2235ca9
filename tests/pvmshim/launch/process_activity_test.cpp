#include "pvmshim/launch/process/process_activity.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using testing::Forked;
using ::testing::HasSubstr;
using testing::Pipe;
using ::testing::StartsWith;
using Does = ThreadActivity::Does;

/// What the process comes to sooner or later, or the test never ends.
template <typename Until>
ProcessActivity activity_until(pid_t process, const Until& until) {
  while (true) {
    ProcessActivity activity = activity_of(process);
    if (until(activity)) return activity;
    std::this_thread::yield();
  }
}

bool all_sleep_in_a_call(const ProcessActivity& activity) {
  return !activity.threads.empty() && std::ranges::all_of(activity.threads, [](const ThreadActivity& thread) {
    return thread.does == Does::sleeps && !thread.in.empty();
  });
}

TEST(ProcessActivity, NamesTheCallAndTheFileThatAProcessSleepsIn) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const int reading = ends[0];
  const Forked reader([reading] {
    char byte = 0;
    return static_cast<int>(read(reading, &byte, 1));
  });
  const ProcessActivity activity = activity_until(reader.pid(), all_sleep_in_a_call);
  ASSERT_EQ(activity.threads.size(), 1U);
  EXPECT_EQ(activity.threads[0].number, reader.pid());
  EXPECT_THAT(activity.threads[0].in, StartsWith(fmt::format("read of descriptor {} (pipe:[", reading)));
  EXPECT_FALSE(activity.child_runs);
  close(ends[0]);
  close(ends[1]);
}

TEST(ProcessActivity, SeesAllThreadsTheFirstOneFirst) {
  const Forked waiter([] {
    std::thread other([] {
      while (true) pause();
    });
    other.join();
    return 0;
  });
  const ProcessActivity activity = activity_until(waiter.pid(), [](const ProcessActivity& now) {
    return now.threads.size() == 2 && all_sleep_in_a_call(now);
  });
  EXPECT_EQ(activity.threads[0].number, waiter.pid());
  EXPECT_THAT(activity.threads[0].in, StartsWith("futex"));
  EXPECT_THAT(activity.threads[1].in,
              ::testing::AnyOf("pause", StartsWith("ppoll"), StartsWith("system call")));
}

TEST(ProcessActivity, TellsWhoRunsFromWhoSleeps) {
  const Forked spins([] {
    while (getpid() != 0) {
    }
    return 0;
  });
  const ProcessActivity first = activity_of(spins.pid());
  EXPECT_TRUE(first.has(Does::runs));
  const ProcessActivity later =
      activity_until(spins.pid(), [&](const ProcessActivity& now) { return now.used > first.used; });
  EXPECT_TRUE(later.has(Does::runs));
  kill(spins.pid(), SIGSTOP);
  activity_until(spins.pid(), [](const ProcessActivity& now) { return now.has(Does::stopped); });
}

TEST(ProcessActivity, SeesWhatRunsBelowAProcess) {
  const Forked parent([] {
    const pid_t own = getpid();
    if (fork() == 0) {
      while (getppid() == own) {
      }
      _exit(0);
    }
    return wait(nullptr) > 0 ? 0 : 1;
  });
  const ProcessActivity activity = activity_until(
      parent.pid(), [](const ProcessActivity& now) { return now.child_runs && all_sleep_in_a_call(now); });
  EXPECT_THAT(activity.threads.at(0).in, HasSubstr("for a child process"));
}

TEST(ProcessActivity, OfAProcessThatHasEndedIsNone) {
  Forked process([] { return 0; });
  const pid_t number = process.pid();
  EXPECT_EQ(process.result(), 0);
  EXPECT_TRUE(activity_of(number).threads.empty());
}

}  // namespace
}  // namespace morgana
