#include "pvmshim/clock/thread_turns.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

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
    if (probes && std::exchange(has_message, false))
      answer.completed.emplace_back().source = Rank{1};
    else if (operation.kind == OperationKind::wait || probes)
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

  SimTime clock;
  std::set<RequestId> come;
  bool has_message = false;  ///< for a probe
  int looks = 0;             ///< for messages, in passing
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

}  // namespace
}  // namespace morgana
