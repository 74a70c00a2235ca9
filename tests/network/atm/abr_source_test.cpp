#include "emulator/network/atm/abr_source.h"

#include <gtest/gtest.h>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/network/atm/reference_abr.h"

namespace morgana::testing {
namespace {
using namespace atm;

constexpr double source_link = 100'000;                // cells a second
constexpr std::int64_t source_cell_time = 10'000'000;  // at that rate
constexpr std::int64_t second = 1'000'000'000'000;

ResourceCell answer(double rate) {
  ResourceCell cell;
  cell.backward = true;
  cell.explicit_rate = encode_rate(rate);
  return cell;
}

BitRate rate_of(std::int64_t cells) {
  return BitRate(cells * 424);
}

// Rule 3: the first cell, and then every Nrm-th.
TEST(AbrSource, SendsOneResourceManagementCellInNrm) {
  AbrSource source(AbrParameters(), source_link);
  for (int cell = 0; cell < 100; ++cell) {
    EXPECT_EQ(source.next(), cell * source_cell_time);
    EXPECT_EQ(source.send(source.next()).has_value(), cell % 32 == 0) << "cell " << cell;
  }
}

// Rule 3a: after Trm two others are enough.
TEST(AbrSource, SendsOneInThreeWhenItIsSlow) {
  AbrSource source(AbrParameters(), source_link);
  source.send(0);
  for (const bool resource : {false, false, true, false, false, true}) {
    const std::int64_t now = source.next() + second / 5;
    EXPECT_EQ(source.send(now).has_value(), resource);
  }
}

// Rule 5: what was allowed long ago is not allowed any more.
TEST(AbrSource, FallsToTheInitialRateAfterAdtf) {
  AbrParameters parameters;
  parameters.initial = rate_of(1000);
  parameters.increase = 1;
  AbrSource source(parameters, source_link);
  source.send(0);
  source.take(answer(source_link));
  EXPECT_NEAR(source.allowed_rate(), source_link, source_link / 512);
  source.send(second);  // a cell of data
  source.send(second + second / 100);
  ASSERT_TRUE(source.send(second + second / 50));
  EXPECT_EQ(source.allowed_rate(), 1000);
}

// Rule 6: CDF of the rate for each forward cell beyond CRM that nobody answers.
TEST(AbrSource, SlowsDownWhileNobodyAnswers) {
  AbrParameters parameters;
  parameters.nrm = 2;
  parameters.missing = 3;
  parameters.cutoff = 0.5;
  AbrSource source(parameters, source_link);
  for (int cell = 0; cell < 6; ++cell) source.send(source.next());  // three forward ones
  EXPECT_EQ(source.allowed_rate(), source_link);
  source.send(source.next());
  EXPECT_EQ(source.allowed_rate(), source_link / 2);
  source.send(source.next());
  source.send(source.next());
  EXPECT_EQ(source.allowed_rate(), source_link / 4);
}

// Rules 8 and 9: CI takes RDF of the rate, its absence gives RIF of PCR, ER is a ceiling and MCR the floor.
TEST(AbrSource, FollowsWhatComesBack) {
  AbrParameters parameters;
  parameters.initial = rate_of(32'000);
  parameters.minimum = rate_of(4'000);
  parameters.increase = 0.25;
  parameters.decrease = 0.5;
  AbrSource source(parameters, source_link);
  source.take(answer(source_link));
  EXPECT_EQ(source.allowed_rate(), 57'000);
  ResourceCell congested = answer(source_link);
  congested.congestion = true;
  source.take(congested);
  EXPECT_EQ(source.allowed_rate(), 28'500);
  ResourceCell held = answer(source_link);
  held.no_increase = true;
  source.take(held);
  EXPECT_EQ(source.allowed_rate(), 28'500);
  source.take(answer(8192));
  EXPECT_EQ(source.allowed_rate(), 8192);
  source.take(answer(10));
  EXPECT_EQ(source.allowed_rate(), 4000);
}

// Rule 11: below 10 cells a second only resource management cells go, out of rate, 10 a second.
TEST(AbrSource, AsksOnWhileItMayNotSend) {
  AbrSource source(AbrParameters(), source_link);
  source.send(0);
  source.take(answer(0));
  for (int cell = 1; cell < 5; ++cell) {
    EXPECT_EQ(source.next(), cell * second / 10);
    EXPECT_TRUE(source.send(source.next()));
  }
}

TEST(AbrSource, RefusesParametersThatNobodyCanKeep) {
  AbrParameters parameters;
  parameters.peak = rate_of(10);
  parameters.minimum = rate_of(20);
  EXPECT_THROW(AbrSource(parameters, source_link), Error);
  parameters = {};
  parameters.nrm = 1;
  EXPECT_THROW(AbrSource(parameters, source_link), Error);
  parameters = {};
  parameters.increase = 0;
  EXPECT_THROW(AbrSource(parameters, source_link), Error);
}

// The rules as they are written, one after the other, whatever comes back and whenever data come.
TEST(AbrSource, AgreesWithThePlainRules) {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    RandomStream random(seed, "abr source");
    AbrParameters parameters;
    parameters.peak = rate_of(static_cast<std::int64_t>(1000 + random.below(200'000)));
    parameters.minimum = rate_of(static_cast<std::int64_t>(random.below(1000)));
    parameters.initial = rate_of(static_cast<std::int64_t>(1 + random.below(200'000)));
    parameters.nrm = static_cast<std::uint32_t>(2 + random.below(255));
    parameters.trm = SimTime::from_ps(static_cast<std::int64_t>(random.below(second / 100)));
    parameters.adtf = SimTime::from_ps(static_cast<std::int64_t>(random.below(second / 10)));
    parameters.increase = 1.0 / static_cast<double>(1U << random.below(10));
    parameters.decrease = 1.0 / static_cast<double>(1U << random.below(10));
    parameters.missing = static_cast<std::uint32_t>(1 + random.below(random.chance(0.5) ? 4 : 1000));
    parameters.cutoff = 1.0 / static_cast<double>(1U << random.below(7));
    AbrSource shipped(parameters, source_link);
    PlainSource plain(parameters, source_link);
    std::int64_t now = 0;
    for (int step = 0; step < 300; ++step) {
      if (random.chance(0.1)) {
        ResourceCell back = answer(static_cast<double>(random.below(150'000)));
        back.congestion = random.chance(0.3);
        shipped.take(back);
        plain.take({true, back.congestion, decode_rate(back.explicit_rate), 0});
      } else {
        ASSERT_EQ(shipped.next(), plain.next());
        now = std::max(now, shipped.next());
        if (random.chance(0.1)) now += static_cast<std::int64_t>(random.below(second / 5));
        PlainResourceCell expected;
        const bool resource = plain.send(now, expected);
        const auto cell = shipped.send(now);
        ASSERT_EQ(cell.has_value(), resource) << "seed " << seed << ", step " << step;
        if (cell) {
          ASSERT_EQ(decode_rate(cell->current_rate), expected.current_rate);
          ASSERT_EQ(decode_rate(cell->explicit_rate), expected.explicit_rate);
        }
      }
      ASSERT_EQ(shipped.allowed_rate(), plain.acr) << "seed " << seed << ", step " << step;
    }
  }
}

}  // namespace
}  // namespace morgana::testing
