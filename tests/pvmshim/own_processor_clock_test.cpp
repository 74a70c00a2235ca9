#include "pvmshim/channel/own_processor_clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <thread>

#include "emulator/core/random.h"
#include "pvmshim/channel/processor_clock.h"

namespace morgana {
namespace {

/// Uses processor time until this thread's clock has moved on by this much.
void burn(std::int64_t ns) {
  const auto now = [] { return read_clock_ns(CLOCK_THREAD_CPUTIME_ID).value_or(0); };
  const std::int64_t until = now() + ns;
  while (now() < until) {
  }
}

void rest(std::int64_t ns) {
  const timespec span{0, ns};
  nanosleep(&span, nullptr);
}

TEST(OwnProcessorClock, StaysBetweenTheProcessorClockAndAWindowAhead) {
  OwnProcessorClock clock;
  clock.calibrate();
  for (int i = 0; i < 20'000; ++i) {
    const std::int64_t before = own_processor_ns();
    const std::int64_t shown = i % 2 == 0 ? clock.at_exit() : clock.at_entry();
    const std::int64_t after = own_processor_ns();
    ASSERT_GE(shown, before) << "reading " << i;
    ASSERT_LE(shown, after + OwnProcessorClock::longest_reckoned) << "reading " << i;
  }
}

TEST(OwnProcessorClock, NeverGoesBackAndMakesGoodWhatItDidNotSee) {
  constexpr std::uint64_t seed = 7;
  SCOPED_TRACE(seed);
  RandomStream random(seed, "rests");
  OwnProcessorClock clock;
  clock.calibrate();
  std::int64_t last = 0;
  for (int i = 0; i < 2'000; ++i) {
    const std::int64_t shown = i % 2 == 0 ? clock.at_exit() : clock.at_entry();
    ASSERT_GE(shown, last);
    ASSERT_LE(shown, own_processor_ns() + OwnProcessorClock::longest_reckoned);
    last = shown;
    if (random.below(3) == 0) rest(2'000);  // of which it is not told
    if (random.below(3) == 0) burn(static_cast<std::int64_t>(random.below(15'000)));
  }
}

TEST(OwnProcessorClock, RestsInTheShimAreNoComputing) {
  OwnProcessorClock clock;
  clock.calibrate();
  const std::int64_t start = own_processor_ns();
  std::int64_t computed = 0;
  for (int i = 0; i < 1'000; ++i) {
    const std::int64_t begin = clock.at_exit();
    burn(3'000);
    computed += clock.at_entry() - begin;
    rest(1'000);
    clock.has_rested();
  }
  EXPECT_GE(computed, 1'000 * 3'000 * 9 / 10);
  EXPECT_LE(computed, own_processor_ns() - start + OwnProcessorClock::longest_reckoned);
}

TEST(OwnProcessorClock, CountsEveryThread) {
  constexpr std::int64_t each = 20'000'000;
  OwnProcessorClock clock;
  clock.calibrate();
  const std::int64_t begin = clock.at_exit();
  std::thread other(burn, each);
  burn(each);
  other.join();
  EXPECT_GE(clock.at_entry() - begin, 2 * each);
}

}  // namespace
}  // namespace morgana
