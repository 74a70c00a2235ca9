#include "pvmshim/channel/own_processor_clock.h"

#include <gtest/gtest.h>
#include <time.h>

#include <chrono>
#include <optional>
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

/// Looks whether the processor clock keeps within the wall clock, as it does where one thread runs. It runs
/// ahead when another thread has run: the kernel counts what that has used at the next tick, or when it
/// sleeps or ends, so a thread that an earlier test has joined, or one of a sanitizer, shows as a jump of any
/// size. And it may when the host corrects one of the two clocks of a virtual machine.
class OneThreadWatch {
 public:
  /// Reads the processor clock.
  std::int64_t read() {
    const std::int64_t before = wall();
    const std::int64_t processor = own_processor_ns();
    latest_ = wall();
    if (read_ && processor - latest_ > ahead_at_most_) jump_ = latest_;
    ahead_at_most_ = processor - before;
    read_ = true;
    return processor;
  }
  /// Whether there was no jump within `span` of the wall clock before the last reading.
  bool one_thread_for(std::int64_t span) const { return !jump_ || latest_ - *jump_ > span; }

 private:
  static std::int64_t wall() {
    using namespace std::chrono;
    return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
  }

  bool read_ = false;
  std::int64_t latest_ = 0;         ///< the wall clock, after the last reading
  std::int64_t ahead_at_most_ = 0;  ///< of the wall clock, at the last reading
  std::optional<std::int64_t> jump_;
};

TEST(OwnProcessorClock, StaysBetweenTheProcessorClockAndAWindowAhead) {
  OwnProcessorClock clock;
  clock.calibrate();
  OneThreadWatch watch;
  constexpr int wanted = 20'000, most_tried = 100 * wanted;
  for (int i = 0, checked = 0; checked < wanted; ++i) {
    if (i == most_tried)
      GTEST_SKIP() << "another thread runs all the time: " << checked << " readings checked";
    const std::int64_t before = watch.read();
    const std::int64_t shown = i % 2 == 0 ? clock.at_exit() : clock.at_entry();
    // What is reckoned rests on a full reading that is a window old at the most.
    const bool with_one_thread = watch.one_thread_for(OwnProcessorClock::longest_reckoned);
    ASSERT_LE(shown, watch.read() + OwnProcessorClock::longest_reckoned) << "reading " << i;
    if (!with_one_thread) continue;
    ASSERT_GE(shown, before) << "reading " << i;
    ++checked;
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
  // (What was shown at first may have been ahead.)
  EXPECT_GE(clock.at_entry() - begin, 2 * each - OwnProcessorClock::longest_reckoned);
}

// It sees the time of its thread, not what another one computes meanwhile.
TEST(OwnProcessorClock, OfAThreadLeavesOutWhatOthersCompute) {
  OwnProcessorClock clock(CLOCK_THREAD_CPUTIME_ID);
  const std::int64_t begin = clock.at_entry();
  std::thread([] { burn(20'000'000); }).join();
  clock.has_rested();
  EXPECT_LT(clock.at_entry() - begin, 10'000'000);
}

}  // namespace
}  // namespace morgana
