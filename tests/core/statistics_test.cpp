#include "emulator/core/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "emulator/core/random.h"

namespace morgana {
namespace {

TEST(RunningStatistics, OfNothingAreZero) {
  const RunningStatistics none;
  EXPECT_EQ(none.count(), 0u);
  EXPECT_EQ(none.mean(), 0);
  EXPECT_EQ(none.variance(), 0);
}

TEST(RunningStatistics, OfOneValueHaveNoVariance) {
  RunningStatistics one;
  one.add(-3);
  EXPECT_EQ(one.mean(), -3);
  EXPECT_EQ(one.minimum(), -3);
  EXPECT_EQ(one.maximum(), -3);
  EXPECT_EQ(one.variance(), 0);
}

TEST(RunningStatistics, OfAKnownSeries) {
  RunningStatistics series;
  for (const double value : {2, 4, 4, 4, 5, 5, 7, 9}) series.add(value);
  EXPECT_EQ(series.count(), 8u);
  EXPECT_DOUBLE_EQ(series.mean(), 5);
  EXPECT_DOUBLE_EQ(series.variance(), 32.0 / 7);
  EXPECT_DOUBLE_EQ(series.standard_deviation(), std::sqrt(32.0 / 7));
  EXPECT_EQ(series.minimum(), 2);
  EXPECT_EQ(series.maximum(), 9);
  EXPECT_DOUBLE_EQ(series.sum(), 40);
}

TEST(RunningStatistics, KeepSmallVariancesOfLargeValues) {
  RunningStatistics series;
  for (const double value : {4, 7, 13, 16}) series.add(1e9 + value);
  EXPECT_DOUBLE_EQ(series.variance(), 30);
}

TEST(Distribution, OfNothingHasZeroQuantiles) {
  EXPECT_EQ(Distribution().median(), 0);
}

TEST(Distribution, TakesTheNearestRank) {
  Distribution series;
  for (const double value : {50, 15, 40, 20, 35}) series.add(value);
  EXPECT_EQ(series.quantile(0), 15);
  EXPECT_EQ(series.quantile(0.05), 15);
  EXPECT_EQ(series.quantile(0.30), 20);
  EXPECT_EQ(series.quantile(0.40), 20);
  EXPECT_EQ(series.median(), 35);
  EXPECT_EQ(series.quantile(1), 50);
  series.add(10);  // after a quantile was asked for
  EXPECT_EQ(series.quantile(0), 10);
  EXPECT_EQ(series.median(), 20);
}

TEST(Distribution, IsExactUpToItsLimit) {
  Distribution series;
  for (std::size_t value = Distribution::exact_limit; value > 0; --value)
    series.add(static_cast<double>(value));
  EXPECT_EQ(series.median(), static_cast<double>(Distribution::exact_limit) / 2);
  EXPECT_EQ(series.quantile(1), static_cast<double>(Distribution::exact_limit));
}

TEST(Distribution, IsWithinFourPerMilleBeyondItsLimit) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    RandomStream random(seed, "distribution test");
    Distribution series;
    std::vector<double> values;
    for (std::size_t n = 0; n < 2 * Distribution::exact_limit; ++n) {
      values.push_back(std::exp(60 * random.uniform() - 30));  // over 26 decades
      series.add(values.back());
    }
    std::sort(values.begin(), values.end());
    for (const double q : {0.0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0}) {
      const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
      const double exact = values[rank == 0 ? 0 : rank - 1];
      EXPECT_NEAR(series.quantile(q), exact, 0.004 * exact) << "q " << q << ", seed " << seed;
    }
    EXPECT_EQ(series.quantile(0), values.front());
    EXPECT_EQ(series.quantile(1), values.back());
  }
}

TEST(Distribution, KeepsZerosAndExtremesBeyondItsLimit) {
  Distribution series;
  for (std::size_t n = 0; n < Distribution::exact_limit; ++n) series.add(0);
  for (const double value : {1e300, 1e-300, 7.0}) series.add(value);
  EXPECT_EQ(series.median(), 0);
  EXPECT_EQ(series.quantile(1), 1e300);
  EXPECT_EQ(series.summary().count(), Distribution::exact_limit + 3);
}

TEST(Distribution, OfOneRepeatedValueIsThatValue) {
  Distribution series;
  for (std::size_t n = 0; n < 2 * Distribution::exact_limit; ++n) series.add(1234.5);
  EXPECT_EQ(series.median(), 1234.5);
}

}  // namespace
}  // namespace morgana
