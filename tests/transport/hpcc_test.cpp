#include "emulator/transport/congestion/hpcc.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "tests/support/effort.h"
#include "tests/transport/reference_hpcc.h"

namespace morgana::testing {
namespace {

using namespace literals;

constexpr BitRate line_rate(100'000'000'000);

/// The model and its reference, which are told the same and must agree.
class BothHpcc {
 public:
  explicit BothHpcc(const HpccParameters& parameters)
      : parameters_(parameters), model_(parameters_, line_rate), reference_(parameters_, line_rate) {}

  void sent(SimTime now, Bytes size) {
    model_.sent(now, size);
    reference_.sent(now, size);
    expect_equal();
  }
  void acknowledged(const FlowFeedback& feedback) {
    model_.acknowledged(feedback);
    reference_.acknowledged(feedback);
    expect_equal();
  }
  double window() const { return reference_.W(); }
  double reference_window() const { return model_.reference_window(); }
  double utilization() const { return model_.utilization(); }
  SimTime may_send() const { return model_.may_send(); }
  BitRate rate() { return model_.rate(SimTime()); }
  Bytes whole_window() const { return model_.window(); }
  unsigned stage() const { return reference_.incStage(); }

 private:
  void expect_equal() const {
    EXPECT_EQ(model_.window(), Bytes(static_cast<std::int64_t>(reference_.W())));
    EXPECT_EQ(model_.reference_window(), reference_.Wc());
    EXPECT_EQ(model_.utilization(), reference_.U());
    EXPECT_EQ(model_.may_send(), reference_.may_send());
  }

  HpccParameters parameters_;
  Hpcc model_;
  ReferenceHpcc reference_;
};

// ---- random cases: ways of some ports, on which queues and loads go up and down

class RandomHpcc {
 public:
  explicit RandomHpcc(std::uint64_t seed) : random_(seed, "hpcc") {}

  HpccParameters draw() {
    HpccParameters parameters;
    parameters.base_round_trip = SimTime::from_ps(between(1'000'000, 20'000'000));
    parameters.utilization = random_.chance(0.5) ? 0.95 : 0.5 + 0.5 * random_.uniform();
    parameters.stages = static_cast<unsigned>(between(0, 5));
    parameters.flows = between(1, 200);
    parameters.least_rate = BitRate(between(1, 20'000'000'000));
    return parameters;
  }

  void tell(BothHpcc& both) {
    SimTime now;
    std::int64_t sent = 0, place = 0;
    std::vector<PortTelemetry> ports = way();
    for (int left = 300; left > 0 && !::testing::Test::HasFailure(); --left) {
      now += SimTime::from_ps(between(1, 2'000'000));
      if (random_.chance(0.5)) {
        const std::int64_t size = between(1, 4'200);
        sent += size;
        both.sent(std::max(now, both.may_send()), Bytes(size));
        continue;
      }
      if (place == sent) continue;
      if (random_.chance(0.02)) ports = way();
      if (!random_.chance(0.02)) pass(ports, now);
      const std::int64_t before = place;
      place = between(place + 1, sent);
      const double window = both.window();
      both.acknowledged({.now = now,
                         .place = place,
                         .sent = sent,
                         .returned = Bytes(place - before),
                         .ports = random_.chance(0.02) ? std::vector<PortTelemetry>{} : ports});
      grew = grew || both.window() > window;
      shrank = shrank || both.window() < window;
      had_stages = had_stages || both.stage() > 1;
    }
  }

  bool grew = false, shrank = false, had_stages = false;

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(most - least + 1)));
  }
  std::vector<PortTelemetry> way() {
    std::vector<PortTelemetry> ports(static_cast<std::size_t>(between(1, 5)));
    for (PortTelemetry& port : ports)
      port = {.port = static_cast<std::uint32_t>(between(0, 40)),
              .rate = BitRate(random_.chance(0.7) ? 100'000'000'000 : 400'000'000'000)};
    return ports;
  }
  void pass(std::vector<PortTelemetry>& ports, SimTime now) {
    for (PortTelemetry& port : ports) {
      const SimTime at = std::max(now, port.at + SimTime::from_ps(between(1, 100)));
      const auto most = static_cast<std::int64_t>(static_cast<double>((at - port.at).ps()) *
                                                  static_cast<double>(port.rate.bits_per_second()) / 8e12);
      port.sent += Bytes(between(0, most));
      port.at = at;
      port.queue = random_.chance(0.5) ? 0_B : Bytes(between(0, 100'000));
    }
  }

  RandomStream random_;
};

TEST(Hpcc, GivesWhatTheReferenceGivesExactly) {
  unsigned grew = 0, shrank = 0, had_stages = 0;
  const std::uint64_t seeds = random_cases(2'000);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomHpcc random(seed);
    BothHpcc both(random.draw());
    random.tell(both);
    if (HasFailure()) return;
    grew += random.grew ? 1 : 0;
    shrank += random.shrank ? 1 : 0;
    had_stages += random.had_stages ? 1 : 0;
  }
  EXPECT_GT(grew, seeds / 2);
  EXPECT_GT(shrank, seeds / 2);
  EXPECT_GT(had_stages, seeds / 8);
}

// ---- by hand. 100 Gb/s, T = 10 us: W_init = 125,000 B; eta = 95 %, N = 50: W_AI = 125 B. A link of 100 Gb/s
// carries 125,000 B in T.

HpccParameters by_hand() {
  return {.base_round_trip = 10_us, .utilization = 0.95, .stages = 5, .flows = 50};
}

PortTelemetry port(SimTime at, std::int64_t queue, std::int64_t sent, std::uint32_t number = 7) {
  return {.port = number, .at = at, .queue = Bytes(queue), .sent = Bytes(sent), .rate = line_rate};
}

/// An acknowledgement of the flow's byte `place`, when it has sent `sent`.
FlowFeedback report(std::int64_t place, std::int64_t sent, const std::vector<PortTelemetry>& ports) {
  return {.place = place, .sent = sent, .ports = ports};
}

constexpr double close_to = 1e-6;

TEST(Hpcc, AFlowStartsAtTheLineRate) {
  BothHpcc both(by_hand());
  EXPECT_EQ(both.whole_window(), 125'000_B);
  EXPECT_EQ(both.rate(), line_rate);
  EXPECT_EQ(both.may_send(), 0_ns);
  both.sent(5_us, 1'000_B);
  EXPECT_EQ(both.may_send(), 5_us + 80_ns);
}

// Full link (1) and half of a product of rate and round trip in the queue, the smaller one: U = 1.5.
TEST(Hpcc, TheWindowIsDividedByWhatIsUnderWay) {
  BothHpcc both(by_hand());
  const std::vector<PortTelemetry> first{port(0_us, 62'500, 0)}, second{port(10_us, 100'000, 125'000)};
  both.acknowledged(report(1'000, 100'000, first));
  EXPECT_EQ(both.whole_window(), 125'000_B);
  both.acknowledged(report(101'000, 200'000, second));
  EXPECT_NEAR(both.utilization(), 1.5, close_to);
  EXPECT_NEAR(both.window(), 125'000 * 0.95 / 1.5 + 125, close_to);
  EXPECT_EQ(both.reference_window(), both.window());
  // R = W / T = 79,291.67 B in 10 us; 1,000 B take 126,116.66 ps.
  EXPECT_EQ(both.rate(), BitRate(63'433'333'333));
  both.sent(20_us, 1'000_B);
  EXPECT_EQ(both.may_send(), 20_us + SimTime::from_ps(126'117));
}

// Within a round trip all windows are made of the same W_c: they don't multiply. After 2 us, tau / T is 0.2:
// U = 0.8 + 0.2 x 2 = 1.2; then 0.96 + 0.4 = 1.36.
TEST(Hpcc, OneRoundTripReactsToOneReferenceWindow) {
  BothHpcc both(by_hand());
  const std::vector<PortTelemetry> ports[] = {{port(0_us, 125'000, 0)},
                                              {port(2_us, 125'000, 25'000)},
                                              {port(4_us, 125'000, 50'000)},
                                              {port(6_us, 125'000, 75'000)}};
  both.acknowledged(report(1'000, 100'000, ports[0]));
  both.acknowledged(report(50'000, 110'000, ports[1]));
  EXPECT_NEAR(both.utilization(), 1.2, close_to);
  EXPECT_NEAR(both.window(), 125'000 * 0.95 / 1.2 + 125, close_to);
  EXPECT_EQ(both.reference_window(), 125'000);
  both.acknowledged(
      report(100'000, 120'000, ports[2]));  // not later than what had been sent at the first one
  EXPECT_NEAR(both.window(), 125'000 * 0.95 / 1.36 + 125, close_to);
  EXPECT_EQ(both.reference_window(), 125'000);
  both.acknowledged(report(100'001, 130'000, ports[3]));  // U = 0.8 x 1.36 + 0.4
  EXPECT_NEAR(both.window(), 125'000 * 0.95 / 1.488 + 125, close_to);
  EXPECT_EQ(both.reference_window(), both.window());
}

// Half of a link's rate is used: after one decrease, five increases by W_AI, then the window is multiplied by
// 0.95 / 0.5, to W_init at most.
TEST(Hpcc, FiveStagesOfAdditiveIncreaseThenAMultiplicativeOne) {
  BothHpcc both(by_hand());
  std::int64_t place = 0;
  SimTime now;
  std::int64_t sent = 0;
  const auto next = [&](std::int64_t queue, std::int64_t bytes) {
    now += 10_us;
    sent += bytes;
    const std::vector<PortTelemetry> ports{port(now, queue, sent)};
    ++place;
    both.acknowledged(report(place, place, ports));
  };
  next(250'000, 0);
  next(250'000, 125'000);  // U = 3
  double expected = 125'000 * 0.95 / 3 + 125;
  EXPECT_NEAR(both.window(), expected, close_to);
  next(0, 62'500);
  for (int stage = 1; stage <= 5; ++stage) {
    expected += 125;
    EXPECT_NEAR(both.window(), expected, close_to) << stage;
    next(0, 62'500);
  }
  expected = expected * 0.95 / 0.5 + 125;
  EXPECT_NEAR(both.window(), expected, close_to);
  next(0, 62'500);
  EXPECT_NEAR(both.window(), expected + 125, close_to);
  for (int stage = 2; stage <= 6; ++stage) next(0, 62'500);
  EXPECT_EQ(both.whole_window(), 125'000_B);
}

// 1 Gb/s in 10 us is 1,250 B: less than 125,000 x 0.95 / 200.
TEST(Hpcc, TheRateIsNotLessThanTheLeast) {
  BothHpcc both(by_hand());
  const std::vector<PortTelemetry> first{port(0_us, 24'875'000, 0)}, second{port(10_us, 24'875'000, 125'000)};
  both.acknowledged(report(1, 1, first));
  both.acknowledged(report(2, 2, second));
  EXPECT_NEAR(both.utilization(), 200, close_to);
  EXPECT_EQ(both.whole_window(), 1'250_B);
  EXPECT_EQ(both.rate(), BitRate(1'000'000'000));
}

TEST(Hpcc, TheBusiestPortDecides) {
  BothHpcc both(by_hand());
  const std::vector<PortTelemetry> first{port(0_us, 0, 0, 1), port(0_us, 25'000, 0, 2), port(1_us, 0, 0, 3)};
  const std::vector<PortTelemetry> second{port(10_us, 0, 100'000, 1), port(10_us, 25'000, 125'000, 2),
                                          port(11_us, 99'000, 62'500, 3)};
  both.acknowledged(report(1, 1, first));
  both.acknowledged(report(2, 2, second));
  EXPECT_NEAR(both.utilization(), 1.2, close_to);
}

// Records of another way are not compared with those before: the window stays.
TEST(Hpcc, AnotherWayStartsAnew) {
  BothHpcc both(by_hand());
  const std::vector<PortTelemetry> one{port(0_us, 0, 0, 1)}, other{port(10_us, 500'000, 125'000, 2)},
      later{port(20_us, 500'000, 250'000, 2)};
  both.acknowledged(report(1, 10, one));
  both.acknowledged(report(2, 20, other));
  EXPECT_EQ(both.whole_window(), 125'000_B);
  both.acknowledged(report(21, 30, later));
  EXPECT_NEAR(both.utilization(), 5, close_to);
  EXPECT_NEAR(both.window(), 125'000 * 0.95 / 5 + 125, close_to);
}

}  // namespace
}  // namespace morgana::testing
