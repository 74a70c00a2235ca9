#include "emulator/core/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <tuple>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/support/effort.h"

namespace morgana {
namespace {
using namespace literals;

class Recorder : public EventHandler {
 public:
  void handle(std::uint64_t what) override {
    handled.push_back(what);
    if (and_then) and_then(what);
  }
  std::vector<std::uint64_t> handled;
  std::function<void(std::uint64_t)> and_then;
};

void drain(EventQueue& events) {
  while (!events.empty()) events.handle_next();
}

TEST(EventQueue, HandlesEventsInTheOrderOfTime) {
  EventQueue events;
  Recorder recorder;
  events.schedule(3_us, recorder, 3);
  events.schedule(1_us, recorder, 1);
  events.schedule(2_us, recorder, 2);
  EXPECT_EQ(events.next_time(), 1_us);
  EXPECT_EQ(events.now(), 0_us);
  drain(events);
  EXPECT_EQ(recorder.handled, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_EQ(events.now(), 3_us);
  EXPECT_EQ(events.handled(), 3u);
}

TEST(EventQueue, KeepsTheOrderOfSchedulingAtTheSameTime) {
  EventQueue events;
  Recorder recorder;
  for (std::uint64_t what = 0; what < 100; ++what) events.schedule(1_us, recorder, what);
  drain(events);
  EXPECT_TRUE(std::is_sorted(recorder.handled.begin(), recorder.handled.end()));
}

TEST(EventQueue, KeepsTheTurnOfAnEventThatIsScheduledLater) {
  EventQueue events;
  Recorder recorder;
  const std::uint64_t turn = events.take_turn();
  events.schedule(1_us, recorder, 2);
  events.schedule(0_us, recorder, 0);
  events.schedule_in_turn(1_us, turn, recorder, 1);
  events.schedule_operation(1_us, 5, recorder, 5);
  drain(events);
  EXPECT_EQ(recorder.handled, (std::vector<std::uint64_t>{0, 5, 1, 2}));
}
TEST(EventQueue, StartsOperationsBeforeAllElseByRank) {
  EventQueue events;
  Recorder recorder;
  events.schedule(1_us, recorder, 100);
  events.schedule_operation(1_us, 7, recorder, 7);
  events.schedule_operation(1_us, 2, recorder, 2);
  events.schedule(0_us, recorder, 99);
  drain(events);
  EXPECT_EQ(recorder.handled, (std::vector<std::uint64_t>{99, 2, 7, 100}));
}

TEST(EventQueue, TellsTheTimeToTheHandler) {
  EventQueue events;
  Recorder recorder;
  recorder.and_then = [&](std::uint64_t what) {
    EXPECT_EQ(events.now().ps(), static_cast<std::int64_t>(what));
  };
  for (const std::uint64_t at : {5u, 9u, 1u, 5u})
    events.schedule(static_cast<std::int64_t>(at) * 1_ps, recorder, at);
  drain(events);
}

TEST(EventQueue, AnEventForNowComesAfterThoseAlreadyThere) {
  EventQueue events;
  Recorder recorder;
  recorder.and_then = [&](std::uint64_t what) {
    if (what == 1) events.schedule(events.now(), recorder, 3);
  };
  events.schedule(1_us, recorder, 1);
  events.schedule(1_us, recorder, 2);
  drain(events);
  EXPECT_EQ(recorder.handled, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(EventQueue, HandlesLateEventsAfterAllElseAtTheirTime) {
  EventQueue events;
  Recorder recorder;
  recorder.and_then = [&](std::uint64_t what) {
    if (what == 1) events.schedule(events.now(), recorder, 2);
  };
  events.schedule_late(1_us, recorder, 3);
  events.schedule_late(1_us, recorder, 4);
  events.schedule(1_us, recorder, 1);
  events.schedule_operation(1_us, 0, recorder, 0);
  events.schedule(2_us, recorder, 5);
  drain(events);
  EXPECT_EQ(recorder.handled, (std::vector<std::uint64_t>{0, 1, 2, 3, 4, 5}));
}

TEST(EventQueue, RefusesWhatLiesBeyondTheEndOfTimeOrBeforeNow) {
  EventQueue events;
  Recorder recorder;
  constexpr SimTime end = SimTime::from_ps((std::int64_t{1} << 62) - 1);
  EXPECT_THROW(events.schedule(end + 1_ps, recorder, 0), Error);
  EXPECT_THROW(events.schedule(SimTime::max(), recorder, 0), Error);
  events.schedule(end, recorder, 1);
  drain(events);
  EXPECT_THROW(events.schedule(end - 1_ps, recorder, 2), Error);
  EXPECT_EQ(recorder.handled, std::vector<std::uint64_t>{1});
}

TEST(EventQueue, IsIdleWhenOnlyUpkeepIsLeftThatNobodyDependsOn) {
  struct Upkeep : EventHandler {
    void handle(std::uint64_t) override { events.upkeep_handled(); }
    EventQueue events;
  } upkeep;
  EventQueue& events = upkeep.events;
  EXPECT_TRUE(events.idle());
  events.schedule_upkeep(1_us, upkeep);
  EXPECT_TRUE(events.idle());
  EXPECT_FALSE(events.empty());
  events.hold();
  EXPECT_FALSE(events.idle());
  events.release();
  EXPECT_TRUE(events.idle());
  struct Nothing : EventHandler {
    void handle(std::uint64_t) override {}
  } nothing;
  events.schedule(2_us, nothing);
  EXPECT_FALSE(events.idle());
  events.handle_next();
  EXPECT_FALSE(events.idle());
  events.handle_next();
  EXPECT_TRUE(events.idle());
  events.hold();
  EXPECT_TRUE(events.idle());  // nothing will ever release it
}

/// Random scheduling from inside and outside handlers, against a list that is sorted anew for every event.
TEST(EventQueue, AgreesWithASortedListOnRandomCases) {
  using Entry =
      std::tuple<std::int64_t, int, std::uint64_t, std::uint64_t>;  // time, operations first, order, what
  for (std::uint64_t seed = 1; seed <= random_cases(1000); ++seed) {
    RandomStream random(seed, "event queue test");
    EventQueue events;
    Recorder recorder;
    std::vector<Entry> list;
    std::vector<std::uint64_t> expected;
    std::uint64_t scheduled = 0;
    const auto schedule_some = [&] {
      for (std::uint64_t count = random.below(4); count > 0 && scheduled < 200; --count) {
        const SimTime at = events.now() + SimTime::from_ps(static_cast<std::int64_t>(random.below(10)));
        const std::uint64_t what = scheduled++;
        if (random.chance(0.3)) {
          const auto rank = static_cast<std::uint32_t>(random.below(1000) * 200 + what);
          events.schedule_operation(at, rank, recorder, what);
          list.emplace_back(at.ps(), 0, rank, what);
        } else if (random.chance(0.3)) {
          events.schedule_late(at, recorder, what);
          list.emplace_back(at.ps(), 2, what, what);
        } else {
          events.schedule(at, recorder, what);
          list.emplace_back(at.ps(), 1, what, what);
        }
      }
    };
    SimTime last;
    recorder.and_then = [&](std::uint64_t) {
      EXPECT_GE(events.now(), last);
      last = events.now();
      schedule_some();
    };
    while (list.empty()) schedule_some();
    while (!events.empty()) {
      std::sort(list.begin(), list.end());
      EXPECT_EQ(events.size(), list.size());
      EXPECT_EQ(events.next_time().ps(), std::get<0>(list.front()));
      expected.push_back(std::get<3>(list.front()));
      list.erase(list.begin());
      events.handle_next();
    }
    ASSERT_TRUE(list.empty());
    ASSERT_EQ(recorder.handled, expected) << "seed " << seed;
  }
}

class OfAProgram : public Recorder {
 public:
  bool serves_program() const override { return true; }
};

TEST(EventQueue, KnowsWhetherAnythingIsGoingToHappenToAProgram) {
  for (const SimTime delay : {1_us, 2_us}) {  // alone, or in a line of events of one delay
    EventQueue events;
    Recorder network;
    OfAProgram program;
    for (std::uint64_t i = 0; i < 8; ++i)
      events.schedule(SimTime::from_ps(1'000'000 + 7 * static_cast<std::int64_t>(i)), network, i);
    for (std::uint64_t i = 0; i < 8; ++i) events.schedule(2_us, network, i);
    EXPECT_FALSE(events.holds_event_of_program());
    events.schedule(delay, program, 0);
    EXPECT_TRUE(events.holds_event_of_program());
    program.and_then = [&](std::uint64_t) {
      EXPECT_FALSE(events.holds_event_of_program()) << "it happens now";
    };
    drain(events);
    EXPECT_EQ(program.handled.size(), 1);
    EXPECT_FALSE(events.holds_event_of_program());
  }
}

}  // namespace
}  // namespace morgana
