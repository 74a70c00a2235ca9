#include "emulator/pipeline/probe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "emulator/pipeline/schedule.h"
#include "emulator/pipeline/transitions.h"
#include "tests/pipeline/random_pipelines.h"
#include "tests/pipeline/units.h"

namespace morgana::pipeline {
namespace {

using test::us;

/// Stages as a box: what comes out, to the picosecond.
BlackBox box_of(const Stages& stages) {
  return [stages](std::span<const Bytes> sizes) {
    const Schedule schedule(stages, Pieces(stages.size(), std::vector<Bytes>(sizes.begin(), sizes.end())));
    std::vector<SimTime> exits;
    for (const Transfer& one : schedule.transfers().back()) exits.push_back(one.end);
    return exits;
  };
}

double us_per_kb(RealCost cost) {
  return cost.value() * 1024 / 1e6;
}

// Table 1: overheads of 7.2 + 5.2 + 7.5 + 7.4, costs of 7.2 + 24.9 + 24.9 + 7.9; stage 2 is the slowest.
TEST(Probe, RecoversGamFromOutside) {
  const ProbeResult result = probe(box_of(gam()), {.least = Bytes(128), .most = Bytes(8192)});
  ASSERT_EQ(result.ranges.size(), 1u);
  const ProbedRange& range = result.ranges[0];
  EXPECT_NEAR(us(range.latency.line.overhead), 27.3, 1e-4);
  EXPECT_NEAR(us_per_kb(range.latency.line.cost), 64.9, 1e-4);
  EXPECT_NEAR(us(range.interval.line.overhead), 7.5, 1e-4);
  EXPECT_NEAR(us_per_kb(range.interval.line.cost), 24.9, 1e-4);
  EXPECT_NEAR(us_per_kb(range.other_costs()), 40.0, 1e-4);  // Table 2
  // sqrt(4 * 7.5 / 40) KB; 4096 / 886.8 = 4.62 fragments, of which five are better than four.
  EXPECT_NEAR(range.best_size(RealBytes(4096)).value(), 886.81, 0.01);
  EXPECT_EQ(result.best_equal_count(RealBytes(4096)), 5u);
  // 27.3 + 0.8 * 64.9 + 4 * (7.5 + 0.8 * 24.9)
  EXPECT_NEAR(us(result.latency_of_equal(RealBytes(4096), 5).value()), 188.9, 1e-3);
}

// Table 3: 92.8 + 26.2 x is overtaken by 4.0 + 60.1 x at 2682.3 bytes.
TEST(Probe, FindsWhereTheBottleneckOfGmsMoves) {
  const ProbeResult result = probe(box_of(gms()), {.least = Bytes(256), .most = Bytes(32768), .bound = 0.02});
  ASSERT_EQ(result.ranges.size(), 2u);
  EXPECT_EQ(result.boundaries[0].size, Bytes(2683));
  EXPECT_EQ(result.boundaries[0].kind, Boundary::Kind::bottleneck);
  EXPECT_NEAR(us(result.ranges[0].interval.line.overhead), 92.8, 1e-3);
  EXPECT_NEAR(us_per_kb(result.ranges[0].interval.line.cost), 26.2, 1e-3);
  EXPECT_NEAR(us(result.ranges[1].interval.line.overhead), 4.0, 1e-3);
  EXPECT_NEAR(us_per_kb(result.ranges[1].interval.line.cost), 60.1, 1e-3);
  for (const ProbedRange& range : result.ranges) {
    EXPECT_NEAR(us(range.latency.line.overhead), 101.0, 1e-3);
    EXPECT_NEAR(us_per_kb(range.latency.line.cost), 137.5, 1e-3);
  }
}

TEST(Probe, TellsNothingOfTheOrderOfStages) {
  const ProbeResult there = probe(box_of(gms()), {}), back = probe(box_of(reversed(gms())), {});
  ASSERT_EQ(there.ranges.size(), back.ranges.size());
  for (std::size_t i = 0; i < there.ranges.size(); ++i) {
    EXPECT_EQ(there.ranges[i].latency.line.overhead, back.ranges[i].latency.line.overhead);
    EXPECT_EQ(there.ranges[i].interval.line.cost, back.ranges[i].interval.line.cost);
  }
}

// Whatever the stages: what one fragment needs is a line whose parameters are the sums, and the interval that
// the findings predict is within the bound of the slowest stage's time. Where the bottleneck never moves,
// (g_b, G_b) are those of that stage.
TEST(Probe, RecoversRandomPipelines) {
  std::size_t with_one_bottleneck = 0, with_two = 0;
  for (std::uint64_t number = 0; number < 200; ++number) {
    SCOPED_TRACE(number);
    test::RandomCase random(number);
    const Stages stages = random.stages(random.whole(1, 6));
    const ProbeSettings settings;
    const ProbeResult result = probe(box_of(stages), settings);
    RealTime overheads;
    RealCost costs;
    for (const Stage& stage : stages) {
      overheads += stage.overhead;
      costs += stage.cost;
    }
    for (const ProbedRange& range : result.ranges) {
      EXPECT_NEAR(range.latency.line.overhead / overheads, 1, 1e-5);
      EXPECT_NEAR(range.latency.line.cost / costs, 1, 1e-5);
      for (const ProbeSample& one : range.samples) {
        const RealTime slowest = stages[bottleneck(stages, real(one.size))].time_for(real(one.size));
        EXPECT_NEAR(range.interval.line.time_for(real(one.size)) / slowest, 1, settings.bound + 1e-6);
      }
    }
    const std::vector<Transition> known = transitions(stages, settings.least, settings.most);
    if (known.empty()) {
      ++with_one_bottleneck;
      ASSERT_EQ(result.ranges.size(), 1u);
      const Stage& slowest = stages[bottleneck(stages, real(settings.least))];
      EXPECT_NEAR(result.ranges[0].interval.line.cost / slowest.cost, 1, 1e-5);
    }
    for (const Boundary& one : result.boundaries) EXPECT_EQ(one.kind, Boundary::Kind::bottleneck);
    if (known.size() != 1 || result.ranges.size() != 2) continue;
    ++with_two;
    EXPECT_NEAR(static_cast<double>(result.boundaries[0].size.count()),
                static_cast<double>(known[0].size.count()), 1);
  }
  EXPECT_GT(with_one_bottleneck, 50u);
  EXPECT_GT(with_two, 10u);
}

// A rendezvous: from 16,385 bytes on everything takes half as long again as 16 KiB does.
TEST(Probe, TellsAStepFromAStage) {
  const Stages stages{{"wire", RealTime(1e6), RealCost(1000)}};
  const BlackBox plain = box_of(stages);
  const ProbeResult result = probe(
      [&](std::span<const Bytes> sizes) {
        std::vector<SimTime> exits = plain(sizes);
        if (sizes.front() > Bytes(16384))
          for (SimTime& one : exits) one += SimTime::from_ps(9'000'000);
        return exits;
      },
      {});
  ASSERT_EQ(result.ranges.size(), 2u);
  EXPECT_EQ(result.boundaries[0].size, Bytes(16385));
  EXPECT_EQ(result.boundaries[0].kind, Boundary::Kind::step);
  EXPECT_NEAR(result.boundaries[0].jump, 9.001 / 17.384, 1e-3);
  EXPECT_NEAR(us(result.ranges[1].latency.line.overhead), 10, 1e-3);
}

// Latency that is no line anywhere: one that is off by more than the bound is said to be.
TEST(Probe, SaysHowFarALineIsOff) {
  const ProbeResult result = probe(
      [](std::span<const Bytes> sizes) {
        std::vector<SimTime> exits;
        for (const Bytes size : sizes) {
          const std::int64_t us = 100 + 60 * (size.count() * 7919 % 13 > 6 ? 1 : 0);
          exits.push_back((exits.empty() ? SimTime() : exits.back()) + SimTime::from_ps(us * 1'000'000));
        }
        return exits;
      },
      {});
  ASSERT_EQ(result.ranges.size(), 1u);
  EXPECT_GT(result.ranges[0].latency.worst, 0.05);
}

// Windows and buffers pass a burst's begin at once: what counts is the pace afterwards.
TEST(Probe, WaitsUntilReservesAreUsedUp) {
  const ProbeResult result = probe(
      [](std::span<const Bytes> sizes) {
        std::vector<SimTime> exits;
        for (std::size_t i = 0; i < sizes.size(); ++i)
          exits.push_back(SimTime::from_ps(static_cast<std::int64_t>(i < 5 ? 1'000 : 1'000 * (i - 3))));
        return exits;
      },
      {});
  EXPECT_NEAR(result.ranges[0].interval.line.overhead.value(), 1'000, 1e-6);
  EXPECT_NEAR(result.ranges[0].interval.line.cost.value(), 0, 1e-9);
}

TEST(Regression, WeighsRelativeErrors) {
  // Through (1, 10) and (1000, 1000) by the same share: the plain fit would be off by most of the overhead.
  const std::vector<Timing> line{
      {RealBytes(1), RealTime(20)}, {RealBytes(10), RealTime(110)}, {RealBytes(100), RealTime(1010)}};
  EXPECT_NEAR(fit_relative(line).overhead.value(), 10, 1e-9);
  EXPECT_NEAR(fit_relative(line).cost.value(), 10, 1e-9);
  std::vector<Timing> off = line;
  off.push_back({RealBytes(10'000), RealTime(110'000)});  // 10 % more than 100,010
  EXPECT_NEAR(fit_relative(off).overhead.value(), 10, 2);
  EXPECT_GT(std::abs(fit(off).overhead.value() - 10), 20);
}

}  // namespace
}  // namespace morgana::pipeline
