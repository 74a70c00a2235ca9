#include "emulator/core/exponential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace morgana::testing {
namespace {

constexpr std::size_t draws = 4'000'000;

std::vector<double> sample() {
  RandomStream random(1, "ziggurat");
  std::vector<double> values(draws);
  for (double& value : values) value = ziggurat().exponential(random);
  return values;
}

// The greatest distance between the sample's and the exponential distribution; beyond 1.95 / sqrt(n) once in
// a thousand samples (Kolmogorov and Smirnov).
TEST(Ziggurat, IsExponentialEverywhere) {
  std::vector<double> values = sample();
  std::sort(values.begin(), values.end());
  double distance = 0;
  for (std::size_t i = 0; i < draws; ++i) {
    const double expected = -std::expm1(-values[i]);
    distance = std::max(distance, std::abs(expected - static_cast<double>(i) / draws));
    distance = std::max(distance, std::abs(expected - static_cast<double>(i + 1) / draws));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(draws)));
}

TEST(Ziggurat, ReachesBeyondItsLastLayerAsOftenAsItShould) {
  const std::vector<double> values = sample();
  const double edge = 7.69711747013104972;
  const auto beyond = static_cast<double>(
      std::count_if(values.begin(), values.end(), [&](double value) { return value > edge; }));
  const double expected = draws * std::exp(-edge);
  EXPECT_NEAR(beyond, expected, 4 * std::sqrt(expected));
}

TEST(Ziggurat, SameStreamGivesTheSameNumbers) {
  EXPECT_EQ(sample(), sample());
}

}  // namespace
}  // namespace morgana::testing
