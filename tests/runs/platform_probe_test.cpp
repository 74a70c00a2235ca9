#include "runs/platform_probe.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {

using namespace pipeline;

BlackBox box_of(const PlatformProbe& platform) {
  return [&platform](std::span<const Bytes> sizes) { return platform.send(sizes); };
}

double us(RealTime time) {
  return time.value() / 1e6;
}
double ns_per_byte(RealCost cost) {
  return cost.value() / 1e3;
}

// loggp-example: o = 1 us at both hosts, L = 5 us, g = 2 us, G = 1 ns/B. A message of x bytes needs
// o + L + (x - 1) G + o; the interface is taken for g + (x - 1) G, longer than either processor.
TEST(PlatformProbe, RecoversLogGPsParameters) {
  const PlatformProbe platform(Platform::load("loggp-example"), 1);
  const ProbeResult result = probe(box_of(platform), {});
  ASSERT_EQ(result.ranges.size(), 1u);
  const ProbedRange& range = result.ranges[0];
  EXPECT_NEAR(us(range.latency.line.overhead), 1 + 5 - 0.001 + 1, 1e-6);
  EXPECT_NEAR(ns_per_byte(range.latency.line.cost), 1, 1e-6);
  EXPECT_NEAR(us(range.interval.line.overhead), 2 - 0.001, 1e-6);
  EXPECT_NEAR(ns_per_byte(range.interval.line.cost), 1, 1e-6);
  EXPECT_EQ(result.best_equal_count(RealBytes(65536)), 1u);  // nothing is left that could overlap
  const auto stages = platform.stages(range.samples, 16);
  ASSERT_EQ(stages.size(), 3u);
  EXPECT_NEAR(us(stages[0].transit.line.overhead), 1, 1e-6);
  EXPECT_NEAR(us(stages[1].transit.line.overhead), 5 - 0.001, 1e-6);
  EXPECT_NEAR(us(stages[1].occupied.line.overhead), 2 - 0.001, 1e-6);
  EXPECT_NEAR(us(stages[2].transit.line.overhead), 1, 1e-6);
}

constexpr const char* three_stages = R"(
description = "Three stages by hand"
source = "a test"
[hosts]
count = "auto"
processors = 1
[messages]
send-overhead = "30 us"
send-per-byte = "2 ns/B"
receive-overhead = "4 us"
receive-per-byte = "3 ns/B"
eager-limit = "1 MiB"
[network]
kind = "loggp"
latency = "5 us"
gap = "2 us"
gap-per-byte = "10 ns/B"
)";

// The sender's host takes 30 + 0.002 x us, the interface 1.99 + 0.01 x, the receiver's host 4 + 0.003 x: the
// bottleneck moves from the first to the second where 28.01 = 0.008 x, behind 3501.25 bytes.
TEST(PlatformProbe, RecoversStagesThatAreKnown) {
  const PlatformProbe platform(Platform::parse(three_stages, "three.toml"), 1);
  const ProbeResult result = probe(box_of(platform), {.bound = 0.01});
  ASSERT_EQ(result.ranges.size(), 2u);
  EXPECT_EQ(result.boundaries[0].size, Bytes(3502));
  EXPECT_EQ(result.boundaries[0].kind, Boundary::Kind::bottleneck);
  EXPECT_NEAR(us(result.ranges[0].interval.line.overhead), 30, 1e-4);
  EXPECT_NEAR(ns_per_byte(result.ranges[0].interval.line.cost), 2, 1e-4);
  EXPECT_NEAR(us(result.ranges[1].interval.line.overhead), 1.99, 1e-4);
  EXPECT_NEAR(ns_per_byte(result.ranges[1].interval.line.cost), 10, 1e-4);
  for (const ProbedRange& range : result.ranges) {
    EXPECT_NEAR(us(range.latency.line.overhead), 30 + 5 - 0.01 + 4, 1e-4);
    EXPECT_NEAR(ns_per_byte(range.latency.line.cost), 2 + 10 + 3, 1e-5);
  }
  // Five fragments of 4000 bytes: 38.99 + 60 us, and four times 1.99 + 40 us.
  const std::vector<Bytes> five(5, Bytes(4000));
  EXPECT_NEAR(us(result.latency_of_equal(RealBytes(20'000), 5).value()), 266.95, 1e-3);
  EXPECT_EQ(platform.send(five).back(), SimTime::from_ps(266'950'000));
}

TEST(PlatformProbe, GoesThroughEveryPlatformThatComesWithMorgana) {
  std::size_t probed = 0;
  for (const std::string& name : Platform::names()) {
    SCOPED_TRACE(name);
    const Platform platform = Platform::load(name);
    if (platform.native()) continue;
    const PlatformProbe there(platform, 1);
    const ProbeResult result = probe(box_of(there), {.most = Bytes(8192), .burst = 8});
    for (const ProbedRange& range : result.ranges)
      for (const ProbeSample& one : range.samples) {
        EXPECT_GE(one.latency, RealTime());
        EXPECT_GE(one.shortest, RealTime());
        EXPECT_LE(one.shortest, one.longest);
      }
    EXPECT_EQ(there.stages(result.ranges[0].samples, 8).size(), 3u);
    ++probed;
  }
  EXPECT_GT(probed, 30u);
}

// Both ranks would be on the one host.
TEST(PlatformProbe, NeedsTwoHosts) {
  const std::string one[] = {"hosts.count=1", "hosts.processors=2"};
  const PlatformProbe platform(Platform::load("loggp-example", one), 1);
  const Bytes sizes[] = {Bytes(1)};
  EXPECT_THROW(platform.send(sizes), Error);
}

}  // namespace
}  // namespace morgana
