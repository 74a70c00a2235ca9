#include "replay/compute_variation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/platform/platform.h"
#include "replay/straggler.h"
#include "tests/support/chakra_traces.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {
using ::morgana::testing::TemporaryFolder;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr SimTime of_ns(std::int64_t count) {
  return SimTime::from_ps(count * 1000);
}

ComputeVariation varied(const std::vector<std::string>& slow, const std::string& noise = "") {
  ComputeVariation variation;
  for (const std::string& one : slow) variation.slow.push_back(SlowRanks::parse(one));
  if (!noise.empty()) variation.noise = ComputeNoise::parse(noise);
  return variation;
}

std::string refusal_of_slow(const std::string& text) {
  try {
    SlowRanks::parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "it was taken";
}

std::string refusal_of_noise(const std::string& text) {
  try {
    ComputeNoise::parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "it was taken";
}

TEST(SlowRanks, AreARankOrARange) {
  const SlowRanks one = SlowRanks::parse("3:x1.2"), several = SlowRanks::parse("0..7:x0.5");
  EXPECT_EQ(one.first, 3u);
  EXPECT_EQ(one.last, 3u);
  EXPECT_EQ(one.factor, 1.2);
  EXPECT_EQ(several.first, 0u);
  EXPECT_EQ(several.last, 7u);
  EXPECT_EQ(several.factor, 0.5);
  for (const char* wrong :
       {"", "3", "3:1.2", "3:x", "3:x0", "3:x-1", "3:xnan", "3:xinf", "3:x1e7", "3:x1.2y", "-1:x2", "7..0:x2",
        "0..:x2", "..3:x2", "a:x2", "1.5:x2", "4294967296:x2", "0...3:x2", " 3:x2"})
    expect_message(refusal_of_slow(wrong), {wrong, "RANK:xFACTOR"});
}

TEST(ComputeNoise, HasTheDistributionsOfItsNames) {
  // One draw by hand: -ln(1 - 0.5) = 0.693, and by Box and Muller z = sqrt(2 x 0.693) = 1.1774.
  EXPECT_NEAR(ComputeNoise::parse("exponential:0.5").factor(0.5, 0), 1.34657, 1e-5);
  EXPECT_NEAR(ComputeNoise::parse("normal:0.1").factor(0.5, 0), 1.11774, 1e-5);
  EXPECT_NEAR(ComputeNoise::parse("normal:0.1").factor(0.5, 0.5), 0.88226, 1e-5);
  EXPECT_NEAR(ComputeNoise::parse("lognormal:0.1").factor(0.5, 0), 1.12495, 1e-5);
  EXPECT_EQ(ComputeNoise::parse("normal:1").factor(0.999999, 0.5), 0);
  for (const char* wrong : {"", "gamma:2", "normal", "normal:", "normal:0", "normal:-1", "normal:1.01",
                            "lognormal:11", "exponential:nan", "exponential:1,2", "lognormal:0.05 "})
    expect_message(refusal_of_noise(wrong), {"\"" + std::string(wrong) + "\""});
  expect_message(refusal_of_noise("gamma:2"),
                 {"\"gamma:2\"", "exponential:MEAN, normal:SIGMA", "lognormal:SIGMA"});
}

/// Factors of 20,000 computations, sorted.
std::vector<double> drawn_factors(const std::string& noise) {
  ComputeTimes times(varied({}, noise), 1, 7);
  std::vector<double> all;
  for (std::uint64_t i = 0; i < 20'000; ++i)
    all.push_back(times.of(Rank{0}, i, SimTime::from_ps(1'000'000'000)).seconds() * 1e3);
  std::ranges::sort(all);
  return all;
}

TEST(ComputeNoise, IsDrawnWithTheMomentsOfItsDistribution) {
  const auto mean = [](const std::vector<double>& all) {
    double sum = 0;
    for (const double one : all) sum += one;
    return sum / static_cast<double>(all.size());
  };
  // Bounds are four standard errors; the seed is fixed.
  const std::vector<double> exponential = drawn_factors("exponential:0.5");
  EXPECT_NEAR(mean(exponential), 1.5, 4 * 0.5 / 141);
  EXPECT_GE(exponential.front(), 1);
  const std::vector<double> normal = drawn_factors("normal:0.1");
  EXPECT_NEAR(mean(normal), 1, 4 * 0.1 / 141);
  EXPECT_NEAR(normal[16'827] - 1, 0.1, 0.004);  // 84.13 % lie below one standard deviation
  const std::vector<double> lognormal = drawn_factors("lognormal:0.5");
  EXPECT_NEAR(lognormal[10'000], 1, 4 * 0.5 * 1.2533 / 141);
  EXPECT_NEAR(mean(lognormal), std::exp(0.125), 4 * 0.61 / 141);
}

TEST(ComputeTimes, DependOnSeedRankAndNumberAlone) {
  const auto draw = [](std::uint64_t seed, std::int32_t rank, std::uint64_t number, std::size_t ranks) {
    ComputeTimes times(varied({}, "lognormal:0.2"), ranks, seed);
    return times.of(Rank{rank}, number, of_ns(1'000'000));
  };
  const SimTime one = draw(7, 1, 5, 2);
  EXPECT_EQ(draw(7, 1, 5, 9), one);
  EXPECT_NE(draw(8, 1, 5, 2), one);
  EXPECT_NE(draw(7, 0, 5, 2), one);
  EXPECT_NE(draw(7, 1, 6, 2), one);
  // A slow rank keeps its noise.
  ComputeTimes slow(varied({"1:x2"}, "lognormal:0.2"), 2, 7);
  EXPECT_NEAR(slow.of(Rank{1}, 5, of_ns(1'000'000)).seconds(), 2 * one.seconds(), 2e-12);
}

TEST(ComputeTimes, FactorsOfARankAreMultipliedAndSumsKept) {
  ComputeTimes times(varied({"0..2:x2", "1:x1.5", "1..1:x0.1"}), 4, 1);
  EXPECT_EQ(times.of(Rank{0}, 0, of_ns(10)), of_ns(20));
  EXPECT_EQ(times.of(Rank{1}, 0, of_ns(10)), of_ns(3));
  EXPECT_EQ(times.of(Rank{3}, 0, of_ns(10)), of_ns(10));
  times.of(Rank{3}, 1, of_ns(5));
  EXPECT_THAT(times.computed(), ElementsAre(of_ns(20), of_ns(3), of_ns(0), of_ns(15)));
  EXPECT_THROW(times.of(Rank{0}, 1, SimTime::from_ps(4'000'000'000'000'000'000)), Error);
  try {
    const ComputeTimes beyond(varied({"0..3:x2"}), 3, 1);
    FAIL();
  } catch (const Error& error) {
    expect_message(error.what(), {"rank 3", "0..3:x2", "0 to 2"});
  }
}

class VariedReplay : public ::testing::Test {
 protected:
  ReplayResult replay(const std::filesystem::path& trace, const std::optional<ComputeVariation>& variation,
                      const std::string& platform = "loggopsim", std::uint64_t seed = 1) const {
    ReplayOptions how;
    how.variation = variation;
    how.seed = seed;
    return replay_on(Platform::load(platform), trace, how);
  }
  StragglerReport straggler_of(const std::string& trace, const ComputeVariation& variation) const {
    ReplayOptions how;
    how.variation = variation;
    how.translated = read_trace(trace, {});
    const Platform platform = Platform::load("loggopsim");
    return find_straggler(platform, trace, how, replay_on(platform, trace, how));
  }
  static SimTime end_of(const ReplayResult& result) { return result.statistics.simulated_time(); }
  /// Ranks that compute for so many ns, and those of `chain` one after the other: the first sends to the
  /// second when it is done, which begins then.
  std::string schedule(const std::vector<int>& ns, bool chain = false) const {
    std::string text = "num_ranks " + std::to_string(ns.size()) + "\n";
    for (std::size_t rank = 0; rank < ns.size(); ++rank) {
      text += "rank " + std::to_string(rank) + " {\nc: calc " + std::to_string(ns[rank]) + "\n";
      if (chain && rank == 0) text += "s: send 8b to 1 tag 1\ns requires c\n";
      if (chain && rank == 1) text += "r: recv 8b from 0 tag 1\nc requires r\n";
      text += "}\n";
    }
    return folder_.write("v.goal", text);
  }
  std::string sample(const std::string& name) const {
    return (std::filesystem::path(MORGANA_SAMPLES) / name).string();
  }
  TemporaryFolder folder_;
};

TEST_F(VariedReplay, OfAScheduleTakesTheSlowRanksTime) {
  const std::string trace = schedule({1000, 1000, 1000});
  EXPECT_EQ(end_of(replay(trace, varied({"1:x1.2"}))), of_ns(1200));
  EXPECT_EQ(end_of(replay(trace, varied({"0..2:x1.5", "2:x2"}))), of_ns(3000));
  EXPECT_EQ(end_of(replay(trace, varied({"0..2:x0.25"}))), of_ns(250));
  // Twice as long on the way: 1,000 ns more at the end.
  const std::string chain = schedule({1000, 1000}, true);
  const SimTime plain = end_of(replay(chain, std::nullopt));
  EXPECT_EQ(end_of(replay(chain, varied({"0:x2"}))), plain + of_ns(1000));
  EXPECT_EQ(end_of(replay(chain, varied({"0..1:x2"}))), plain + of_ns(2000));
  EXPECT_EQ(end_of(replay(chain, varied({"0..1:x1"}))), plain);
}

TEST_F(VariedReplay, OfARecordedTraceScalesAsThePlatformDoes) {
  const std::string trace = sample("mg.mpi.otf2");
  ReplayOptions none;
  const Platform plain = Platform::load("fast-ethernet"), twice = plain.with_compute_scale(2);
  const SimTime as_recorded = replay_on(plain, trace, none).statistics.simulated_time();
  ReplayOptions how;
  how.variation = varied({"0..3:x1"});
  EXPECT_EQ(replay_on(plain, trace, how).statistics.simulated_time(), as_recorded);
  how.variation = varied({"0..3:x2"});
  const ReplayResult slow = replay_on(plain, trace, how);
  EXPECT_EQ(slow.statistics.simulated_time(), replay_on(twice, trace, none).statistics.simulated_time());
  EXPECT_GT(slow.statistics.simulated_time(), as_recorded);
  ASSERT_EQ(slow.computed.size(), 4u);
  EXPECT_GT(slow.computed[0], SimTime());
}

TEST_F(VariedReplay, NoiseIsReproducibleAndTheSameOnAllPlatforms) {
  for (const std::string& trace : {schedule({1000, 2000, 3000}, true), sample("mg.mpi.otf2")}) {
    const ReplayResult one = replay(trace, varied({}, "exponential:0.3"), "loggopsim", 7),
                       again = replay(trace, varied({}, "exponential:0.3"), "loggopsim", 7),
                       elsewhere = replay(trace, varied({}, "exponential:0.3"), "loggp-example", 7),
                       other = replay(trace, varied({}, "exponential:0.3"), "loggopsim", 8);
    EXPECT_EQ(end_of(one), end_of(again));
    EXPECT_EQ(one.computed, again.computed);
    EXPECT_EQ(one.computed, elsewhere.computed);
    EXPECT_NE(one.computed, other.computed);
    EXPECT_GT(end_of(one), end_of(replay(trace, std::nullopt)));
  }
}

TEST_F(VariedReplay, OfAnExecutionTraceVariesNodesButNoCollective) {
  using testing::chakra_collective;
  using testing::chakra_compute;
  constexpr int all_reduce = 0;
  for (int rank = 0; rank < 2; ++rank)
    folder_.write("t." + std::to_string(rank) + ".et",
                  testing::chakra_file(
                      {chakra_compute(1, 10), chakra_collective(2, all_reduce, 1'000'000).after({1})}));
  const SimTime plain = end_of(replay(folder_ / "t", std::nullopt, "dgx-a100"));
  const auto later = SimTime::from_ps(10'000'000);
  EXPECT_EQ(end_of(replay(folder_ / "t", varied({"1:x2"}), "dgx-a100")), plain + later);
  EXPECT_EQ(end_of(replay(folder_ / "t", varied({"0..1:x2"}), "dgx-a100")), plain + later);
  EXPECT_THAT(replay(folder_ / "t", varied({"1:x2"}), "dgx-a100").computed,
              ElementsAre(SimTime::from_ps(10'000'000), SimTime::from_ps(20'000'000)));
}

TEST_F(VariedReplay, FindsTheStraggler) {
  const StragglerReport one = straggler_of(schedule({1000, 1000, 1000, 1000}), varied({"2:x3"}));
  ASSERT_NE(one.straggler(), nullptr);
  EXPECT_EQ(one.straggler()->rank, 2u);
  EXPECT_EQ(one.straggler()->computes, of_ns(3000));
  EXPECT_EQ(one.median, of_ns(1000));
  EXPECT_EQ(one.end, of_ns(3000));
  EXPECT_EQ(one.straggler()->end, of_ns(1000));
  EXPECT_EQ(one.above, 1u);
  EXPECT_EQ(one.all_end, of_ns(1000));
  EXPECT_THAT(straggler_text(one), AllOf(HasSubstr("rank 2 delays the run"), HasSubstr("66.7 %")));
}

TEST_F(VariedReplay, OneOfSeveralStragglersAloneSavesNothing) {
  const StragglerReport two = straggler_of(schedule({1000, 3000, 1000, 3000, 1000}), varied({}));
  EXPECT_EQ(two.straggler(), nullptr);
  ASSERT_EQ(two.slow.size(), 2u);
  EXPECT_EQ(two.slow[0].rank, 1u);
  EXPECT_EQ(two.slow[0].end, of_ns(3000));
  EXPECT_EQ(two.above, 2u);
  EXPECT_EQ(two.all_end, of_ns(1000));
  EXPECT_THAT(straggler_text(two), AllOf(HasSubstr("no single rank"), HasSubstr("all 2 slower ranks")));

  // The one that computes longest is not the one that others wait for.
  const StragglerReport beside = straggler_of(schedule({4000, 1000, 4500, 1000, 1000}, true), varied({}));
  ASSERT_NE(beside.straggler(), nullptr);
  EXPECT_EQ(beside.straggler()->rank, 0u);
  EXPECT_EQ(beside.end - beside.straggler()->end, of_ns(3000));

  const StragglerReport none = straggler_of(schedule({1000, 1000, 500}), varied({}));
  EXPECT_EQ(none.straggler(), nullptr);
  EXPECT_TRUE(none.slow.empty());
  EXPECT_EQ(none.all_end, none.end);
}

}  // namespace
}  // namespace morgana
