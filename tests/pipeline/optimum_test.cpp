#include "emulator/pipeline/optimum.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/exit_times.h"
#include "emulator/pipeline/ramp.h"
#include "tests/pipeline/random_pipelines.h"
#include "tests/pipeline/units.h"
#include "tests/support/effort.h"

namespace morgana::pipeline::test {
namespace {

double sum(const Sizes& sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), RealBytes()).value();
}
/// The simplex method ends within its tolerance of 1e-7 of the optimum.
constexpr double by_rounding = 1 + 1e-6;

// x_1 = (g_1 - g_0) / G_0 + x_0 G_1 / G_0 = 2 + 3 x_0, and x_0 + x_1 = 22: 5 and 17. The first stage takes 1
// + 5 = 6 and 1 + 17 = 18; the second 3 + 15 = 18 and 3 + 51 = 54: 6 + 18 + 54 = 78.
TEST(RampUp, SolvesItsRecurrence) {
  const Stage first{"", RealTime(1), RealCost(1)}, second{"", RealTime(3), RealCost(3)};
  const auto sizes = ramp_up(first, second, RealBytes(22), 2);
  ASSERT_TRUE(sizes);
  EXPECT_NEAR((*sizes)[0].value(), 5, 1e-12);
  EXPECT_NEAR((*sizes)[1].value(), 17, 1e-12);
  EXPECT_NEAR(latency(Stages{first, second}, *sizes).value(), 78, 1e-12);
}

// With a = 3, b = 2 and k = 3 the sum of Eq. 18, its fraction bar put back, is
// 13 x_0 + 2/2 * ((27 - 3)/2 - 3 + 1) = 13 x_0 + 10; as printed it would be 13 x_0 + 2/2 * (27 - 3 - 3 + 1) =
// 13 x_0 + 22. 5 + 17 + 53 = 75 = 13 * 5 + 10.
TEST(RampUp, IsNotMisledByEquation18AsPrinted) {
  const auto sizes =
      ramp_up({"", RealTime(1), RealCost(1)}, {"", RealTime(3), RealCost(3)}, RealBytes(75), 3);
  ASSERT_TRUE(sizes);
  EXPECT_NEAR((*sizes)[0].value(), 5, 1e-12);
  EXPECT_NEAR((*sizes)[2].value(), 53, 1e-12);
}

// a = 1, b = 2: 10 = 2 x_0 + 2.
TEST(RampUp, GrowsByAConstantBetweenStagesOfTheSameRate) {
  const auto sizes =
      ramp_up({"", RealTime(2), RealCost(4)}, {"", RealTime(10), RealCost(4)}, RealBytes(10), 2);
  ASSERT_TRUE(sizes);
  EXPECT_NEAR((*sizes)[0].value(), 4, 1e-12);
  EXPECT_NEAR((*sizes)[1].value(), 6, 1e-12);
}

// As above with 4 bytes: 2 + 3 x_0 + x_0 = 4 makes x_0 half a byte.
TEST(RampUp, HasNoSizesWhereAFragmentWouldBeEmpty) {
  EXPECT_FALSE(ramp_up({"", RealTime(1), RealCost(1)}, {"", RealTime(3), RealCost(3)}, RealBytes(4), 2));
}

TEST(RampUp, IsTheOptimumOfTwoStages) {
  std::uint64_t compared = 0;
  for (std::uint64_t number = 0; number < random_cases(10'000); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(2);
    const RealBytes message = random.message();
    const std::size_t count = random.whole(1, 6);
    const auto ramp = ramp_up(stages[0], stages[1], message, count);
    const Optimum best = optimum(stages, message, count);
    if (!ramp) continue;
    ++compared;
    ASSERT_NEAR(sum(*ramp) / message.value(), 1, 1e-9) << number;
    ASSERT_NEAR(latency(stages, *ramp) / best.latency, 1, 1e-6) << number;
    // The no-stall condition (Theorem 3), at what the linear programme found by itself. Where a fragment is
    // next to nothing, so is what a stall costs: the solver may leave one.
    if (*std::min_element(ramp->begin(), ramp->end()) < message * 1e-3) continue;
    for (std::size_t i = 0; i + 1 < count; ++i) {
      const RealTime stall = stages[0].time_for(best.sizes[i + 1]) - stages[1].time_for(best.sizes[i]);
      ASSERT_NEAR(stall / best.latency, 0, 1e-6) << number << ", after fragment " << i;
    }
  }
  EXPECT_GT(compared, random_cases(10'000) / 4);  // not only the ones without a solution
}

TEST(Optimum, NothingBeatsIt) {
  for (std::uint64_t number = 0; number < random_cases(10'000); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 6));
    const RealBytes message = random.message();
    const std::size_t count = random.whole(1, 8);
    const Optimum best = optimum(stages, message, count);
    ASSERT_EQ(best.sizes.size(), count);
    ASSERT_NEAR(sum(best.sizes) / message.value(), 1, 1e-9) << number;
    ASSERT_GT(best.latency.value() * by_rounding, lower_bound(stages, message).value()) << number;
    ASSERT_LE(best.latency.value(), latency_of_equal(stages, message, count).value() * by_rounding) << number;
    for (int other = 0; other < 10; ++other) {
      const Sizes sizes = random.cut(message, count);
      ASSERT_LE(best.latency.value(), latency(stages, sizes).value() * by_rounding) << number;
    }
    // A little less of one fragment and more of another is no better either, if both have it to give.
    if (count < 2) continue;
    Sizes moved = best.sizes;
    const std::size_t from = random.whole(0, count - 1), to = (from + random.whole(1, count - 1)) % count;
    const RealBytes bit = (moved[from] - RealBytes(1)) * random.between(1e-3, 1);
    moved[from] -= bit;
    moved[to] += bit;
    ASSERT_LE(best.latency.value(), latency(stages, moved).value() * by_rounding) << number;
  }
}

TEST(Optimum, OfAReversedPipelineIsTheSame) {
  for (std::uint64_t number = 0; number < random_cases(1000); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 6));
    const RealBytes message = random.message();
    const std::size_t count = random.whole(1, 8);
    ASSERT_NEAR(optimum(reversed(stages), message, count).latency / optimum(stages, message, count).latency,
                1, 1e-6)
        << number;
  }
}

TEST(Optimum, RampsUpAndDownAroundTheSlowestStage) {
  std::uint64_t compared = 0;
  for (std::uint64_t number = 0; number < random_cases(2000); ++number) {
    RandomCase random(number);
    Stages stages = random.stages(3);
    // The middle one is the slowest with any size, as Theorem 5 has it.
    for (const Stage& side : {stages[0], stages[2]}) {
      stages[1].overhead = std::max(stages[1].overhead, side.overhead);
      stages[1].cost = std::max(stages[1].cost, side.cost);
    }
    const RealBytes message = random.message();
    const std::size_t count = random.whole(2, 5);
    std::optional<RealTime> best;
    for (std::size_t up = 1; up <= count; ++up) {
      const auto sizes = ramp_up_and_down(std::span<const Stage, 3>(stages), message, up, count + 1 - up);
      if (!sizes) continue;
      ASSERT_NEAR(sum(*sizes) / message.value(), 1, 1e-9);
      const RealTime time = latency(stages, *sizes);
      if (!best || time < *best) best = time;
    }
    if (!best) continue;
    const Optimum exact = optimum(stages, message, count);
    ASSERT_GE(best->value() * by_rounding, exact.latency.value()) << number;
    if (*std::min_element(exact.sizes.begin(), exact.sizes.end()) < RealBytes(2)) continue;
    ASSERT_LE(best->value(), exact.latency.value() * by_rounding) << number;
    ++compared;
  }
  EXPECT_GT(compared, random_cases(2000) / 8);
}

TEST(Optimum, TheSearchFindsTheBestNumberOfFragments) {
  for (std::uint64_t number = 0; number < random_cases(100); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 4));
    const RealBytes message(std::round(random.between(1, 20'000)));
    const OptimumSearch found = search_optimum(stages, message, 16);
    for (std::size_t k = 1; k <= 16 && static_cast<double>(k) <= message.value(); ++k)
      ASSERT_LE(found.best.latency.value(), optimum(stages, message, k).latency.value() * by_rounding)
          << number;
  }
}

// Two stages of 1 us and 1 us/KB without a message to speak of: the second byte costs more than it brings.
TEST(Optimum, ABytePerFragmentIsTheLeast) {
  const Optimum all = optimum(gam(), RealBytes(7), 7);
  for (const RealBytes size : all.sizes) EXPECT_NEAR(size.value(), 1, 1e-9);
  EXPECT_EQ(search_optimum(gam(), RealBytes(7), 64).best.sizes.size(), 1u);
}

// Both stages take nothing but 3 ps and 2 ps a byte: neither waits if x_1 = 2/3 x_0, 30 bytes are 18 and 12,
// and 18 * 3 + 18 * 2 + 12 * 2 = 114.
TEST(Optimum, IsThatOfHandCalculation) {
  const Stages stages{{"", {}, RealCost(3)}, {"", {}, RealCost(2)}};
  const Optimum best = optimum(stages, RealBytes(30), 2);
  EXPECT_NEAR(best.sizes[0].value(), 18, 1e-6);
  EXPECT_NEAR(best.latency.value(), 114, 1e-5);
}

// Where all of stage 2 (7.5, 24.9) is busy without a pause, T = T_f + 7.5 k + 24.9 B + T_l. An independent
// linear programme of another author gave 184.35 us with k = 6 for 4 KB, and 306.87 us with k = 7 for 8 KB.
TEST(Optimum, OfGamIsWhatAnotherSolverFinds) {
  const OptimumSearch four = search_optimum(gam(), kb(4), 64);
  EXPECT_TRUE(four.complete);
  EXPECT_EQ(four.best.sizes.size(), 6u);
  EXPECT_NEAR(us(four.best.latency), 184.35, 0.01);
  const OptimumSearch eight = search_optimum(gam(), kb(8), 64);
  EXPECT_EQ(eight.best.sizes.size(), 7u);
  EXPECT_NEAR(us(eight.best.latency), 306.87, 0.01);
}

TEST(Optimum, SaysWhenMoreFragmentsMightDoBetter) {
  EXPECT_FALSE(search_optimum(gam(), kb(64), 4).complete);
}

}  // namespace
}  // namespace morgana::pipeline::test
