#include "emulator/core/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "emulator/core/statistics.h"

namespace morgana {
namespace {
using namespace literals;

std::vector<std::uint64_t> first_of(RandomStream stream) {
  std::vector<std::uint64_t> numbers(100);
  for (auto& number : numbers) number = stream.next();
  return numbers;
}

TEST(RandomStream, SeedAndNameDecide) {
  EXPECT_EQ(first_of({1, "port 0"}), first_of({1, "port 0"}));
  EXPECT_NE(first_of({1, "port 0"}), first_of({2, "port 0"}));
  EXPECT_NE(first_of({1, "port 0"}), first_of({1, "port 1"}));
  EXPECT_NE(first_of({1, ""}), first_of({0, ""}));
}

TEST(RandomStream, UniformNumbersFillTheUnitInterval) {
  RandomStream stream(1, "uniform");
  RunningStatistics numbers;
  for (int n = 0; n < 100'000; ++n) numbers.add(stream.uniform());
  EXPECT_GE(numbers.minimum(), 0);
  EXPECT_LT(numbers.minimum(), 0.001);
  EXPECT_LT(numbers.maximum(), 1);
  EXPECT_GT(numbers.maximum(), 0.999);
  EXPECT_NEAR(numbers.mean(), 0.5, 0.005);
  EXPECT_NEAR(numbers.variance(), 1.0 / 12, 0.002);
}

TEST(RandomStream, WholeNumbersBelowABoundAreEquallyFrequent) {
  RandomStream stream(1, "below");
  std::array<int, 7> count{};
  for (int n = 0; n < 70'000; ++n) ++count.at(stream.below(count.size()));
  for (const int frequency : count) EXPECT_NEAR(frequency, 10'000, 500);  // 5 standard deviations
  for (int n = 0; n < 100; ++n) EXPECT_EQ(stream.below(1), 0u);
}

TEST(RandomStream, LargeBoundsAreReached) {
  RandomStream stream(1, "large");
  const std::uint64_t bound = (std::uint64_t{1} << 63) + 1;
  std::uint64_t largest = 0;
  for (int n = 0; n < 1000; ++n) {
    const std::uint64_t number = stream.below(bound);
    ASSERT_LT(number, bound);
    largest = std::max(largest, number);
  }
  EXPECT_GT(largest, bound / 100 * 99);
}

TEST(RandomStream, ExponentialTimesHaveTheirMean) {
  RandomStream stream(1, "exponential");
  RunningStatistics times;
  for (int n = 0; n < 100'000; ++n) times.add(stream.exponential(20_ms).seconds());
  EXPECT_GE(times.minimum(), 0);
  EXPECT_NEAR(times.mean(), 0.020, 0.0004);
  EXPECT_NEAR(times.standard_deviation(), 0.020, 0.0004);
}

TEST(RandomStream, ChancesAreTaken) {
  RandomStream stream(1, "chance");
  int taken = 0;
  for (int n = 0; n < 10'000; ++n) taken += stream.chance(0.3) ? 1 : 0;
  EXPECT_NEAR(taken, 3000, 230);  // 5 standard deviations
  EXPECT_FALSE(stream.chance(0));
  EXPECT_TRUE(stream.chance(1));
}

}  // namespace
}  // namespace morgana
