#include "emulator/transport/congestion/nscc.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "tests/support/effort.h"
#include "tests/transport/reference_nscc.h"

namespace morgana::testing {
namespace {

using Repetition = CongestionControl::Repetition;

// 100 Gb/s and 12 us, so that a = 1: a product of 150,000 B, W = 225,000 B, D = 9 us.
constexpr BitRate nscc_rate(100'000'000'000);
constexpr Bytes nscc_packet(4'160), nscc_payload(4'096);

constexpr SimTime us(double microseconds) {
  return SimTime::from_ps(static_cast<std::int64_t>(microseconds * 1e6));
}

/// The model and its reference, which are told the same and must agree to the last bit but for the order of
/// sums.
class BothNscc {
 public:
  explicit BothNscc(const NsccParameters& parameters = {}, BitRate rate = nscc_rate)
      : parameters_(parameters),
        model_(parameters_, rate, nscc_packet, nscc_payload),
        reference_(parameters_, rate, nscc_packet, nscc_payload) {}

  /// @param delay  in excess of the base round trip; negative: not measured
  void acknowledged(SimTime now, Bytes bytes, SimTime round_trip, bool marked,
                    Bytes under_way = Bytes(100'000)) {
    const FlowFeedback feedback{
        .now = now, .returned = bytes, .round_trip = round_trip, .marked = marked, .under_way = under_way};
    model_.acknowledged(feedback);
    reference_.acknowledged(feedback);
    expect_near();
  }
  void trimmed(SimTime now, Bytes under_way = Bytes(100'000), bool credited = false,
               SimTime round_trip = SimTime()) {
    const TrimFeedback feedback{.now = now,
                                .packet = nscc_packet,
                                .under_way = under_way,
                                .credited = credited,
                                .round_trip = round_trip};
    model_.trimmed(feedback);
    reference_.trimmed(feedback);
    expect_near();
  }
  void timeout() {
    model_.repeats(SimTime(), Repetition::by_timeout);
    reference_.timeout();
    expect_near();
  }
  std::int64_t window() const { return model_.window().count(); }
  double average_delay() const { return model_.average_delay(); }
  const ReferenceNscc& reference() const { return reference_; }

 private:
  void expect_near() const {
    EXPECT_NEAR(static_cast<double>(model_.window().count()), reference_.w(), 1.001);
    EXPECT_NEAR(model_.average_delay() / (1 + reference_.g()), reference_.g() / (1 + reference_.g()), 1e-9);
  }
  NsccParameters parameters_;
  Nscc model_;
  ReferenceNscc reference_;
};

TEST(Nscc, GivesWhatTheReferenceGives) {
  unsigned quick = 0, decreases = 0, fast = 0;
  const std::uint64_t seeds = random_cases(1'000);
  for (std::uint64_t seed = 0; seed < seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, "nscc");
    NsccParameters parameters;
    parameters.base_round_trip = us(1 + 20 * random.uniform());
    parameters.target = 0.25 + random.uniform();
    parameters.most_window = 0.5 + 2 * random.uniform();
    parameters.delay_gain = random.chance(0.5) ? 0.0125 : random.uniform();
    parameters.quick_adapt_gate = static_cast<unsigned>(random.below(5));
    parameters.adjust_packets = static_cast<unsigned>(random.below(10));
    const std::int64_t rates[] = {25, 100, 400, 800};
    BothNscc both(parameters, BitRate(1'000'000'000 * rates[random.below(4)]));
    const double congestion = random.uniform();
    SimTime now;
    for (int left = 300; left > 0; --left) {
      now += us((random.chance(0.1) ? 20 : 1) * random.uniform());
      const Bytes under_way(static_cast<std::int64_t>(random.below(300'000)));
      if (random.chance(0.1 * congestion)) {
        const double share = 0.95 + 0.2 * random.uniform();
        both.trimmed(now, under_way, random.chance(0.2),
                     random.chance(0.1) ? SimTime() : us(parameters.base_round_trip.seconds() * 1e6 * share));
      } else if (random.chance(0.01)) {
        both.timeout();
      } else {
        const double queue = random.chance(congestion) ? 5 * random.uniform() : 0.05 * random.uniform();
        const SimTime round_trip =
            random.chance(0.1)
                ? SimTime()
                : us(parameters.base_round_trip.seconds() * 1e6 * (0.97 + 0.05 * random.uniform() + queue));
        both.acknowledged(now, Bytes(4'160 * static_cast<std::int64_t>(random.below(5))), round_trip,
                          random.chance(congestion), under_way);
      }
    }
    quick += both.reference().quick_adapts;
    decreases += both.reference().decreases;
    fast += both.reference().fast_increases;
  }
  for (const unsigned count : {quick, decreases, fast}) EXPECT_GT(count, seeds / 10);
}

// By hand, from here on.

TEST(Nscc, BeginsWithOneAndAHalfBandwidthDelayProducts) {
  EXPECT_EQ(BothNscc().window(), 225'000);
  NsccParameters small;
  small.base_round_trip = us(0.1);
  EXPECT_EQ(BothNscc(small).window(), 4'160);  // a packet is the least
}

// g = 0.0125 x 20 us after the first mark, and D is 9 us: no decrease before g is more. With a gain of 1 g =
// 20 us: w (1 - 0.8 (20 - 9) / 20) = 0.56 w. At 27 us it would be 0.467 w, and is half.
TEST(Nscc, DecreasesByTheAverageDelayOnceInARoundTrip) {
  BothNscc slow;
  slow.acknowledged(us(13), nscc_packet, us(32), true);
  EXPECT_GE(slow.window(), 225'000 - 1);
  NsccParameters at_once;
  at_once.delay_gain = 1;
  BothNscc both(at_once);
  both.acknowledged(us(13), nscc_packet, us(32), true);
  const std::int64_t once = both.window();
  // 0.56 w, and eta: 0.15 x 4,096 B, as the period is over.
  EXPECT_EQ(once, 126'000 + 614);
  both.acknowledged(us(24), nscc_packet, us(32), true);
  EXPECT_EQ(both.window(), once);  // 11 us later
  both.acknowledged(us(25.1), nscc_packet, us(39), true);
  EXPECT_NEAR(static_cast<double>(both.window()), 0.5 * static_cast<double>(once), 615);
}

// The first feedback begins a period of 21 us. 4,160 B come in it; a packet is trimmed: at the period's end
// the window becomes what has come, which is less than 225,000 / 8. What is then under way is ignored.
TEST(Nscc, QuickAdaptsToWhatHasCome) {
  BothNscc both;
  both.acknowledged(us(1), nscc_packet, us(12), false);
  const std::int64_t before = both.window();
  both.trimmed(us(2));
  EXPECT_EQ(both.window(), before - 4'160);
  both.acknowledged(us(3), 2 * nscc_packet, us(30), true);
  both.trimmed(us(22.5), Bytes(50'000));
  EXPECT_EQ(both.window(), 8'320);
  both.trimmed(us(22.6));
  both.acknowledged(us(23), nscc_packet, us(60), true);
  EXPECT_EQ(both.window(), 8'320);
}

/// With a window of 225,000 - 4,160 n bytes.
BothNscc after_timeouts(int n) {
  BothNscc both;
  for (; n > 0; --n) both.timeout();
  return both;
}

// At 100 Gb/s and 12 us a = 1. Nine packets, 37,440 B, are more than eight: what the window grows is added at
// once, 5 us after the start, without eta. The delay is 3 us, 6 us below D: 4 x 4,096 x 37,440 x 6 / 12 / w.
TEST(Nscc, GrowsInProportionToWhatTheDelayLacks) {
  BothNscc both = after_timeouts(10);
  EXPECT_EQ(both.window(), 183'400);
  both.acknowledged(us(5), 9 * nscc_packet, us(15), false);
  EXPECT_EQ(both.window(), 183'400 + 1'672);  // 1,672.35
}

// The delay is 10 us, D is 9 us: 5 x 4,096 x 37,440 / w. A packet less is not added before T is over.
TEST(Nscc, GrowsByAFairShareAboveTheTarget) {
  BothNscc both = after_timeouts(10);
  both.acknowledged(us(5), 8 * nscc_packet, us(22), false);
  EXPECT_EQ(both.window(), 183'400);
  both.acknowledged(us(6), nscc_packet, us(22), false);
  EXPECT_EQ(both.window(), 183'400 + 4'180);  // 4,180.87
}

// No delay: after more than a window of 141,800 B a quarter of what is acknowledged is added, until a delay
// of 1 us.
TEST(Nscc, GrowsFastWhereThereIsNoQueue) {
  BothNscc both = after_timeouts(20);
  EXPECT_EQ(both.window(), 141'800);
  both.acknowledged(us(5), Bytes(142'000), us(12), false);
  EXPECT_EQ(both.window(), 141'800 + 35'500);
  both.acknowledged(us(6), Bytes(4'000), us(12), false);
  EXPECT_EQ(both.window(), 141'800 + 35'500 + 1'000);
  both.acknowledged(us(7), Bytes(4'000), us(13), false);
  EXPECT_EQ(both.window(), 141'800 + 35'500 + 1'000);  // it counts as growth, which is added later
}

TEST(Nscc, LeavesTheReceiversLinkToItsCredit) {
  BothNscc both;
  both.trimmed(us(1), Bytes(100'000), true);
  EXPECT_EQ(both.window(), 225'000);
  both.timeout();
  EXPECT_EQ(both.window(), 225'000 - 4'160);
}

}  // namespace
}  // namespace morgana::testing
