#include "emulator/transport/congestion/dcqcn.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "tests/support/effort.h"
#include "tests/transport/infiniband/reference_dcqcn.h"

namespace morgana::testing {
namespace {

using namespace literals;

constexpr BitRate hundred_gigabits(100'000'000'000);
/// Of megabits per second: exact for those of these cases.
constexpr double mega(double megabits) {
  return megabits * 1e6;
}

/// The model and its reference, which are told the same and must agree.
class BothDcqcn {
 public:
  explicit BothDcqcn(const DcqcnParameters& parameters, BitRate line_rate = hundred_gigabits)
      : parameters_(parameters), model_(parameters_, line_rate), reference_(parameters_, line_rate) {}

  void sent(SimTime now, Bytes size) {
    model_.sent(now, size);
    reference_.sent(now, size);
    expect_equal(now);
  }
  void notified(SimTime now) {
    model_.notified(now);
    reference_.notified(now);
    expect_equal(now);
  }
  double rate(SimTime now) {
    expect_equal(now);
    return reference_.rate(now);
  }
  double alpha(SimTime now) {
    expect_equal(now);
    return model_.alpha(now);
  }
  double target(SimTime now) {
    expect_equal(now);
    return model_.target(now);
  }
  SimTime may_send() const { return model_.may_send(); }
  const ReferenceDcqcn& reference() const { return reference_; }

 private:
  void expect_equal(SimTime now) {
    // In any order: each look brings the model up to date.
    EXPECT_EQ(model_.target(now), reference_.target(now));
    EXPECT_EQ(model_.alpha(now), reference_.alpha(now));
    EXPECT_EQ(model_.rate(now).bits_per_second(), std::llround(reference_.rate(now)));
    EXPECT_EQ(model_.may_send(), reference_.may_send());
  }

  DcqcnParameters parameters_;
  Dcqcn model_;
  ReferenceDcqcn reference_;
};

// ---- random cases

class RandomDcqcn {
 public:
  explicit RandomDcqcn(std::uint64_t seed) : random_(seed, "dcqcn"), coincides_(seed % 2 == 1) {}

  DcqcnParameters draw() {
    DcqcnParameters parameters;
    using enum DcqcnParameters::Growth;
    parameters.growth = random_.chance(0.5) ? with_notifications : by_period;
    parameters.gain = random_.chance(0.5) ? 1.0 / 256 : 0.01 + 0.99 * random_.uniform();
    parameters.first_alpha = random_.chance(0.5) ? 1 : random_.uniform();
    parameters.alpha_timer = span(60);
    parameters.increase_timer = span(60);
    if (random_.chance(0.5)) parameters.cut_interval = span(20);
    parameters.clamp_target = random_.chance(0.5);
    parameters.byte_counter = random_.chance(0.3) ? 0_B : Bytes(between(1, 40'000));
    parameters.fast_recovery = static_cast<unsigned>(between(1, 5));
    parameters.additive_increase = BitRate(between(1, 2'000'000'000));
    parameters.hyper_increase = BitRate(between(1, 9'000'000'000));
    parameters.least_rate = BitRate(random_.chance(0.5) ? 10'000'000 : between(1'000'000, 40'000'000'000));
    return parameters;
  }

  /// Packets as soon as they may start, or later; CNPs, several within a period or none for many.
  void tell(BothDcqcn& both) {
    const bool is_rare = random_.chance(0.5);
    SimTime now;
    for (int left = 300; left > 0 && !::testing::Test::HasFailure(); --left) {
      if (!random_.chance(0.2)) now += span(random_.chance(0.05) ? 600 : random_.chance(0.3) ? 30 : 2);
      if (random_.chance(is_rare ? 0.05 : 0.3)) {
        both.notified(now);
      } else if (random_.chance(0.1)) {
        both.rate(now);
      } else {
        if (random_.chance(0.5)) now = std::max(now, both.may_send());
        both.sent(now, Bytes(between(1, 4'200)));
      }
      has_additive = has_additive || both.reference().more_steps() > 5;
      has_hyper = has_hyper || both.reference().fewer_steps() > 6;
    }
  }

  bool has_additive = false, has_hyper = false;

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  /// Up to so many microseconds; whole ones if times coincide.
  SimTime span(std::int64_t most_us) {
    if (coincides_) return between(1, most_us) * 1_us;
    return SimTime::from_ps(between(1, most_us * 1'000'000));
  }

  RandomStream random_;
  bool coincides_;
};

TEST(Dcqcn, GivesWhatTheReferenceGivesExactly) {
  unsigned with_additive = 0, with_hyper = 0;
  const std::uint64_t seeds = random_cases(3'000);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomDcqcn random(seed);
    BothDcqcn both(random.draw());
    random.tell(both);
    if (HasFailure()) return;
    with_additive += random.has_additive ? 1 : 0;
    with_hyper += random.has_hyper ? 1 : 0;
  }
  EXPECT_GT(with_additive, seeds / 4);
  EXPECT_GT(with_hyper, seeds / 8);
}

// ---- by hand. 100 Gb/s, alpha = 1 at first, g = 1/256, timers of 55 us, no byte counter; rates in Mb/s

DcqcnParameters by_timer() {
  DcqcnParameters parameters;
  parameters.byte_counter = 0_B;
  return parameters;
}

// 1,000 bytes take 80 ns at 100 Gb/s and 160 at 50. What has been sent already keeps its pace.
TEST(Dcqcn, TheFirstNotificationHalvesTheRate) {
  BothDcqcn both(by_timer());
  EXPECT_EQ(both.may_send(), 0_ns);
  both.sent(5_us, 1'000_B);
  EXPECT_EQ(both.may_send(), 5_us + 80_ns);
  EXPECT_EQ(both.rate(1_s), mega(100'000));
  EXPECT_EQ(both.alpha(1_s), 0);
  both.notified(1_s);
  EXPECT_EQ(both.rate(1_s), mega(50'000));
  EXPECT_EQ(both.target(1_s), mega(100'000));
  EXPECT_EQ(both.alpha(1_s), 1);
  EXPECT_EQ(both.may_send(), 5_us + 80_ns);
  both.sent(1_s, 1'000_B);
  EXPECT_EQ(both.may_send(), 1_s + 160_ns);
}

TEST(Dcqcn, TheRateIsNotCutBelowTheLeast) {
  DcqcnParameters parameters = by_timer();
  parameters.least_rate = BitRate(30'000'000'000);
  BothDcqcn both(parameters);
  both.notified(0_us);
  EXPECT_EQ(both.rate(0_us), mega(50'000));
  both.notified(1_us);
  EXPECT_EQ(both.rate(1_us), mega(30'000));
  EXPECT_EQ(both.target(1_us), mega(50'000));
}

// Two cuts: R = 25,000, T = 50,000. Five steps halve the distance to T. The sixth (i = 5) raises T by 40, the
// seventh (i = 6) by 200, and so does each that follows.
TEST(Dcqcn, FiveStepsOfFastRecoveryThenAdditiveThenHyperIncrease) {
  BothDcqcn both(by_timer());
  both.notified(0_us);
  both.notified(10_us);
  EXPECT_EQ(both.rate(10_us), mega(25'000));
  EXPECT_EQ(both.target(10_us), mega(50'000));
  EXPECT_EQ(both.rate(65_us - 1_ps), mega(25'000));
  EXPECT_EQ(both.rate(65_us), mega(37'500));
  EXPECT_EQ(both.rate(120_us), mega(43'750));
  EXPECT_EQ(both.rate(175_us), mega(46'875));
  EXPECT_EQ(both.rate(230_us), mega(48'437.5));
  EXPECT_EQ(both.rate(285_us), mega(49'218.75));
  EXPECT_EQ(both.target(285_us), mega(50'000));
  EXPECT_EQ(both.rate(340_us), mega(49'629.375));
  EXPECT_EQ(both.target(340_us), mega(50'040));
  EXPECT_EQ(both.rate(395_us), mega(49'934.6875));
  EXPECT_EQ(both.target(395_us), mega(50'240));
  EXPECT_EQ(both.target(450_us), mega(50'440));
}

// A second cut before any step: the target rate is what it was, and the first step halves the distance to it.
// After that step a cut sets the target rate in any case.
TEST(Dcqcn, ACutBeforeAnyStepMayLeaveTheTargetRate) {
  DcqcnParameters parameters = by_timer();
  parameters.clamp_target = false;
  BothDcqcn both(parameters);
  both.notified(0_us);
  both.notified(10_us);
  EXPECT_EQ(both.rate(10_us), mega(25'000));
  EXPECT_EQ(both.target(10_us), mega(100'000));
  EXPECT_EQ(both.rate(65_us), mega(62'500));
  both.notified(70_us);
  EXPECT_EQ(both.target(70_us), mega(62'500));
}

// The target rate ends at the line rate, and the rate below it.
TEST(Dcqcn, RatesDoNotExceedTheLineRate) {
  DcqcnParameters parameters = by_timer();
  parameters.hyper_increase = BitRate(80'000'000'000);
  BothDcqcn both(parameters);
  both.notified(0_us);
  both.notified(0_us);
  EXPECT_EQ(both.target(6 * 55_us), mega(50'040));
  EXPECT_EQ(both.target(7 * 55_us), mega(100'000));
  EXPECT_EQ(both.target(1_s), mega(100'000));
  EXPECT_EQ(both.rate(1_s), mega(100'000));
}

// Two cuts, 25,000 and 50,000 again; F = 1, 1,000 bytes a step, i by timer, j by bytes.
TEST(Dcqcn, BytesAreStepsOfTheirOwn) {
  DcqcnParameters parameters;
  parameters.byte_counter = 1'000_B;
  parameters.fast_recovery = 1;
  BothDcqcn both(parameters);
  both.sent(0_us, 5'000_B);  // before the first cut: not counted
  both.notified(1_us);
  both.sent(2_us, 999_B);
  both.notified(10_us);
  both.sent(10_us, 999_B);
  EXPECT_EQ(both.rate(10_us), mega(25'000));
  both.sent(11_us, 501_B);  // i = 0, j = 0; 500 in excess
  EXPECT_EQ(both.rate(11_us), mega(37'500));
  EXPECT_EQ(both.target(11_us), mega(50'000));
  both.sent(12_us, 500_B);  // j = 1: additive, as the greater one counts
  EXPECT_EQ(both.target(12_us), mega(50'040));
  EXPECT_EQ(both.rate(12_us), mega(43'770));
  EXPECT_EQ(both.target(65_us), mega(50'080));   // i = 0, j = 2
  EXPECT_EQ(both.target(120_us), mega(50'120));  // i = 1: the smaller one is not beyond F
  both.sent(130_us, 3'000_B);                    // i = 2, j = 2: hyper, one step for 3,000 bytes
  EXPECT_EQ(both.target(130_us), mega(50'320));
  both.sent(131_us, 1_B);  // 2,001 bytes are left
  EXPECT_EQ(both.target(131_us), mega(50'520));
}

// The pace of the packet that makes a step is that before the step: 1,000 bytes at 50,000 and 75,000.
TEST(Dcqcn, AStepCountsFromTheNextPacketOn) {
  DcqcnParameters parameters;
  parameters.byte_counter = 1'000_B;
  BothDcqcn both(parameters);
  both.notified(0_us);
  both.sent(1_us, 1'000_B);
  EXPECT_EQ(both.may_send(), 1_us + 160_ns);
  both.sent(2_us, 1'000_B);
  EXPECT_EQ(both.may_send(), 2_us + SimTime::from_ps(106'667));
}

// g = 1/4: alpha stays 1 with the first notification, and decays at 55 and 110: 3/4, 9/16. The second one at
// 120 cuts by 9/32, makes alpha 27/64 + 16/64, and restarts the timer: 175.
TEST(Dcqcn, AlphaDecaysWithoutNotifications) {
  DcqcnParameters parameters = by_timer();
  parameters.gain = 0.25;
  parameters.increase_timer = 1_ms;
  BothDcqcn both(parameters);
  both.notified(0_us);
  EXPECT_EQ(both.alpha(55_us - 1_ps), 1);
  EXPECT_EQ(both.alpha(55_us), 0.75);
  EXPECT_EQ(both.alpha(119_us), 0.5625);
  both.notified(120_us);
  EXPECT_EQ(both.rate(120_us), mega(50'000) * 23 / 32);
  EXPECT_EQ(both.alpha(120_us), 43.0 / 64);
  EXPECT_EQ(both.alpha(174_us), 43.0 / 64);
  EXPECT_EQ(both.alpha(175_us), 129.0 / 256);
}

// g = 1/4, periods of 1 us from the first notification on, which does not count: 3/4. Two of the second
// period make it 9/16 + 4/16 once. It never restarts.
TEST(Dcqcn, AlphaMayGrowByPeriod) {
  DcqcnParameters parameters = by_timer();
  parameters.growth = DcqcnParameters::Growth::by_period;
  parameters.gain = 0.25;
  parameters.alpha_timer = 1_us;
  BothDcqcn both(parameters);
  both.notified(10_us);
  EXPECT_EQ(both.alpha(10_us), 1);
  EXPECT_EQ(both.alpha(11_us), 0.75);
  both.notified(11_us);
  both.notified(11'900_ns);
  EXPECT_EQ(both.alpha(11'900_ns), 0.75);
  EXPECT_EQ(both.alpha(12_us), 0.8125);
  EXPECT_EQ(both.alpha(13_us), 0.609375);
}

// Periods of 4 us from 10 on. The first notification cuts at 14, though only then; those of 15 and 17 cut
// once, at 18; there is none at 22, and steps are counted from 18.
TEST(Dcqcn, TheRateMayBeCutByPeriod) {
  DcqcnParameters parameters = by_timer();
  parameters.cut_interval = 4_us;
  BothDcqcn both(parameters);
  both.notified(10_us);
  EXPECT_EQ(both.rate(14_us - 1_ps), mega(100'000));
  EXPECT_EQ(both.rate(14_us), mega(50'000));
  both.notified(15_us);
  both.notified(17_us);
  EXPECT_EQ(both.rate(18_us - 1_ps), mega(50'000));
  EXPECT_EQ(both.rate(18_us), mega(25'000));
  EXPECT_EQ(both.rate(72_us), mega(25'000));
  EXPECT_EQ(both.rate(73_us), mega(37'500));
}

// Both timers run out at 4 us: alpha has decayed to 3/4 when it cuts. A notification of that instant comes
// after them, and so counts for the next period. A cut at the instant of a step follows the step.
TEST(Dcqcn, TimersOfAnInstantRunOutInOrderBeforeItsEvents) {
  DcqcnParameters parameters = by_timer();
  parameters.growth = DcqcnParameters::Growth::by_period;
  parameters.gain = 0.25;
  parameters.alpha_timer = parameters.cut_interval = 4_us;
  parameters.increase_timer = 55_us;
  BothDcqcn both(parameters);
  both.notified(0_us);
  both.notified(4_us);
  EXPECT_EQ(both.rate(4_us), mega(62'500));
  // Alpha at 8: 9/16 + 4/16.
  EXPECT_EQ(both.rate(8_us), mega(62'500) * 19 / 32);

  DcqcnParameters at_once = by_timer();
  BothDcqcn stepped(at_once);
  stepped.notified(0_us);
  stepped.notified(55_us);
  // alpha = 255/256; the step has made R 75,000.
  EXPECT_EQ(stepped.target(55_us), mega(75'000));
  EXPECT_EQ(stepped.rate(55_us), mega(75'000) * 257 / 512);
}

}  // namespace
}  // namespace morgana::testing
