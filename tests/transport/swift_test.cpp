#include "emulator/transport/congestion/swift.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "tests/support/effort.h"
#include "tests/transport/reference_swift.h"

namespace morgana::testing {
namespace {

using namespace literals;
using Repetition = CongestionControl::Repetition;

constexpr BitRate swift_line_rate(100'000'000'000);
constexpr Bytes packet(1'000);

/// The model and its reference, which are told the same and must agree.
class BothSwift {
 public:
  explicit BothSwift(const SwiftParameters& parameters)
      : parameters_(parameters),
        model_(parameters_, swift_line_rate, packet),
        reference_(parameters_, packet) {}

  /// Of so many packets, with a delay that is all of the round trip.
  void acknowledged(SimTime now, SimTime delay, double packets = 1, unsigned hops = 0, SimTime held = {}) {
    const FlowFeedback feedback{.now = now,
                                .returned = Bytes(static_cast<std::int64_t>(packets * 1'000)),
                                .round_trip = delay + held,
                                .delay = delay,
                                .hops = hops};
    model_.acknowledged(feedback);
    reference_.acknowledged(feedback);
    expect_equal();
  }
  void repeats(SimTime now, Repetition why) {
    model_.repeats(now, why);
    reference_.repeats(now, why);
    expect_equal();
  }
  void sent(SimTime now) {
    model_.sent(now, packet);
    reference_.sent(now);
    expect_equal();
  }
  double window() const { return model_.packets(); }
  Bytes bytes() const { return model_.window(); }
  SimTime may_send() const { return model_.may_send(); }
  double target(unsigned hops = 0) const { return model_.target(hops); }
  BitRate rate() { return model_.rate(SimTime()); }

 private:
  void expect_equal() const {
    EXPECT_EQ(model_.packets(), reference_.cwnd());
    EXPECT_EQ(model_.window(), Bytes(static_cast<std::int64_t>(reference_.cwnd() * 1'000)));
    EXPECT_EQ(model_.target(3), reference_.TargetDelay(3));
    EXPECT_EQ(model_.may_send(), reference_.may_send());
  }

  SwiftParameters parameters_;
  Swift model_;
  ReferenceSwift reference_;
};

TEST(Swift, GivesWhatTheReferenceGivesExactly) {
  unsigned paced = 0, large = 0;
  const std::uint64_t seeds = random_cases(2'000);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, "swift");
    const auto between = [&random](std::int64_t least, std::int64_t most) {
      return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
    };
    SwiftParameters parameters;
    parameters.base_target = SimTime::from_ps(between(1'000'000, 40'000'000));
    parameters.hop_target = SimTime::from_ps(between(0, 2'000'000));
    parameters.flow_range = SimTime::from_ps(between(0, 100'000'000));
    parameters.flow_least = 0.01 + random.uniform();
    parameters.flow_most = parameters.flow_least + 0.1 + 100 * random.uniform();
    parameters.increase = 0.1 + 3 * random.uniform();
    parameters.decrease = 0.1 + random.uniform();
    parameters.most_decrease = 0.1 + 0.8 * random.uniform();
    parameters.first_window = 0.1 + 20 * random.uniform();
    parameters.least_window = 0.001 + 0.1 * random.uniform();
    parameters.most_window = 20 + 100 * random.uniform();
    parameters.timeouts_to_least = static_cast<unsigned>(between(1, 5));
    BothSwift both(parameters);
    SimTime now;
    bool was_paced = false, was_large = false;
    const std::int64_t most_delay = between(20'000'000, 150'000'000);
    for (int left = 300; left > 0 && !HasFailure(); --left) {
      now += SimTime::from_ps(between(0, 10'000'000));
      if (random.chance(0.3))
        both.sent(now = std::max(now, both.may_send()));
      else if (random.chance(0.05))
        both.repeats(now, random.chance(0.5) ? Repetition::by_timeout : Repetition::by_receiver);
      else
        both.acknowledged(now, SimTime::from_ps(between(1'000'000, most_delay)),
                          static_cast<double>(between(1, 4)), static_cast<unsigned>(between(0, 5)),
                          SimTime::from_ps(between(0, 3'000'000)));
      was_paced = was_paced || both.window() < 1;
      was_large = was_large || both.window() > 10;
    }
    if (HasFailure()) return;
    paced += was_paced ? 1 : 0;
    large += was_large ? 1 : 0;
  }
  EXPECT_GT(paced, seeds / 8);
  EXPECT_GT(large, seeds / 4);
}

// ---- by hand. Target 25 us and 1 us a hop; windows of 100 packets and more add nothing, of 1/4 packet and
// less 19 us: a = 19 us / (2 - 1/10) = 10 us, b = -1 us. beta = 0.8, max_mdf = 0.5.

SwiftParameters by_hand_swift(double window) {
  SwiftParameters parameters;
  parameters.flow_range = 19_us;
  parameters.flow_least = 0.25;
  parameters.first_window = window;
  return parameters;
}

constexpr double swift_close_to = 1e-9;

TEST(Swift, TheTargetGrowsWithHopsAndAsTheWindowShrinks) {
  EXPECT_NEAR(BothSwift(by_hand_swift(100)).target(), 25e6, 1);
  EXPECT_NEAR(BothSwift(by_hand_swift(200)).target(5), 30e6, 1);
  EXPECT_NEAR(BothSwift(by_hand_swift(25)).target(), 26e6, 1);  // 10 / 5 - 1
  EXPECT_NEAR(BothSwift(by_hand_swift(4)).target(3), 32e6, 1);  // 10 / 2 - 1
  EXPECT_NEAR(BothSwift(by_hand_swift(0.25)).target(), 44e6, 1);
  EXPECT_NEAR(BothSwift(by_hand_swift(0.01)).target(), 44e6, 1);
}

// Below the target: 1 packet a window, or a packet for each packet if the window is less than 1.
TEST(Swift, IncreasesByOnePacketARoundTrip) {
  BothSwift large(by_hand_swift(100));
  large.acknowledged(10_us, 24_us);
  EXPECT_NEAR(large.window(), 100.01, swift_close_to);
  large.acknowledged(10_us, 24_us, 2);
  EXPECT_NEAR(large.window(), 100.01 + 2 / 100.01, swift_close_to);
  BothSwift small(by_hand_swift(0.5));
  small.acknowledged(10_us, 24_us);
  EXPECT_NEAR(small.window(), 1.5, swift_close_to);
}

// At 31.25 us the delay is 6.25 us, a fifth, above 25: 0.8 / 5 less. At 100 us it would be 60 % less, but
// half is the most. The second decrease waits for a round trip since the first.
TEST(Swift, DecreasesOnceARoundTripByTheExcess) {
  BothSwift both(by_hand_swift(200));
  both.acknowledged(100_us, 31'250_ns);
  EXPECT_NEAR(both.window(), 168, swift_close_to);
  both.acknowledged(131_us, 31'250_ns);
  EXPECT_NEAR(both.window(), 168, swift_close_to);
  both.acknowledged(131'250_ns, 31'250_ns);
  EXPECT_NEAR(both.window(), 168 * 0.84, swift_close_to);
  both.acknowledged(200_us, 100_us);
  EXPECT_NEAR(both.window(), 168 * 0.84, swift_close_to);  // a round trip is 100 us now
  both.acknowledged(300_us, 100_us);
  EXPECT_NEAR(both.window(), 84 * 0.84, swift_close_to);
}

// A delay of exactly the target is too much, by nothing.
TEST(Swift, AtTheTargetTheWindowStays) {
  BothSwift both(by_hand_swift(200));
  both.acknowledged(100_us, 25_us);
  EXPECT_EQ(both.window(), 200);
}

// What the receiver has held back is not the fabric's delay, but part of a round trip.
TEST(Swift, TimeAtTheReceiverDoesNotCount) {
  BothSwift both(by_hand_swift(200));
  both.acknowledged(100_us, 24_us, 1, 0, 50_us);
  EXPECT_NEAR(both.window(), 200.005, swift_close_to);
}

TEST(Swift, LossHalvesTheWindowOnceARoundTripAndManyTimeoutsMakeItTheLeast) {
  BothSwift both(by_hand_swift(100));
  both.acknowledged(10_us, 20_us);
  both.repeats(100_us, Repetition::by_receiver);
  EXPECT_NEAR(both.window(), 100.01 / 2, swift_close_to);
  both.repeats(119_us, Repetition::by_timeout);
  EXPECT_NEAR(both.window(), 100.01 / 2, swift_close_to);
  both.repeats(120_us, Repetition::by_timeout);
  EXPECT_NEAR(both.window(), 100.01 / 4, swift_close_to);
  both.repeats(121_us, Repetition::by_timeout);
  both.repeats(122_us, Repetition::by_timeout);
  EXPECT_NEAR(both.window(), 100.01 / 4, swift_close_to);
  both.repeats(123_us, Repetition::by_timeout);
  EXPECT_EQ(both.window(), 0.01);
}

// A packet in two round trips of 20 us.
TEST(Swift, PacesPacketsUnderAWindowOfOne) {
  SwiftParameters parameters = by_hand_swift(0.5);
  parameters.most_window = 0.5;
  BothSwift both(parameters);
  both.sent(1_us);
  EXPECT_EQ(both.may_send(), 1_us);
  both.acknowledged(21_us, 20_us);
  both.sent(21_us);
  EXPECT_EQ(both.may_send(), 61_us);
  EXPECT_EQ(both.bytes(), 500_B);
  EXPECT_EQ(both.rate(), BitRate(200'000'000));  // 500 B in 20 us
  BothSwift large(by_hand_swift(10));
  large.acknowledged(21_us, 20_us);
  large.sent(21_us);
  EXPECT_EQ(large.may_send(), 21_us);
}

TEST(Swift, WindowsStayWithinTheirLimits) {
  SwiftParameters parameters = by_hand_swift(10);
  parameters.most_window = 10.05;
  parameters.least_window = 8;
  BothSwift both(parameters);
  both.acknowledged(1_us, 20_us);
  EXPECT_EQ(both.window(), 10.05);
  both.acknowledged(100_us, 1_ms);
  EXPECT_EQ(both.window(), 8);
}

}  // namespace
}  // namespace morgana::testing
