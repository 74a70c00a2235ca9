#include "pvmshim/clock/thread_turns.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <iostream>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "pvmshim/channel/processor_clock.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using namespace literals;

/// A rank whose waits end when the test says that something has come, 1 us after they have begun. One thread
/// at a time uses it, or the thread sanitizer complains.
class FakeRank final : public RankInTurns {
 public:
  SimTime reached() override { return clock; }
  bool knows_reached() override { return true; }
  const Answer& carry_out(Operation& operation) override {
    answer = Answer();
    const SimTime limit = operation.duration > SimTime() ? clock + operation.duration : SimTime::max();
    const bool probes = operation.kind == OperationKind::probe;
    if (operation.kind == OperationKind::test_probe) ++looks;
    if (operation.kind == OperationKind::wait && limit != SimTime::max()) ++limited;
    if (probes && std::exchange(has_message, false)) {
      answer.completed.emplace_back().source = Rank{1};
      answer.completed.back().tag = tag;
    } else if (operation.kind == OperationKind::wait || probes)
      for (const RequestId request : operation.requests)
        if (come.erase(request) > 0) {
          answer.completed.emplace_back().request = request;
          if (probes || operation.completion != Completion::all) break;
        }
    clock = answer.completed.empty() && limit != SimTime::max() ? limit : clock + 1_us;
    answer.clock = clock;
    return answer;
  }
  void show(SimTime) override {}
  bool has_exited() const override { return false; }
  std::optional<Quiet> quiet() override { return said; }

  SimTime clock;
  std::optional<Quiet> said;
  std::set<RequestId> come;
  bool has_message = false;  ///< for a probe
  Tag tag = any_tag;         ///< of that message
  int looks = 0;             ///< for messages, in passing
  int limited = 0;           ///< waits with a limit
  Answer answer;
};

FakeRank& rank() {
  static FakeRank one;
  return one;
}

/// A process has one set of turns, for as long as it lasts. Computing takes no time.
ThreadTurns& turns() {
  static ThreadTurns* const one = [] {
    ChannelSettings settings;
    settings.compute = ComputeMode::none;
    auto* const made = new ThreadTurns(ProgramThreads::own(), rank(), settings, SimTime());
    made->give_back(SimTime());
    return made;
  }();
  return *one;
}

/// What the shim makes of pthread_create and pthread_join.
class ProgramsThread {
 public:
  explicit ProgramsThread(std::function<void()> body)
      : body_(std::move(body)), known_(ProgramThreads::own().about_to_create()) {
    pthread_create(&thread_, nullptr, &run, this);
  }
  ~ProgramsThread() {
    ProgramThreads::own().joins(thread_);
    pthread_join(thread_, nullptr);
    ProgramThreads::own().joined(thread_);
  }
  ProgramsThread(const ProgramsThread&) = delete;
  ProgramsThread& operator=(const ProgramsThread&) = delete;

 private:
  static void* run(void* self) {
    auto& thread = *static_cast<ProgramsThread*>(self);
    ProgramThreads::own().begins(thread.known_);
    thread.body_();
    ProgramThreads::own().ends(thread.known_);
    return nullptr;
  }

  std::function<void()> body_;
  ProgramThread* known_;
  pthread_t thread_{};
};

/// A call that moves the rank on by `cost`.
void call(SimTime cost) {
  rank().clock = std::max(rank().clock, turns().take()) + cost;
  turns().give_back(rank().clock);
}

void wait_for(RequestId request) {
  rank().clock = std::max(rank().clock, turns().take());
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.requests.push_back(request);
  turns().begin_wait(wait);
  EXPECT_EQ(turns().finish_wait().completed.at(0).request, request);
  turns().give_back(rank().clock);
}

TEST(ThreadTurns, OneThreadAtATimeIsInACall) {
  turns();
  int calls = 0;  // the turn guards it
  const auto body = [&calls] {
    for (int i = 0; i < 50; ++i) {
      rank().clock = std::max(rank().clock, turns().take()) + 1_us;
      ++calls;
      turns().give_back(rank().clock);
    }
  };
  { const ProgramsThread a(body), b(body), c(body); }
  EXPECT_EQ(calls, 150);
}

TEST(ThreadTurns, AreGivenInTheOrderOfTheThreadsTimes) {
  turns();
  std::vector<int> order;
  std::atomic<int> begun{0};
  // A sanitizer has who creates a thread sleep until that has begun, and who sleeps is passed over.
  const auto body = [&order, &begun](int number, SimTime later) {
    for (++begun; begun < 3;) std::this_thread::yield();
    turns().pass(later);
    const SimTime begin = turns().take();
    rank().clock = std::max(rank().clock, begin);
    order.push_back(number);
    turns().give_back(rank().clock);
  };
  {
    const ProgramsThread a([&] { body(3, 300_us); });
    const ProgramsThread b([&] { body(1, 100_us); });
    const ProgramsThread c([&] { body(2, 200_us); });
  }
  EXPECT_EQ(order, (std::vector<int>{1, 2, 3}));
}

TEST(ThreadTurns, AWaitLetsTheThreadGoOnThatEndsIt) {
  turns();
  constexpr RequestId request{7};
  bool has_come = false;
  {
    const ProgramsThread waits([&] {
      wait_for(request);
      has_come = rank().come.empty();
    });
    const ProgramsThread ends([&] {
      turns().pass(10_us);
      rank().clock = std::max(rank().clock, turns().take());
      rank().come.insert(request);
      turns().give_back(rank().clock);
    });
  }
  EXPECT_TRUE(has_come);
}

// A thread that probes and one that waits for a request are one wait of the rank's, without looks in between.
TEST(ThreadTurns, AProbeAndAWaitEndEachWithItsOwn) {
  turns();
  constexpr RequestId request{8};
  int over = 0;  // the turn guards it
  const auto come = [&](int after, const auto& what) {
    while (true) {
      rank().clock = std::max(rank().clock, turns().take()) + 1_us;
      const bool now = over == after;
      if (now) what();
      turns().give_back(rank().clock);
      if (now) return;
    }
  };
  {
    const ProgramsThread waits([&] {
      wait_for(request);
      EXPECT_EQ(over++, 1);
    });
    const ProgramsThread probes([&] {
      rank().clock = std::max(rank().clock, turns().take());
      Operation probe;
      probe.kind = OperationKind::probe;
      turns().begin_wait(probe);
      EXPECT_EQ(turns().finish_wait().completed.at(0).source, Rank{1});
      EXPECT_EQ(over++, 0);
      turns().give_back(rank().clock);
    });
    const ProgramsThread sends([&] {
      turns().pass(10_us);
      come(0, [] { rank().has_message = true; });
      come(1, [&] { rank().come.insert(request); });
    });
  }
  EXPECT_EQ(over, 2);
  EXPECT_EQ(rank().looks, 0);
}

TEST(ThreadTurns, ThreadsThatWaitForEachOtherOutsideOfCallsHoldUpNobody) {
  turns();
  pthread_barrier_t all_here;
  pthread_barrier_init(&all_here, nullptr, 3);
  const auto body = [&all_here](int number) {
    for (int i = 0; i < 12; ++i) {
      if (i % 3 == number) call(1_us);
      pthread_barrier_wait(&all_here);
    }
  };
  const SimTime begin = rank().clock;
  {
    const ProgramsThread a([&] { body(0); }), b([&] { body(1); }), c([&] { body(2); });
  }
  pthread_barrier_destroy(&all_here);
  EXPECT_EQ(rank().clock - begin, 12_us);
}

TEST(ThreadTurns, WhatAnotherThreadsWaitHasFoundIsKnown) {
  turns();
  constexpr RequestId request{9};
  rank().come.insert(request);
  {
    // Both wait for the same, as flushes of a window do.
    const ProgramsThread a([] { wait_for(request); }), b([] { wait_for(request); });
  }
  EXPECT_TRUE(rank().come.empty());
}

/// A poll of 1 us that finds nothing.
void poll_in_vain() {
  rank().clock = std::max(rank().clock, turns().take()) + 1_us;
  turns().has_polled_in_vain(true);
  turns().give_back(rank().clock);
}

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
TEST(ThreadTurns, PollSeveralTimesInTurnAsLongAsNothingHappens) {
  turns();
  rank().said = {rank().clock, rank().clock + 1_s};
  const int changes = changes_between_two_pollers();
  rank().said.reset();
  EXPECT_GE(changes, 3);
  EXPECT_LE(changes, 8);
}

// One that has polled spins, until the other one has polled for long. It is passed over, and gives up after
// ten times the processor time after which that has to happen.
TEST(ThreadTurns, OneThatPolledAndSpinsHoldsUpNobodyForLong) {
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

// Another thread has computed 50 ms and sleeps; on one core a call comes so much later, once. Each of the
// polls behind it comes later only by what its own thread computes.
TEST(ThreadTurns, WhatAnotherThreadComputedOnTheSameCoreCountsOnce) {
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
TEST(ThreadTurns, PollAlternatelyWhereSomethingMayHappen) {
  turns();
  EXPECT_GE(changes_between_two_pollers(), 120);
}

// The wait is looked after as it begins, and when something may have happened; not at each of 100 polls.
TEST(ThreadTurns, LookAfterAWaitBesidePollsOnlyWhereSomethingMayHaveHappened) {
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

// Both wait in one probe of any message, and who has asked for what comes gets it.
TEST(ThreadTurns, SeveralProbesAreOneOfAnyMessage) {
  turns();
  const int looks = rank().looks;
  int over = 0;  // the turn guards it
  const auto probe_for = [&](int tag) {
    rank().clock = std::max(rank().clock, turns().take());
    Operation probe;
    probe.kind = OperationKind::probe;
    probe.tag = Tag{tag};
    turns().begin_wait(probe);
    EXPECT_EQ(turns().finish_wait().completed.at(0).tag, Tag{tag});
    EXPECT_EQ(over++, 2 - tag);
    turns().give_back(rank().clock);
  };
  {
    const ProgramsThread a([&] { probe_for(1); }), b([&] { probe_for(2); });
    const ProgramsThread sends([&] {
      turns().pass(10_us);
      for (int sent = 0; sent < 2;) {
        rank().clock = std::max(rank().clock, turns().take()) + 1_us;
        if (over == sent) {
          rank().tag = Tag{2 - sent++};
          rank().has_message = true;
        }
        turns().give_back(rank().clock);
      }
    });
  }
  rank().tag = any_tag;
  EXPECT_EQ(over, 2);
  EXPECT_EQ(rank().looks, looks);
}

}  // namespace
}  // namespace morgana
