#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>

#include "emulator/core/random.h"
#include "emulator/transport/congestion/cubic.h"
#include "emulator/transport/congestion/dctcp.h"
#include "emulator/transport/congestion/new_reno.h"
#include "tests/transport/reference_window.h"

namespace morgana::testing::window_control {
namespace {

using Why = WindowControl::Congestion;

/// Segments of 1,000 B; 10 of them at first.
WindowParameters windows(std::int64_t slow_start = 0, std::int64_t initial = 10) {
  return {.segment = Bytes(1'000), .initial = initial, .byte_counting = 2, .slow_start = slow_start};
}

void acknowledge(WindowControl& control, std::int64_t bytes, SimTime now = {}, SimTime round_trip = {}) {
  control.acknowledged({.now = now, .bytes = Bytes(bytes), .grows = true, .round_trip = round_trip});
}

std::int64_t bytes_of(const WindowControl& control) {
  return control.window().count();
}

// ---- NewReno

TEST(NewReno, GrowsInSlowStartByWhatIsAcknowledgedAndAtMostByTwoSegments) {
  const WindowParameters parameters = windows();
  NewReno control(parameters);
  EXPECT_EQ(bytes_of(control), 10'000);
  EXPECT_TRUE(control.in_slow_start());
  acknowledge(control, 300);
  EXPECT_EQ(bytes_of(control), 10'300);
  acknowledge(control, 2'000);
  EXPECT_EQ(bytes_of(control), 12'300);
  acknowledge(control, 5'000);
  EXPECT_EQ(bytes_of(control), 14'300);
  control.acknowledged({.now = {}, .bytes = Bytes(5'000), .round_trip = {}});  // may not grow
  EXPECT_EQ(bytes_of(control), 14'300);
}

TEST(NewReno, GrowsInSlowStartByOneSegmentWithoutByteCounting) {
  WindowParameters parameters = windows();
  parameters.byte_counting = 1;
  NewReno control(parameters);
  acknowledge(control, 2'000);
  EXPECT_EQ(bytes_of(control), 11'000);
}

TEST(NewReno, GrowsInCongestionAvoidanceByASegmentAWindowAndOnceAnAcknowledgement) {
  const WindowParameters parameters = windows(10);
  NewReno control(parameters);
  EXPECT_FALSE(control.in_slow_start());
  for (int n = 0; n < 9; ++n) acknowledge(control, 1'000);
  acknowledge(control, 999);
  EXPECT_EQ(bytes_of(control), 10'000);
  acknowledge(control, 1);
  EXPECT_EQ(bytes_of(control), 11'000);
  acknowledge(control, 30'000);  // 19,000 are left over
  EXPECT_EQ(bytes_of(control), 12'000);
  acknowledge(control, 1);  // 19,001 - 12,000 are left over
  EXPECT_EQ(bytes_of(control), 13'000);
  acknowledge(control, 5'998);
  EXPECT_EQ(bytes_of(control), 13'000);
  acknowledge(control, 1);
  EXPECT_EQ(bytes_of(control), 14'000);
}

TEST(NewReno, HalvesWhatIsInFlightAndForgetsWhatCounted) {
  for (const Why why : {Why::loss, Why::mark}) {
    const WindowParameters parameters = windows(10);
    NewReno control(parameters);
    acknowledge(control, 9'999);
    control.congested({}, Bytes(8'501), why);
    EXPECT_EQ(bytes_of(control), 4'250);
    EXPECT_EQ(control.threshold(), Bytes(4'250));
    EXPECT_FALSE(control.in_slow_start());
    acknowledge(control, 4'249);
    EXPECT_EQ(bytes_of(control), 4'250);
    acknowledge(control, 1);
    EXPECT_EQ(bytes_of(control), 5'250);
    control.congested({}, Bytes(3'000), why);
    EXPECT_EQ(bytes_of(control), 2'000) << "at least two segments";
  }
}

TEST(NewReno, BeginsAgainWithOneSegmentAfterATimeout) {
  const WindowParameters parameters = windows();
  NewReno control(parameters);
  control.timed_out({}, Bytes(9'000), false);
  EXPECT_EQ(bytes_of(control), 1'000);
  EXPECT_EQ(control.threshold(), Bytes(4'500));
  control.timed_out({}, Bytes(9'000), true);
  EXPECT_EQ(bytes_of(control), 1'000);
  EXPECT_EQ(control.threshold(), Bytes(4'500)) << "as after the first one";
  acknowledge(control, 2'000);
  EXPECT_TRUE(control.in_slow_start());
  acknowledge(control, 2'000);
  EXPECT_EQ(bytes_of(control), 5'000);
  EXPECT_FALSE(control.in_slow_start());
  control.timed_out({}, Bytes(3'000), false);
  EXPECT_EQ(control.threshold(), Bytes(2'000));
}

TEST(NewReno, GoesOnAfterRecoveryWithWhatIsInFlight) {
  const WindowParameters parameters = windows();
  NewReno control(parameters);
  control.congested({}, Bytes(10'000), Why::loss);
  control.recovered(Bytes(9'000));
  EXPECT_EQ(bytes_of(control), 5'000);
  control.recovered(Bytes(2'500));
  EXPECT_EQ(bytes_of(control), 3'500);
  control.recovered(Bytes(500));
  EXPECT_EQ(bytes_of(control), 2'000);
}

TEST(NewReno, ComesBackFromARestWithTheFirstWindowAtMost) {
  const WindowParameters parameters = windows();
  NewReno control(parameters);
  for (int n = 0; n < 4; ++n) acknowledge(control, 1'000);
  control.rested();
  EXPECT_EQ(bytes_of(control), 10'000);
  control.congested({}, Bytes(10'000), Why::loss);
  control.rested();
  EXPECT_EQ(bytes_of(control), 5'000);
  control.begin_with(Bytes(1'000));
  EXPECT_EQ(bytes_of(control), 1'000);
}

// ---- DCTCP

TEST(Dctcp, EstimatesTheShareOfMarksOnceAWindow) {
  const WindowParameters window = windows();
  const DctcpParameters parameters;
  Dctcp control(window, parameters);
  EXPECT_EQ(control.alpha(), 1);
  const auto take = [&control](std::int64_t up_to, std::int64_t sent, bool marked) {
    control.acknowledged({{}, Bytes(1'000), up_to, sent, marked, false, {}});
  };
  take(1'000, 10'000, false);  // beyond the begin of the stream: M = 0
  EXPECT_EQ(control.alpha(), 15.0 / 16);
  for (std::int64_t up_to = 2'000; up_to <= 10'000; up_to += 1'000)
    take(up_to, up_to + 9'000, up_to <= 4'000);
  EXPECT_EQ(control.alpha(), 15.0 / 16) << "the window ends beyond 10,000";
  take(11'000, 20'000, false);  // 3,000 of 10,000: M = 0.3
  EXPECT_NEAR(control.alpha(), 15.0 / 16 * 15 / 16 + 0.3 / 16, 1e-15);
  control.congested({}, Bytes(20'000), Why::mark);  // 10,000 x (1 - 0.89765625 / 2)
  EXPECT_EQ(bytes_of(control), 5'511);
  EXPECT_EQ(control.threshold(), Bytes(5'511));
}

TEST(Dctcp, HalvesTheWindowWhereAllIsMarkedAndWhatIsInFlightAtALoss) {
  const WindowParameters window = windows();
  const DctcpParameters parameters;
  Dctcp control(window, parameters);
  control.congested({}, Bytes(7'000), Why::mark);
  EXPECT_EQ(bytes_of(control), 5'000);
  control.congested({}, Bytes(7'000), Why::loss);
  EXPECT_EQ(bytes_of(control), 3'500);
  control.congested({}, Bytes(7'000), Why::mark);
  EXPECT_EQ(bytes_of(control), 2'000) << "at least two segments";
}

TEST(Dctcp, ComesNearTheShareByTheGain) {
  const WindowParameters window = windows();
  const DctcpParameters parameters{.gain = 1.0 / 16, .first_alpha = 0};
  Dctcp control(window, parameters);
  for (std::int64_t n = 1; n <= 20; ++n)
    control.acknowledged({{}, Bytes(1'000), n * 1'000, n * 1'000, true, false, {}});
  EXPECT_NEAR(control.alpha(), 1 - std::pow(15.0 / 16, 20), 1e-14);
}

// ---- CUBIC: C = 0.4, beta = 0.7

constexpr SimTime seconds(double count) {
  return SimTime::from_seconds(count);
}

/// At 100 segments, then a loss: w_prior = w_max = 100, w = 70, K = cbrt(30 / 0.4) = 4.2172 s. Epoch at 0.
struct CubicAfterALoss {
  CubicAfterALoss() { control.congested({}, Bytes(100'000), Why::loss); }
  /// A byte.
  void begin_epoch(SimTime now = {}) { acknowledge(control, 1, now); }
  /// A window's worth: the window becomes the target.
  std::int64_t grow_to_target(SimTime now, SimTime round_trip = {}) {
    acknowledge(control, bytes_of(control), now, round_trip);
    return bytes_of(control);
  }
  WindowParameters window = windows(100, 100);
  CubicParameters parameters;
  Cubic control{window, parameters};
};

TEST(Cubic, CutsToTheShareBeta) {
  CubicAfterALoss run;
  EXPECT_EQ(bytes_of(run.control), 70'000);
  EXPECT_EQ(run.control.threshold(), Bytes(70'000));
  run.control.congested({}, Bytes(2'000), Why::mark);
  EXPECT_EQ(bytes_of(run.control), 2'000) << "at least two segments";
}

// 100 + 0.4 (2 - 4.2172)^3 = 95.6403 after 2 s, with a round trip of 1 s 100 + 0.4 (3 - 4.2172)^3 = 99.2787.
TEST(Cubic, GrowsAlongItsCubicFunction) {
  CubicAfterALoss run;
  run.begin_epoch();
  EXPECT_NEAR(static_cast<double>(run.grow_to_target(seconds(2))), 95'640, 2);
  CubicAfterALoss further;
  further.begin_epoch();
  EXPECT_NEAR(static_cast<double>(further.grow_to_target(seconds(2), seconds(1))), 99'279, 2);
  CubicAfterALoss at_the_top;
  at_the_top.begin_epoch();
  EXPECT_NEAR(static_cast<double>(at_the_top.grow_to_target(seconds(std::cbrt(75.0)))), 100'000, 2);
}

// An acknowledgement of one segment takes 1/70 of the way: 70 + 25.6403 / 70.
TEST(Cubic, GrowsByTheShareOfTheWindowThatIsAcknowledged) {
  CubicAfterALoss run;
  run.begin_epoch();
  acknowledge(run.control, 1'000, seconds(2));
  EXPECT_NEAR(static_cast<double>(bytes_of(run.control)), 70'366, 1);
}

// 100 + 0.4 (20 - 4.2172)^3 = 1,672.6, but no more than 1.5 x 70.
TEST(Cubic, GrowsByHalfAtMost) {
  CubicAfterALoss run;
  run.begin_epoch();
  EXPECT_NEAR(static_cast<double>(run.grow_to_target(seconds(20))), 105'000, 2);
}

// At 10 segments, then a loss: w = 7, K = 1.957 s. a = 3 x 0.3 / 1.7 = 0.529412 until w_est is 10, then 1;
// the cubic function grows by 0.0046 in the first ms.
TEST(Cubic, IsNoSlowerThanReno) {
  const WindowParameters window = windows(10);
  const CubicParameters parameters;
  Cubic control(window, parameters);
  control.congested({}, Bytes(10'000), Why::loss);
  acknowledge(control, 1'000);  // 7 + 0.529412 / 7
  EXPECT_EQ(bytes_of(control), 7'075);
  acknowledge(control, 1'000, seconds(0.001));  // + 0.529412 / 7.07563
  EXPECT_EQ(bytes_of(control), 7'150);
  // a / w a segment: after w^2 has grown from 7.15^2 to 10^2 by 2 a = 1.0588 each, which is 46 segments,
  // w_est is 10.
  for (int n = 0; n < 46; ++n) acknowledge(control, 1'000, seconds(0.001));
  EXPECT_EQ(bytes_of(control), 10'000);
  acknowledge(control, 1'000, seconds(0.001));  // + 1 / 10.0007
  EXPECT_EQ(bytes_of(control), 10'100);
}

// Second loss at 70 < 100: w_max = 70 x 1.7 / 2 = 59.5 (otherwise 70), w = 49; K = cbrt(10.5 / 0.4) = 2.9718
// s (otherwise cbrt(21 / 0.4) = 3.7444 s).
TEST(Cubic, ConvergesFast) {
  CubicAfterALoss fast;
  fast.control.congested({}, Bytes(70'000), Why::loss);
  EXPECT_EQ(bytes_of(fast.control), 49'000);
  fast.begin_epoch();
  EXPECT_NEAR(static_cast<double>(fast.grow_to_target(seconds(std::cbrt(26.25)))), 59'500, 2);
  CubicAfterALoss slow;
  slow.parameters.fast_convergence = false;
  slow.control.congested({}, Bytes(70'000), Why::loss);
  slow.begin_epoch();
  EXPECT_NEAR(static_cast<double>(slow.grow_to_target(seconds(std::cbrt(52.5)))), 70'000, 2);
}

TEST(Cubic, DoesNotCountTheTimeInWhichItMayNotGrow) {
  CubicAfterALoss idle, busy;
  idle.begin_epoch();
  busy.begin_epoch();
  for (const double at : {1.0, 2.0, 2.5})
    idle.control.acknowledged({seconds(at), Bytes(1'000), 0, 0, false, false, {}});
  EXPECT_EQ(bytes_of(idle.control), 70'000);
  EXPECT_EQ(idle.grow_to_target(seconds(3)), busy.grow_to_target(seconds(1)));
  EXPECT_EQ(idle.grow_to_target(seconds(3.5)), busy.grow_to_target(seconds(1.5)));
}

// After a timeout w_max is the window at which congestion avoidance begins, 71, and K = 0: 71 + 0.4 x 4^3
// = 96.6 after 4 s (with the w_max of before it were 99.998).
TEST(Cubic, BeginsItsCubicFunctionAtTheTopAfterATimeout) {
  CubicAfterALoss run;
  run.control.begin_with(Bytes(100'000));
  run.control.timed_out({}, Bytes(100'000), false);
  EXPECT_EQ(bytes_of(run.control), 1'000);
  run.control.timed_out({}, Bytes(50'000), true);
  EXPECT_EQ(run.control.threshold(), Bytes(70'000)) << "as after the first one";
  for (int n = 0; n < 35; ++n) acknowledge(run.control, 2'000);
  EXPECT_EQ(bytes_of(run.control), 71'000);
  run.begin_epoch();
  EXPECT_NEAR(static_cast<double>(run.grow_to_target(seconds(4))), 96'600, 2);
}

// ---- all of them against the plain model

/// The same random events for both, with windows of some segments; the windows must be the same byte for byte
/// after each.
void compare(WindowControl& one, ReferenceNewReno& other, const WindowParameters& parameters,
             std::uint64_t seed) {
  RandomStream random(seed, "window events");
  const auto below = [&random](std::int64_t bound) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound)));
  };
  const std::int64_t s = parameters.segment.count();
  std::int64_t now = 0, up_to = 0;
  bool again = false;
  for (int step = 0; step < 300; ++step) {
    now += below(2) ? below(1'000'000'000) : below(400'000'000'000);
    const SimTime at = SimTime::from_ps(now);
    const Bytes in_flight(1 + below(40 * s));
    switch (below(20)) {
      case 0:
        one.congested(at, in_flight, Why::loss);
        other.congested(at, in_flight, Why::loss);
        break;
      case 1:
        one.congested(at, in_flight, Why::mark);
        other.congested(at, in_flight, Why::mark);
        break;
      case 2:
        one.timed_out(at, in_flight, again);
        other.timed_out(at, in_flight, again);
        again = true;
        break;
      case 3:
        one.recovered(in_flight);
        other.recovered(in_flight);
        break;
      case 4:
        one.rested();
        other.rested();
        break;
      case 5:
        if (below(5) > 0) break;
        one.begin_with(parameters.segment);
        other.begin_with(parameters.segment);
        break;
      default:
        const std::int64_t bytes = 1 + below(3 * s);
        up_to += bytes;
        again = false;
        const WindowControl::Acknowledged what{at,
                                               Bytes(bytes),
                                               up_to,
                                               up_to + below(30 * s),
                                               below(4) == 0,
                                               below(4) > 0,
                                               SimTime::from_ps(below(300'000'000'000))};
        one.acknowledged(what);
        other.acknowledged(what);
        break;
    }
    ASSERT_EQ(one.window(), other.window()) << "seed " << seed << " step " << step;
    ASSERT_EQ(one.in_slow_start(), other.in_slow_start()) << "seed " << seed << " step " << step;
  }
}

TEST(WindowControlReference, IsTheSameByteForByteInThousandsOfHistories) {
  for (std::uint64_t seed = 0; seed < 3'000 && !::testing::Test::HasFailure(); ++seed) {
    RandomStream random(seed, "window parameters");
    const auto between = [&random](std::int64_t least, std::int64_t most) {
      return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
    };
    const WindowParameters window{Bytes(between(1, 2'000)), between(1, 10), between(1, 3), between(0, 30)};
    if (seed % 3 == 0) {
      NewReno control(window);
      ReferenceNewReno reference(window);
      compare(control, reference, window, seed);
    } else if (seed % 3 == 1) {
      const DctcpParameters parameters{random.uniform() * 0.99 + 0.01, random.uniform()};
      Dctcp control(window, parameters);
      ReferenceDctcp reference(window, parameters);
      compare(control, reference, window, seed);
      EXPECT_EQ(control.alpha(), reference.alpha);
    } else {
      const CubicParameters parameters{0.1 + random.uniform() * 2, 0.1 + random.uniform() * 0.85,
                                       between(0, 1) == 1};
      Cubic control(window, parameters);
      ReferenceCubic reference(window, parameters);
      compare(control, reference, window, seed);
    }
  }
}

}  // namespace
}  // namespace morgana::testing::window_control
