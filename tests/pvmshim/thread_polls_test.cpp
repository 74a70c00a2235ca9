// Threads of a rank that poll in vain: one polls several times before the next one, and none waits for
// another one's next call.

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <thread>
#include <utility>
#include <vector>

#include "pvmshim/channel/processor_clock.h"
#include "tests/pvmshim/fake_turns.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using namespace testing::fake_turns;

/// Which of two threads polls when, if both poll 128 times. @param before_poll  in each turn
template <typename BeforePoll>
std::vector<int> order_of_two_pollers(BeforePoll before_poll) {
  pthread_barrier_t both_here;
  pthread_barrier_init(&both_here, nullptr, 2);
  std::vector<int> order;
  const auto body = [&](int number) {
    pthread_barrier_wait(&both_here);
    for (int i = 0; i < 128; ++i) {
      rank().clock = std::max(rank().clock, turns().take()) + 1_us;
      order.push_back(number);
      before_poll();
      turns().has_polled_in_vain(rank().news, true);
      turns().give_back(rank().clock);
    }
  };
  {
    const ProgramsThread a([&] { body(1); }), b([&] { body(2); });
  }
  pthread_barrier_destroy(&both_here);
  rank().said.reset();
  EXPECT_EQ(order.size(), 256U);
  return order;
}

int changes_in(const std::vector<int>& order) {
  int changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) changes += order[i] == order[i - 1] ? 0 : 1;
  return changes;
}

// 64 polls each in turn, but for the first ones, before it is known of both that they poll.
TEST(ThreadPolls, PollSeveralTimesInTurnAsLongAsNothingHasCome) {
  turns();
  const int changes = changes_in(order_of_two_pollers([] {}));
  EXPECT_GE(changes, 3);
  EXPECT_LE(changes, 8);
}

// How long a promise is depends on how far other ranks have come in real time.
TEST(ThreadPolls, PollInAnOrderThatNoPromiseChanges) {
  turns();
  const std::vector<int> without = order_of_two_pollers([] {});
  EXPECT_EQ(order_of_two_pollers([] { rank().promise(rank().clock + 1_s); }), without);
  int polls = 0;
  EXPECT_EQ(order_of_two_pollers([&] {
              ++polls % 7 < 3 ? rank().said.reset() : rank().promise(rank().clock + (polls % 5) * 1_us);
            }),
            without);
}

// Something comes in each poll; the other thread looks for it first.
TEST(ThreadPolls, PollAlternatelyWhereSomethingComes) {
  turns();
  EXPECT_GE(changes_in(order_of_two_pollers([] { ++rank().news; })), 120);
}

// One that has polled spins, until the other one has polled for long. It is passed over, and gives up after
// ten times the processor time after which that has to happen.
TEST(ThreadPolls, OneThatPolledAndSpinsHoldsUpNobodyForLong) {
  turns();
  pthread_barrier_t both_here;
  pthread_barrier_init(&both_here, nullptr, 2);
  std::atomic<bool> has_polled{false}, gave_up{false};
  rank().promise(rank().clock + 1_s);
  {
    const ProgramsThread spins([&] {
      pthread_barrier_wait(&both_here);
      for (int i = 0; i < 20; ++i) poll_in_vain();
      const std::int64_t begin = read_clock_ns(CLOCK_THREAD_CPUTIME_ID).value_or(0);
      while (!has_polled && !gave_up)
        gave_up = read_clock_ns(CLOCK_THREAD_CPUTIME_ID).value_or(0) - begin > 10'000'000'000;
    });
    const ProgramsThread polls([&] {
      pthread_barrier_wait(&both_here);
      for (int i = 0; i < 200; ++i) poll_in_vain();
      has_polled = true;
    });
  }
  rank().said.reset();
  pthread_barrier_destroy(&both_here);
  EXPECT_FALSE(gave_up);
}

void compute(std::int64_t ns) {
  const auto used = [] { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID).value_or(0); };
  for (const std::int64_t begin = used(); used() - begin < ns;) {
  }
}

class PollsBesideComputing : public ::testing::TestWithParam<std::uint32_t> {};

// In a process of its own. Another thread computes 50 ms, for which this one sleeps, and then waits: the next
// call comes so much later, once, however many cores they have. Each of the polls behind it comes later only
// by what its own thread computes, between some of them for longer than a reading of its clock serves.
TEST_P(PollsBesideComputing, CountOnceWhatAnotherThreadComputed) {
  testing::Forked child([] {
    constexpr RequestId request{1};
    ChannelSettings settings;
    settings.compute = ComputeMode::measured;
    settings.cores_per_rank = GetParam();
    ThreadTurns& shared = *new ThreadTurns(ProgramThreads::own(), rank(), settings, SimTime());
    shared.give_back(SimTime());
    pthread_barrier_t both_here;
    pthread_barrier_init(&both_here, nullptr, 2);
    const ProgramsThread computes([&] {
      compute(50'000'000);
      rank().clock = std::max(rank().clock, shared.take());
      pthread_barrier_wait(&both_here);
      Operation wait;
      wait.kind = OperationKind::wait;
      wait.requests.push_back(request);
      shared.begin_wait(wait);
      shared.finish_wait();
      shared.give_back(rank().clock);
    });
    pthread_barrier_wait(&both_here);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // so that the other one waits
    const auto poll = [&] {
      const SimTime begin = std::max(rank().clock, shared.take());
      rank().clock = begin + 1_us;
      rank().promise(rank().clock + 1_s);
      shared.has_polled_in_vain(rank().news, true);
      shared.give_back(rank().clock);
      return begin;
    };
    const SimTime first = poll();
    SimTime last;
    for (int i = 0; i < 200; ++i) {
      if (i % 8 == 0) compute(2 * OwnProcessorClock::longest_reckoned);
      last = poll();
    }
    rank().clock = std::max(rank().clock, shared.take());
    rank().said.reset();
    rank().come.insert(request);
    ++rank().news;
    shared.give_back(rank().clock);
    std::cerr << "the first poll at " << first.ps() << " ps, the last one at " << last.ps() << " ps\n";
    return first >= 50_ms && last - first < 50_ms ? 0 : 1;
  });
  EXPECT_EQ(child.result(), 0);
}

INSTANTIATE_TEST_SUITE_P(Cores, PollsBesideComputing, ::testing::Values(0U, 1U, 2U));

/// A thread waits beside one that polls 100 times, and lets what it waits for come then. @return how often
/// the wait is looked after, and when that thread has ended
std::pair<int, SimTime> look_after_a_wait_beside_polls(RequestId request, bool is_promised) {
  pthread_barrier_t begun;
  pthread_barrier_init(&begun, nullptr, 2);
  const int before = rank().limited;
  rank().clock = SimTime();
  {
    const ProgramsThread waits([&] { wait_for_any_of({request}, begun); });
    const ProgramsThread polls([&] {
      pthread_barrier_wait(&begun);
      for (int i = 0; i < 100; ++i) {
        rank().clock = std::max(rank().clock, turns().take()) + 1_us;
        if (is_promised) rank().promise(rank().clock + 1_s);
        turns().has_polled_in_vain(rank().news, true);
        turns().give_back(rank().clock);
      }
      rank().said.reset();
      let_come(request);
    });
  }
  pthread_barrier_destroy(&begun);
  return {rank().limited - before, rank().clock};
}

// It is looked after as it begins, and when something may have come; not at each of 100 polls.
TEST(ThreadPolls, LookAfterAWaitBesidePollsOnlyWhereSomethingMayHaveCome) {
  turns();
  EXPECT_GE(look_after_a_wait_beside_polls(RequestId{10}, false).first, 100);
  const int limited = look_after_a_wait_beside_polls(RequestId{11}, true).first;
  EXPECT_GE(limited, 1);
  EXPECT_LE(limited, 3);
}

// The one that polls on has a time that is 50 us later each time. A wait beside both is looked after until
// the other one's call only, which is earlier.
TEST(ThreadPolls, WaitsAreLookedAfterUntilTheEarliestCallWhoeverPollsOn) {
  turns();
  constexpr RequestId request{12};
  pthread_barrier_t begun;
  pthread_barrier_init(&begun, nullptr, 3);
  SimTime longest = SimTime::max();
  const auto poll = [] {
    rank().clock = std::max(rank().clock, turns().take()) + 1_us;
    rank().promise(rank().clock + 1_s);
    turns().has_polled_in_vain(rank().news, true);
  };
  {
    const ProgramsThread waits([&] { wait_for_any_of({request}, begun); });
    {
      const ProgramsThread comes_later([&] {
        pthread_barrier_wait(&begun);
        for (int i = 0; i < 100; ++i) {
          poll();
          turns().give_back(rank().clock);
          turns().pass(50_us);
        }
      });
      const ProgramsThread comes_at_once([&] {
        pthread_barrier_wait(&begun);
        for (int i = 0; i < 100; ++i) {
          poll();
          if (i == 0) rank().longest_limit = SimTime();
          if (i == 99) longest = rank().longest_limit;
          turns().give_back(rank().clock);
        }
      });
    }
    rank().said.reset();
    let_come(request);
  }
  pthread_barrier_destroy(&begun);
  EXPECT_LT(longest, 50_us);
}

}  // namespace
}  // namespace morgana
