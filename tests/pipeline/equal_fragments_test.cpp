#include "emulator/pipeline/equal_fragments.h"

#include <gtest/gtest.h>

#include <map>

#include "emulator/pipeline/exit_times.h"
#include "emulator/pipeline/schedule.h"
#include "emulator/pipeline/transitions.h"
#include "tests/pipeline/random_pipelines.h"
#include "tests/pipeline/slow_pipeline.h"
#include "tests/pipeline/units.h"
#include "tests/support/effort.h"

namespace morgana::pipeline::test {
namespace {

// Sum of g is 27.3 us, sum of G is 64.9 us/KB, the bottleneck is (7.5, 24.9): of 4 KB in k fragments
// T(k) = 19.8 + 4 * 40.0 / k + 7.5 k + 4 * 24.9 = 119.4 + 160 / k + 7.5 k.
TEST(EqualFragments, GamTakesWhatEquation10SaysOf4Kb) {
  for (const std::size_t k : {1U, 2U, 3U, 4U, 5U, 6U, 8U, 16U, 32U}) {
    const auto count = static_cast<double>(k);
    EXPECT_NEAR(us(latency_of_equal(gam(), kb(4), k)), 119.4 + 160 / count + 7.5 * count, 1e-6) << k;
  }
}

// "The model of Equation (12) predicts that the best latency is achieved when the number of fragments is
// five" (section 5.4): sqrt(4 * 40.0 / 7.5) = 4.619, T(4) = 189.4, T(5) = 188.9; "up to 51 %": 286.9 / 188.9
// = 1.519.
TEST(EqualFragments, GamSends4KbInFive) {
  EXPECT_NEAR(signature_optimum(gam(), kb(4), 2), 4.619, 0.0005);
  EXPECT_EQ(best_equal_count(gam(), kb(4)), 5u);
  EXPECT_NEAR(latency_of_equal(gam(), kb(4), 1) / latency_of_equal(gam(), kb(4), 5), 1.519, 0.0005);
}

// "The optimal number of fragments is three or four" (section 6). In three fragments the Wire is the slowest:
// 101 + 8/3 * 137.5 + 2 * (4.0 + 8/3 * 60.1) = 796.2; in four Req-CPU: 101 + 2 * 137.5 + 3 * (92.8 + 2
// * 26.2) = 811.6.
TEST(EqualFragments, GmsSends8KbInThree) {
  EXPECT_EQ(best_equal_count(gms(), kb(8)), 3u);
  EXPECT_NEAR(us(latency_of_equal(gms(), kb(8), 3)), 796.2, 0.01);
  EXPECT_NEAR(us(latency_of_equal(gms(), kb(8), 4)), 811.6, 0.01);
}

// sqrt(B * 40.0 / 7.5): 0.5 KB 1.63, 1 KB 2.31, 16 KB 9.24, 64 KB 18.48; the times are 19.8 + 40 B / k + 7.5
// k + 24.9 B.
TEST(EqualFragments, TheBestNumberGrowsAsTheRootOfTheMessage) {
  const std::map<double, std::pair<std::size_t, double>> by_kb{
      {0.125, {1, 35.4125}}, {0.5, {2, 57.25}}, {1, {2, 79.7}}, {16, {9, 556.811}}, {64, {18, 1890.622}}};
  for (const auto& [size, expected] : by_kb) {
    EXPECT_EQ(best_equal_count(gam(), kb(size)), expected.first) << size;
    EXPECT_NEAR(us(latency_of_equal(gam(), kb(size), expected.first)), expected.second, 0.001) << size;
  }
}

TEST(EqualFragments, NoOtherNumberOfThemIsBetter) {
  for (std::uint64_t number = 0; number < random_cases(500); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 8));
    const RealBytes message(std::round(random.between(1, 3000)));
    const RealTime best = latency_of_equal(stages, message, best_equal_count(stages, message));
    for (std::size_t k = 1; static_cast<double>(k) <= message.value(); ++k)
      ASSERT_LE(best.value(), latency_of_equal(stages, message, k).value() * (1 + 1e-12))
          << number << ", k " << k;
  }
}

// Without overheads every byte goes by itself; without a second stage's costs nothing is gained.
TEST(EqualFragments, ExtremesNeedNoFormula) {
  const Stages free{{"", {}, RealCost(3)}, {"", {}, RealCost(5)}};
  EXPECT_EQ(best_equal_count(free, RealBytes(700)), 700u);
  EXPECT_EQ(best_equal_count(free, RealBytes(1e9)), most_fragments);
  EXPECT_EQ(best_equal_count(Stages{{"", RealTime(10), RealCost(5)}}, RealBytes(700)), 1u);
  EXPECT_EQ(best_equal_count(Stages{{"", RealTime(10), {}}, {"", RealTime(20), {}}}, RealBytes(700)), 1u);
  EXPECT_EQ(best_equal_count(gam(), RealBytes(1)), 1u);
}

TEST(EqualFragments, Equation10IsWhatHappensEventByEvent) {
  for (std::uint64_t number = 0; number < random_cases(10'000); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 8));
    const std::size_t count = random.whole(1, 24);
    const Bytes size(static_cast<std::int64_t>(random.between(1, 65536)));
    const std::vector<Bytes> sizes(count, size);
    // Eq. 10 in whole picoseconds.
    SimTime expected, slowest;
    for (const Stage& stage : stages) {
      expected += stage.time_for(size);
      slowest = std::max(slowest, stage.time_for(size));
    }
    expected += static_cast<std::int64_t>(count - 1) * slowest;
    ASSERT_EQ(carried_event_by_event(stages, sizes), expected) << number;
    ASSERT_EQ(Schedule(stages, Pieces(stages.size(), sizes)).latency(), expected) << number;
    const RealBytes message = real(size) * static_cast<double>(count);
    ASSERT_NEAR(latency_of_equal(stages, message, count) / real(expected), 1, 1e-6) << number;
  }
}

TEST(EqualFragments, AScheduleIsWhatHappensEventByEvent) {
  for (std::uint64_t number = 0; number < random_cases(2000); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 8));
    const RealBytes message = random.message();
    const std::vector<Bytes> sizes =
        whole_bytes(random.cut(message, random.whole(1, 20)), Bytes(std::llround(message.value())));
    const Schedule schedule(stages, Pieces(stages.size(), sizes));
    ASSERT_EQ(schedule.latency(), carried_event_by_event(stages, sizes)) << number;
    const Schedule::Parts parts = schedule.parts();
    ASSERT_EQ(parts.first + parts.inside + parts.last, schedule.latency());
  }
}

TEST(EqualFragments, RoundingKeepsTheSum) {
  // Fifths of 4096 end at 819.2, 1638.4, 2457.6, 3276.8 and 4096.
  EXPECT_EQ(whole_bytes(equal_fragments(RealBytes(4096), 5), Bytes(4096)),
            (std::vector<Bytes>{Bytes(819), Bytes(819), Bytes(820), Bytes(819), Bytes(819)}));
}

TEST(EqualFragments, StaticOnesEndWithWhatIsLeft) {
  EXPECT_EQ(static_fragments(Bytes(5000), Bytes(4096)), (std::vector<Bytes>{Bytes(4096), Bytes(904)}));
  EXPECT_EQ(static_fragments(Bytes(128), Bytes(128)), std::vector<Bytes>{Bytes(128)});
}

// The Wire overtakes Req-CPU where 4.0 + 60.1 x = 92.8 + 26.2 x, at 88.8 / 33.9 = 2.6195 KB = 2682.3 bytes.
TEST(Transitions, GmsMovesItsBottleneckOnce) {
  const std::vector<Transition> found = transitions(gms(), Bytes(1), Bytes(65536));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].size, Bytes(2683));
  EXPECT_EQ(gms()[found[0].from].name, "Req-CPU");
  EXPECT_EQ(gms()[found[0].to].name, "Wire");
}

TEST(Transitions, BisectionFindsAllOfThem) {
  for (std::uint64_t number = 0; number < random_cases(100); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(8);
    const std::vector<Transition> found = transitions(stages, Bytes(1), Bytes(5000));
    std::size_t next = 0;
    for (std::int64_t size = 2; size <= 5000; ++size) {
      const std::size_t now = bottleneck(stages, real(Bytes(size)));
      if (now == bottleneck(stages, real(Bytes(size - 1)))) continue;
      ASSERT_LT(next, found.size()) << number;
      ASSERT_EQ(found[next].size, Bytes(size)) << number;
      ASSERT_EQ(found[next++].to, now) << number;
    }
    ASSERT_EQ(next, found.size()) << number;
  }
}

TEST(ExitTimes, AreThePapersInequalitiesEachAsEarlyAsItAllows) {
  // 2 bytes, then 1, through (1, 3) and (2, 1): the first leaves at 1 + 6 = 7 and 7 + 2 + 2 = 11; the second
  // leaves the first stage at 7 + 1 + 3 = 11 and the second one at 11 + 2 + 1 = 14.
  const Stages stages{{"", RealTime(1), RealCost(3)}, {"", RealTime(2), RealCost(1)}};
  const Sizes sizes{RealBytes(2), RealBytes(1)};
  const std::vector<std::vector<RealTime>> expected{{RealTime(7), RealTime(11)},
                                                    {RealTime(11), RealTime(14)}};
  EXPECT_EQ(exit_times(stages, sizes), expected);
  EXPECT_EQ(latency(stages, sizes), RealTime(14));
}

TEST(ExitTimes, AReversedPipelineTakesAsLongWithReversedFragments) {
  for (std::uint64_t number = 0; number < random_cases(10'000); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 8));
    const Sizes sizes = random.cut(random.message(), random.whole(1, 24));
    const Sizes backwards(sizes.rbegin(), sizes.rend());
    ASSERT_NEAR(latency(reversed(stages), backwards) / latency(stages, sizes), 1, 1e-12) << number;
  }
}

TEST(ExitTimes, NothingArrivesBeforeTheLowerBound) {
  for (std::uint64_t number = 0; number < random_cases(10'000); ++number) {
    RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 8));
    const RealBytes message = random.message();
    const Sizes sizes = random.cut(message, random.whole(1, 24));
    ASSERT_GT(latency(stages, sizes).value(), lower_bound(stages, message).value() * (1 - 1e-12)) << number;
  }
}

// 4 * 24.9 + 27.3 = 126.9 us.
TEST(ExitTimes, GamsLowerBoundIsEquation5) {
  EXPECT_NEAR(us(lower_bound(gam(), kb(4))), 126.9, 1e-6);
}

}  // namespace
}  // namespace morgana::pipeline::test
