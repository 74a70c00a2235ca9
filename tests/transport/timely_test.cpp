#include "emulator/transport/congestion/timely.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "tests/support/effort.h"
#include "tests/transport/reference_timely.h"

namespace morgana::testing {
namespace {

using namespace literals;

constexpr BitRate timely_line_rate(10'000'000'000);
constexpr double bits_per_megabit = 1e6;

/// The model and its reference, which are given the same and must agree.
class BothTimely {
 public:
  explicit BothTimely(const TimelyParameters& parameters)
      : parameters_(parameters),
        model_(parameters_, timely_line_rate),
        reference_(parameters_, timely_line_rate) {}

  /// Of so many more bytes.
  void acknowledged(SimTime round_trip, Bytes bytes) {
    place_ += bytes.count();
    const FlowFeedback feedback{
        .place = place_, .sent = place_ + 40'000, .returned = bytes, .round_trip = round_trip};
    model_.acknowledged(feedback);
    reference_.acknowledged(feedback);
    expect_equal();
  }
  /// Of whole segments.
  void completed(SimTime round_trip, int times = 1) {
    for (; times > 0; --times) acknowledged(round_trip, parameters_.segment);
  }
  void sent(SimTime now, Bytes size) {
    model_.sent(now, size);
    reference_.sent(now, size);
    expect_equal();
  }
  double megabits() const { return model_.bits_per_second() / bits_per_megabit; }
  SimTime may_send() const { return model_.may_send(); }
  BitRate rate() { return model_.rate(SimTime()); }

 private:
  void expect_equal() const {
    EXPECT_EQ(model_.bits_per_second(), reference_.rate());
    EXPECT_EQ(model_.may_send(), reference_.may_send());
  }

  TimelyParameters parameters_;
  Timely model_;
  ReferenceTimely reference_;
  std::int64_t place_ = 0;
};

TEST(Timely, GivesWhatTheReferenceGivesExactly) {
  unsigned slow = 0, recovered = 0;
  const std::uint64_t seeds = random_cases(2'000);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, "timely");
    const auto between = [&random](std::int64_t least, std::int64_t most) {
      return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
    };
    TimelyParameters parameters;
    if (seed % 4 == 3) parameters.change = TimelyParameters::Change::round_trip;
    parameters.segment = Bytes(between(500, 20'000));
    parameters.low = SimTime::from_ps(between(0, 60'000'000));
    parameters.high = parameters.low + SimTime::from_ps(between(1, 200'000'000));
    parameters.least_round_trip = SimTime::from_ps(between(1'000'000, 40'000'000));
    parameters.step = BitRate(between(1'000'000, 200'000'000));
    parameters.decrease = 0.05 + 0.95 * random.uniform();
    parameters.gain = 0.02 + 0.98 * random.uniform();
    parameters.active_after = static_cast<unsigned>(between(1, 6));
    parameters.active_steps = static_cast<unsigned>(between(1, 8));
    BothTimely both(parameters);
    SimTime now;
    std::int64_t round_trip = between(5'000'000, 250'000'000);
    double least = both.megabits();
    bool grew = false;
    for (int left = 300; left > 0 && !HasFailure(); --left) {
      now += SimTime::from_ps(between(0, 10'000'000));
      if (random.chance(0.4)) {
        both.sent(now = std::max(now, both.may_send()), Bytes(between(64, 4'000)));
        continue;
      }
      round_trip =
          std::clamp<std::int64_t>(round_trip + between(-20'000'000, 18'000'000), 2'000'000, 300'000'000);
      const double before = both.megabits();
      both.acknowledged(SimTime::from_ps(round_trip), Bytes(between(64, 20'000)));
      grew = grew || both.megabits() > before;
      least = std::min(least, both.megabits());
    }
    if (HasFailure()) return;
    slow += least < 1'000 ? 1 : 0;
    recovered += grew ? 1 : 0;
  }
  EXPECT_GT(slow, seeds / 4);
  EXPECT_GT(recovered, seeds / 2);
}

// ---- by hand, with the paper's values: segments of 16,384 B, T_low 50 us, T_high 500 us, minRTT 20 us,
// delta 10 Mb/s, beta 0.8, alpha 0.875, five completions before steps of five. C is 10 Gb/s.

constexpr double timely_close_to = 1e-6;

/// Of 8 ms, 16 T_high: each takes 0.8 * 15 / 16, three quarters, and the gradient is 0.
void have_three_long_round_trips(BothTimely& both) {
  both.completed(8_ms);  // 10,000 (1 - 0.8 * 15 / 16) = 2,500
  EXPECT_NEAR(both.megabits(), 2'500, timely_close_to);
  both.completed(8_ms);  // 625
  both.completed(8_ms);  // 156.25
  EXPECT_NEAR(both.megabits(), 156.25, timely_close_to);
}

// The fourth packet of 4,096 B completes a segment, the fifth begins another.
TEST(Timely, LearnsOnceASegment) {
  BothTimely both({});
  for (int packet = 0; packet < 3; ++packet) both.acknowledged(1_ms, 4'096_B);
  EXPECT_EQ(both.megabits(), 10'000);
  both.acknowledged(1_ms, 4'096_B);  // half of 0.8 less
  EXPECT_NEAR(both.megabits(), 6'000, timely_close_to);
  both.acknowledged(1_ms, 4'096_B);
  EXPECT_NEAR(both.megabits(), 6'000, timely_close_to);
  EXPECT_EQ(both.rate(), BitRate(6'000'000'000));
}

// 40 us after 8 ms: the gradient is far below 0, and after ten of them still one step each.
TEST(Timely, BelowTheLowThresholdItGrowsByOneStep) {
  BothTimely both({});
  have_three_long_round_trips(both);
  both.completed(40_us, 10);
  EXPECT_NEAR(both.megabits(), 256.25, timely_close_to);
}

// The first round trip has a gradient of 0, but C is the most.
// 208: d = 0.875 * 8 = 7 us, g = 0.35: 10,000 (1 - 0.8 * 0.35) = 7,200.
// 200: d = 0.125 * 7 - 7 = -6.125 us: a step. 206: d = 0.125 * -6.125 + 0.875 * 6 = 4.484375 us, g =
// 0.22421875: 7,210 (1 - 0.179375) = 5,916.70625.
TEST(Timely, BetweenTheThresholdsTheGradientDecides) {
  BothTimely both({});
  both.completed(200_us);
  EXPECT_EQ(both.megabits(), 10'000);
  both.completed(208_us);
  EXPECT_NEAR(both.megabits(), 7'200, timely_close_to);
  both.completed(200_us);
  EXPECT_NEAR(both.megabits(), 7'210, timely_close_to);
  both.completed(206_us);
  EXPECT_NEAR(both.megabits(), 5'916.70625, timely_close_to);
}

// From 8 ms on each is shorter. The first two are above T_high and take 0.8 (1 - 500 / 800) = 0.3 and 0.8 (1
// - 500 / 625) = 0.16; with the next two, of one step each, four gradients are below 0. The fifth makes five
// steps, and so does the next. Then one that is longer by 40 us: the gradient is above 0, and all is over.
TEST(Timely, FiveShorterRoundTripsMakeItHyperactive) {
  BothTimely both({});
  have_three_long_round_trips(both);
  both.completed(800_us);
  EXPECT_NEAR(both.megabits(), 156.25 * 0.7, timely_close_to);
  both.completed(625_us);
  EXPECT_NEAR(both.megabits(), 156.25 * 0.7 * 0.84, timely_close_to);
  const double before = both.megabits();
  both.completed(400_us);
  both.completed(390_us);
  EXPECT_NEAR(both.megabits(), before + 20, timely_close_to);
  both.completed(380_us);
  EXPECT_NEAR(both.megabits(), before + 70, timely_close_to);
  both.completed(370_us);
  EXPECT_NEAR(both.megabits(), before + 120, timely_close_to);
  both.completed(410_us);
  EXPECT_LT(both.megabits(), before + 120);
  const double after = both.megabits();
  both.completed(300_us);
  EXPECT_NEAR(both.megabits(), after + 10, timely_close_to);
}

// 40,000 B are under way. The first acknowledgement and those of what had been sent at a change say nothing.
// Five increases are of one step each, below T_low, too, the sixth is of five; a decrease (0.8 (1 - 500 /
// 800) = 0.3) ends that.
TEST(Timely, ChangesItsRateOnceARoundTrip) {
  TimelyParameters parameters;
  parameters.change = TimelyParameters::Change::round_trip;
  BothTimely both(parameters);
  both.acknowledged(800_us, 1'000_B);
  EXPECT_EQ(both.megabits(), 10'000);
  both.acknowledged(800_us, 40'000_B);
  EXPECT_EQ(both.megabits(), 10'000);
  for (int round = 0; round < 3; ++round) both.acknowledged(800_us, 40'001_B);
  const double low = both.megabits();
  EXPECT_NEAR(low, 10'000 * 0.7 * 0.7 * 0.7, 1e-6);
  both.acknowledged(40_us, 40'001_B);
  both.acknowledged(45_us, 100_B);
  EXPECT_NEAR(both.megabits(), low + 10, timely_close_to);
  for (int round = 0; round < 4; ++round) both.acknowledged(40_us, 40'001_B);
  EXPECT_NEAR(both.megabits(), low + 50, timely_close_to);
  both.acknowledged(40_us, 40'001_B);
  EXPECT_NEAR(both.megabits(), low + 100, timely_close_to);
  both.acknowledged(800_us, 40'001_B);
  const double cut = both.megabits();
  both.acknowledged(40_us, 40'001_B);
  EXPECT_NEAR(both.megabits(), cut + 10, timely_close_to);
}

// A round trip longer by 100 us: g = 4.375, and 1 - 0.8 g is below 0.
TEST(Timely, TheRateStaysWithinItsLimits) {
  BothTimely both({});
  both.completed(40_us, 3);
  EXPECT_EQ(both.megabits(), 10'000);
  both.completed(140_us);
  EXPECT_EQ(both.megabits(), 10);
}

// Four packets of 4,096 B at the line's pace, 3.2768 us each; then the segment's share of time: 16,384 B at 5
// Gb/s are 26.2144 us since its first packet. A packet of 16,390 B is a segment of its own.
TEST(Timely, PacesSegments) {
  TimelyParameters parameters;
  parameters.high = 100_us;
  BothTimely both(parameters);
  both.completed(SimTime::from_ps(800'000'000 / 3));  // 0.8 (1 - 3 / 8) = 0.5
  EXPECT_NEAR(both.megabits(), 5'000, 1e-3);
  for (int packet = 0; packet < 3; ++packet) {
    const SimTime now = 1_us + packet * SimTime::from_ps(3'276'800);
    both.sent(now, 4'096_B);
    EXPECT_EQ(both.may_send(), now);
  }
  both.sent(1_us + 3 * SimTime::from_ps(3'276'800), 4'096_B);
  EXPECT_NEAR(static_cast<double>(both.may_send().ps()), 27'214'400, 10);
  both.sent(30_us, 16'390_B);
  EXPECT_NEAR(static_cast<double>(both.may_send().ps()), 30e6 + 26'224'000, 10);
}

}  // namespace
}  // namespace morgana::testing
