#include "emulator/core/lazy_timer.h"

#include <gtest/gtest.h>

#include <vector>

#include "emulator/core/random.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;

class Owner : public EventHandler {
 public:
  void set(SimTime deadline) { timer.set(deadline, events, *this, 7, 3); }
  void handle(std::uint64_t what) override {
    const TimerEvent event = TimerEvent::unpacked(what);
    EXPECT_EQ(event.owner, 7u);
    EXPECT_EQ(event.kind, 3u);
    if (timer.run_out(event, events, *this)) ran_out.push_back(events.now());
  }
  void drain() {
    while (!events.empty()) events.handle_next();
  }
  EventQueue events;
  LazyTimer timer;
  std::vector<SimTime> ran_out;
};

TEST(TimerEvent, KeepsEachFieldApartFromTheOthers) {
  constexpr std::uint32_t most = ~std::uint32_t{0}, last_owner = TimerEvent::owners - 1;
  for (const TimerEvent& event :
       {TimerEvent{}, TimerEvent{most, 0, 0, false}, TimerEvent{0, last_owner, 0, false},
        TimerEvent{0, 0, 3, false}, TimerEvent{0, 0, 0, true}, TimerEvent{most, last_owner, 3, true},
        TimerEvent{1, 2, 1, false}})
    EXPECT_EQ(TimerEvent::unpacked(event.packed()), event);
}

TEST(LazyTimer, AsUpkeepKeepsNothingGoingUntilSetOtherwise) {
  Owner owner;
  owner.timer.set_as_upkeep(5_us, owner.events, owner, 7, 3);
  EXPECT_TRUE(owner.events.idle());
  owner.set(5_us);
  EXPECT_FALSE(owner.events.idle());
  owner.drain();
  EXPECT_EQ(owner.ran_out, std::vector{5_us});
  EXPECT_TRUE(owner.events.idle());
}

TEST(LazyTimer, RunsOutOnceAtItsDeadline) {
  Owner owner;
  owner.set(5_us);
  EXPECT_TRUE(owner.timer.set());
  owner.drain();
  EXPECT_FALSE(owner.timer.set());
  EXPECT_EQ(owner.ran_out, std::vector{5_us});
}

TEST(LazyTimer, DoesNotRunOutWhenCleared) {
  Owner owner;
  owner.set(5_us);
  owner.timer.clear();
  owner.drain();
  EXPECT_TRUE(owner.ran_out.empty());
}

TEST(LazyTimer, MovesBackAndForth) {
  Owner owner;
  owner.set(5_us);
  owner.set(9_us);
  owner.set(3_us);
  owner.set(4_us);
  owner.drain();
  EXPECT_EQ(owner.ran_out, std::vector{4_us});
}

TEST(LazyTimer, CanBeSetAgainAfterItWasCleared) {
  Owner owner;
  owner.set(5_us);
  owner.timer.clear();
  owner.set(5_us);
  owner.drain();
  owner.set(8_us);
  owner.drain();
  EXPECT_EQ(owner.ran_out, (std::vector{5_us, 8_us}));
}

TEST(LazyTimer, KeepsOneEventHoweverOftenItIsPutOff) {
  Owner owner;
  for (std::int64_t step = 1; step <= 1000; ++step) owner.set(step * 1_us);
  EXPECT_EQ(owner.events.size(), 1u);
}

TEST(LazyTimer, OldEventsDoNotMultiply) {
  Owner owner;
  for (std::int64_t step = 100; step >= 1; --step) owner.set(step * 1_us);  // a hundred events
  owner.set(1000_us);
  owner.drain();
  EXPECT_EQ(owner.ran_out, std::vector{1000_us});
  EXPECT_EQ(owner.events.handled(), 101u);
}

TEST(LazyTimer, RunsOutAtTheLastDeadlineWhateverHappenedBefore) {
  for (std::uint64_t seed = 1; seed <= random_cases(1000); ++seed) {
    RandomStream random(seed, "lazy timer test");
    Owner owner;
    SimTime deadline;
    for (int step = 0; step < 50; ++step) {
      if (random.chance(0.2)) owner.timer.clear();
      deadline = owner.events.now() + SimTime::from_ps(1 + static_cast<std::int64_t>(random.below(100)));
      owner.set(deadline);
      owner.ran_out.clear();
      while (!owner.events.empty() && random.chance(0.3) && owner.timer.set()) owner.events.handle_next();
      if (!owner.timer.set()) {
        ASSERT_EQ(owner.ran_out, std::vector{deadline}) << "seed " << seed;
      }
    }
  }
}

}  // namespace
}  // namespace morgana::testing
