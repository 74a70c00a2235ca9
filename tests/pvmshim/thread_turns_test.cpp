#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "tests/pvmshim/fake_turns.h"

namespace morgana {
namespace {

using namespace testing::fake_turns;

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

// A wait for two has one of them. A test of that one and of another one asks the emulator for the other one
// only, and takes the time of a poll.
TEST(ThreadTurns, ATestAsksOnlyForWhatNoWaitHasFound) {
  turns();
  constexpr RequestId found{20}, late{21}, other{22};
  std::vector<Completed> come;
  Operation test;
  test.kind = OperationKind::test;
  {
    const ProgramsThread waits([&] {
      rank().clock = std::max(rank().clock, turns().take());
      Operation wait;
      wait.kind = OperationKind::wait;
      wait.requests = {found, late};
      turns().begin_wait(wait);
      EXPECT_EQ(turns().finish_wait().completed.size(), 2U);
      turns().give_back(rank().clock);
    });
    const ProgramsThread tests([&] {
      turns().pass(10_us);
      let_come(found);
      for (int i = 0; i < 20 && come.empty(); ++i) {
        rank().clock = std::max(rank().clock, turns().take()) + 1_us;
        test.requests = {other, found, late};
        come = turns().take_come(test);
        turns().give_back(rank().clock);
      }
      let_come(late);
    });
  }
  ASSERT_EQ(come.size(), 1U);
  EXPECT_EQ(come[0].request, found);
  ASSERT_EQ(test.requests.size(), 2U);
  EXPECT_EQ(test.requests[0], other);
  EXPECT_EQ(test.requests[1], late);
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
