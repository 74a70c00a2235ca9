// Threads of a rank that poll in vain: one polls several times before the next one, and none waits for
// another one's next call.

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <vector>

#include "pvmshim/channel/processor_clock.h"
#include "tests/pvmshim/fake_turns.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using namespace testing::fake_turns;

/// How often another thread polls than before, where two poll 128 times each.
int changes_between_two_pollers() {
  pthread_barrier_t both_here;
  pthread_barrier_init(&both_here, nullptr, 2);
  std::vector<int> order;
  const auto body = [&](int number) {
    pthread_barrier_wait(&both_here);
    for (int i = 0; i < 128; ++i) {
      rank().clock = std::max(rank().clock, turns().take()) + 1_us;
      order.push_back(number);
      turns().has_polled_in_vain(true);
      turns().give_back(rank().clock);
    }
  };
  {
    const ProgramsThread a([&] { body(1); }), b([&] { body(2); });
  }
  pthread_barrier_destroy(&both_here);
  EXPECT_EQ(order.size(), 256U);
  int changes = 0;
  for (std::size_t i = 1; i < order.size(); ++i) changes += order[i] == order[i - 1] ? 0 : 1;
  return changes;
}

// 64 polls each in turn, but for the first ones, before it is known of both that they poll.
TEST(ThreadPolls, PollSeveralTimesInTurnAsLongAsNothingHappens) {
  turns();
  rank().said = {rank().clock, rank().clock + 1_s};
  const int changes = changes_between_two_pollers();
  rank().said.reset();
  EXPECT_GE(changes, 3);
  EXPECT_LE(changes, 8);
}

// One that has polled spins, until the other one has polled for long. It is passed over, and gives up after
// ten times the processor time after which that has to happen.
TEST(ThreadPolls, OneThatPolledAndSpinsHoldsUpNobodyForLong) {
  turns();
  pthread_barrier_t both_here;
  pthread_barrier_init(&both_here, nullptr, 2);
  std::atomic<bool> has_polled{false}, gave_up{false};
  rank().said = {rank().clock, rank().clock + 1_s};
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

// In a process of its own. Another thread has computed 50 ms and sleeps; on one core a call comes so much
// later, once. Each of the polls behind it comes later only by what its own thread computes.
TEST(PollsOnOneCore, CountOnceWhatAnotherThreadComputedThere) {
  testing::Forked child([] {
    ChannelSettings settings;
    settings.compute = ComputeMode::measured;
    settings.cores_per_rank = 1;
    ThreadTurns& shared = *new ThreadTurns(ProgramThreads::own(), rank(), settings, SimTime());
    shared.give_back(SimTime());
    const auto poll = [&] {
      const SimTime begin = std::max(rank().clock, shared.take());
      rank().clock = begin + 1_us;
      shared.has_polled_in_vain(true);
      shared.give_back(rank().clock);
      return begin;
    };
    pthread_barrier_t has_computed;
    pthread_barrier_init(&has_computed, nullptr, 2);
    const ProgramsThread computes([&] {
      const auto used = [] { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID).value_or(0); };
      for (const std::int64_t begin = used(); used() - begin < 50'000'000;) {
      }
      pthread_barrier_wait(&has_computed);
      pthread_barrier_wait(&has_computed);
    });
    pthread_barrier_wait(&has_computed);
    const SimTime first = poll();
    SimTime last;
    for (int i = 0; i < 200; ++i) last = poll();
    pthread_barrier_wait(&has_computed);
    std::cerr << "the first poll at " << first.ps() << " ps, the last one at " << last.ps() << " ps\n";
    return first >= 50_ms && last - first < 50_ms ? 0 : 1;
  });
  EXPECT_EQ(child.result(), 0);
}

// At most 128 times by the one that begins while the other still comes.
TEST(ThreadPolls, PollAlternatelyWhereSomethingMayHappen) {
  turns();
  EXPECT_GE(changes_between_two_pollers(), 120);
}

// The wait is looked after as it begins, and when something may have happened; not at each of 100 polls.
TEST(ThreadPolls, LookAfterAWaitBesidePollsOnlyWhereSomethingMayHaveHappened) {
  turns();
  constexpr RequestId request{10};
  pthread_barrier_t begun;
  pthread_barrier_init(&begun, nullptr, 2);
  int limited = -1;
  {
    const ProgramsThread waits([&] {
      rank().clock = std::max(rank().clock, turns().take());
      pthread_barrier_wait(&begun);
      Operation wait;
      wait.kind = OperationKind::wait;
      wait.requests.push_back(request);
      turns().begin_wait(wait);
      EXPECT_EQ(turns().finish_wait().completed.at(0).request, request);
      turns().give_back(rank().clock);
    });
    const ProgramsThread polls([&] {
      pthread_barrier_wait(&begun);
      const int before = rank().limited;
      rank().clock = std::max(rank().clock, turns().take()) + 1_us;
      rank().said = {rank().clock, rank().clock + 1_s};
      turns().has_polled_in_vain(true);
      turns().give_back(rank().clock);
      for (int i = 0; i < 99; ++i) poll_in_vain();
      rank().clock = std::max(rank().clock, turns().take()) + 1_us;
      limited = rank().limited - before;
      rank().said.reset();
      rank().come.insert(request);
      turns().give_back(rank().clock);
    });
  }
  pthread_barrier_destroy(&begun);
  EXPECT_GE(limited, 1);
  EXPECT_LE(limited, 3);
}

// The one that polls on has a time that is 50 us later each time. A wait beside both is looked after until
// the other one's call only, which is earlier.
TEST(ThreadPolls, WaitsAreLookedAfterUntilTheEarliestCallWhoeverPollsOn) {
  turns();
  constexpr RequestId request{11};
  pthread_barrier_t begun;
  pthread_barrier_init(&begun, nullptr, 3);
  SimTime longest = SimTime::max();
  const auto poll = [] {
    rank().clock = std::max(rank().clock, turns().take()) + 1_us;
    rank().said = {rank().clock, rank().clock + 1_s};
    turns().has_polled_in_vain(true);
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

// Each once; none, where naming them with each poll would cost more than looking after the wait apart.
TEST(ThreadPolls, APollNamesWhatOthersWaitForUnlessThatIsMuch) {
  turns();
  for (const std::uint32_t several : {3U, 5000U}) {
    std::vector<RequestId> requests;
    for (std::uint32_t i = 0; i < several; ++i) requests.push_back(RequestId{100 + i});
    pthread_barrier_t begun;
    pthread_barrier_init(&begun, nullptr, 3);
    Operation probe;
    {
      const ProgramsThread waits([&] { wait_for_any_of(requests, begun); });
      const ProgramsThread polls([&] {
        pthread_barrier_wait(&begun);
        rank().clock = std::max(rank().clock, turns().take()) + 1_us;
        turns().name_what_others_wait_for(probe);
        turns().give_back(rank().clock);
        let_come(requests.front());
      });
      pthread_barrier_wait(&begun);
    }
    pthread_barrier_destroy(&begun);
    EXPECT_EQ(probe.requests.size(), several == 3 ? 3U : 0U);
  }
}

}  // namespace
}  // namespace morgana
