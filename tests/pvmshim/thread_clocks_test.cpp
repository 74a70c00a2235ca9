// A stretch of several threads takes as long as the one that is busy longest, with those that it waited for;
// and no less than all processor time over the cores that they have.

#include "pvmshim/channel/thread_clocks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/channel/rank_channel.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;
using testing::Forked;

constexpr std::int64_t ms = 1'000'000;

std::int64_t used_by_this_thread() {
  return read_clock_ns(CLOCK_THREAD_CPUTIME_ID).value_or(0);
}

/// @return what this thread has really used meanwhile
std::int64_t keep_busy(std::int64_t ns) {
  const std::int64_t begin = used_by_this_thread();
  while (used_by_this_thread() - begin < ns) {
  }
  return used_by_this_thread() - begin;
}

/// A thread as the shim has programs make them.
class CountedThread {
 public:
  explicit CountedThread(std::function<void()> work) {
    ThreadClocks::Thread* const counted = ThreadClocks::own().about_to_create();
    thread_ = std::thread([counted, work = std::move(work)] {
      ThreadClocks::own().begins(counted);
      work();
      ThreadClocks::own().ends(counted);
    });
  }
  void join() {
    const pthread_t handle = thread_.native_handle();
    thread_.join();
    ThreadClocks::own().joined(handle);
  }

 private:
  std::thread thread_;
};

/// Begins a stretch and measures it, with what this thread has used in it.
class Stretch {
 public:
  explicit Stretch(std::uint32_t cores = 0) {
    ThreadClocks::own().show_in(shown_, cores);
    ThreadClocks::own().stretch_begins(own_processor_ns());
    begin_ = used_by_this_thread();
  }
  /// @return how long it took
  std::int64_t end() {
    own_ = used_by_this_thread() - begin_;
    return ThreadClocks::own().several() ? ThreadClocks::own().stretch_ends(own_processor_ns()) : own_;
  }
  std::int64_t own() const { return own_; }
  std::uint32_t beside() const { return shown_.beside; }
  std::uint32_t at_once() const { return shown_.at_once; }

 private:
  static inline ThreadClocks::Shown shown_;  // is known for as long as the process
  std::int64_t begin_ = 0, own_ = 0;
};

TEST(ThreadClocks, AJoinLastsUntilTheThreadThatIsBusyLongest) {
  for (const auto& [first, second] : {std::pair(20 * ms, 5 * ms), std::pair(5 * ms, 20 * ms)}) {
    Stretch stretch;
    std::int64_t used[2] = {};
    CountedThread one([&, ns = first] { used[0] = keep_busy(ns); });
    CountedThread two([&, ns = second] { used[1] = keep_busy(ns); });
    one.join();
    two.join();
    const std::int64_t took = stretch.end();
    EXPECT_GE(took, std::max(used[0], used[1]));
    EXPECT_LE(took, std::max(used[0], used[1]) + stretch.own() + 5 * ms);  // of starting and ending threads
  }
}

TEST(ThreadClocks, ForksOneAfterTheOtherAddUp) {
  Stretch stretch;
  std::int64_t sum = 0;
  for (int round = 0; round < 4; ++round) {
    std::int64_t used[2] = {};
    CountedThread one([&] { used[0] = keep_busy(4 * ms); });
    CountedThread two([&] { used[1] = keep_busy(2 * ms); });
    two.join();
    one.join();
    sum += std::max(used[0], used[1]);
  }
  EXPECT_GE(stretch.end(), sum);
}

TEST(ThreadClocks, AThreadBeginsWhereItsCreatorIs) {
  Stretch stretch;
  const std::int64_t before = keep_busy(6 * ms);
  std::int64_t used = 0;
  CountedThread thread([&] { used = keep_busy(6 * ms); });
  thread.join();
  EXPECT_GE(stretch.end(), before + used);
}

TEST(ThreadClocks, WithOneCoreAllTimesAddUp) {
  Stretch stretch(1);
  std::int64_t used[3] = {};
  {
    CountedThread one([&] { used[0] = keep_busy(5 * ms); });
    CountedThread two([&] { used[1] = keep_busy(5 * ms); });
    used[2] = keep_busy(5 * ms);
    EXPECT_EQ(stretch.beside(), 1U);
    one.join();
    two.join();
  }
  EXPECT_GE(stretch.end(), used[0] + used[1] + used[2]);
}

TEST(ThreadClocks, AnIdleThreadOfAPoolAddsNothingAndABusyOneCountsInItsStretchOnly) {
  std::atomic<int> turn{0};
  std::int64_t used = 0;
  const auto wait_for = [](std::atomic<int>& word, int value) {
    for (int seen = word.load(); seen < value; seen = word.load()) word.wait(seen);
  };
  CountedThread pool([&] {
    wait_for(turn, 1);
    used = keep_busy(10 * ms);
    turn = 2;
    turn.notify_all();
    wait_for(turn, 3);
  });
  Stretch busy;
  EXPECT_EQ(busy.beside(), 2U);
  turn = 1;
  turn.notify_all();
  wait_for(turn, 2);
  EXPECT_GE(busy.end(), used);
  Stretch idle;
  const std::int64_t own = keep_busy(3 * ms);
  const std::int64_t took = idle.end();
  EXPECT_GE(took, own);
  EXPECT_LT(took, own + 5 * ms);
  turn = 3;
  turn.notify_all();
  pool.join();
  EXPECT_GE(idle.at_once(), 2U);
  Stretch alone;
  EXPECT_EQ(alone.beside(), 1U);
}

TEST(ThreadClocks, AForkedChildHasTheThreadThatForkedOnly) {
  std::atomic<bool> done{false};
  CountedThread other([&] { done.wait(false); });
  Forked child([] {
    ThreadClocks::own().stretch_begins(own_processor_ns());
    return ThreadClocks::own().several() ? 1 : 0;
  });
  EXPECT_EQ(child.result(), 0);
  done = true;
  done.notify_all();
  other.join();
}

// The law that the emulator's clock rule rests on, with threads that come and go.
TEST(ThreadClocks, TheEmulatorsBoundNeverPassesWhatTheRankReports) {
  for (const std::uint32_t cores : {0U, 1U, 2U}) {
    constexpr int posts = 300;
    ChannelSettings settings;
    settings.ranks = 1;
    settings.cores_per_rank = cores;
    EmulatorChannel emulator(settings);
    Forked rank([path = emulator.path()] {
      RankChannel channel(path, Rank{0});
      RandomStream random(5, "threads");
      Answer answer;
      for (int i = 0; i < posts; ++i) {
        channel.leave();
        std::vector<CountedThread> threads;
        for (std::uint64_t more = random.below(5); more > 0; --more) {
          keep_busy(static_cast<std::int64_t>(random.below(200'000)));
          threads.emplace_back([ns = static_cast<std::int64_t>(random.below(500'000))] { keep_busy(ns); });
        }
        keep_busy(static_cast<std::int64_t>(random.below(300'000)));
        for (CountedThread& thread : threads) thread.join();
        channel.enter();
        Operation operation;
        operation.duration = SimTime::from_ps(channel.computed_since_post().count());
        operation.wants_answer = true;
        channel.post(operation);
        channel.await(answer);
      }
      return 0;
    });
    Operation operation;
    nanoseconds bound = 0ns;
    for (int taken = 0; taken < posts;) {
      if (const auto now = emulator.computed(Rank{0})) bound = std::max(bound, *now);
      if (!emulator.take(Rank{0}, operation)) continue;
      ASSERT_LE(bound.count(), operation.duration.ps()) << "with " << cores << " cores";
      bound = 0ns;
      ++taken;
      emulator.answer(Rank{0}, Answer());
    }
    EXPECT_EQ(rank.result(), 0);
    EXPECT_GE(emulator.most_threads(), 2U);  // those that end soon need not have met the last
    EXPECT_LE(emulator.most_threads(), 5U);
  }
}

}  // namespace
}  // namespace morgana
