#include "runs/nccl_group.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "runs/collective_time.h"

namespace morgana {
namespace {

using Collective = MeasuredCollective;
using nccl::Algorithm;
using nccl::Protocol;
using ::testing::HasSubstr;

constexpr SimTime nanoseconds(std::int64_t count) {
  return SimTime::from_ps(1000 * count);
}

/// Nothing but a network of 5 us and 1 ns for each byte after the first, 2 us of launch and 3 us of start;
/// each hop takes 1 us (between nodes 4 us) and 0.5 ns for each byte.
Platform plain_gpus(std::vector<std::string> more = {}) {
  std::vector<std::string> overrides{"messages.send-overhead=0 s", "messages.receive-overhead=0 s",
                                     "messages.eager-limit=1 GB",  "network.gap=0 s",
                                     "nccl.launch=2 us",           "nccl.slices=1 slice"};
  for (const std::string algorithm : {"ring", "tree"})
    for (const std::string protocol : {"ll", "ll128", "simple"}) {
      const std::string key = fmt::format("nccl.{}-{}", algorithm, protocol);
      overrides.push_back(key + "-start=3 us");
      overrides.push_back(key + "-hop=1 us");
      overrides.push_back(key + "-network-hop=4 us");
      overrides.push_back(key + "-per-byte=0.5 ns/B");
      overrides.push_back(key + "-network-per-byte=0.5 ns/B");
    }
  overrides.insert(overrides.end(), more.begin(), more.end());
  return Platform::load("loggp-example", overrides);
}

SimTime time_of_choice(const Platform& platform, std::size_t ranks, Collective collective, std::int64_t bytes,
                       nccl::Choice choice) {
  const NcclGroup group(platform, ranks, Placement(), 1);
  return group.time_of(group.plan(collective, bytes, choice));
}

// Of a small message the tree has several lanes as soon as channels are worth it, so more data never take
// less.
TEST(NcclGroup, LargerTreesTakeLonger) {
  const Platform pod = Platform::load("dgx-h100-pod");
  const NcclGroup group(pod, 128, Placement(), 1);
  SimTime last;
  for (std::int64_t bytes = 4 << 10; bytes <= 4 << 20; bytes *= 2) {
    const SimTime time =
        group.time_of(group.plan(Collective::all_reduce, bytes, {Algorithm::tree, Protocol::ll}));
    EXPECT_GE(time, last) << bytes;
    last = time;
  }
}

TEST(NcclGroup, HasTheNodesOnWhichRanksAre) {
  Placement spread;
  spread.kind = Placement::Kind::spread;
  const NcclGroup group(Platform::load("dgx-h100-pod"), 8, spread, 1);
  EXPECT_EQ(group.layout().nodes(), 8);
  EXPECT_EQ(group.layout().gpus(), 1);
  EXPECT_EQ(group.layout().rails, 1);
  EXPECT_NEAR(group.rates().rail, 48e9, 1e9) << "a NIC of 400 Gb/s as NCCL counts it";
}

// Launch and start, then 2 (n - 1) hops of a block of 4,000 B each: 1 us + 2 us of work, 5 us + 3.999 us of
// network.
TEST(NcclGroup, RingsTakeTheirHops) {
  for (const int ranks : {2, 3, 4, 8})
    EXPECT_EQ(time_of_choice(plain_gpus(), static_cast<std::size_t>(ranks), Collective::all_reduce,
                             4000 * ranks, {Algorithm::ring, Protocol::simple}),
              nanoseconds(5'000 + 2 * (ranks - 1) * 11'999))
        << ranks;
  EXPECT_EQ(
      time_of_choice(plain_gpus(), 4, Collective::all_gather, 16'000, {Algorithm::ring, Protocol::simple}),
      nanoseconds(5'000 + 3 * 11'999));
  EXPECT_EQ(time_of_choice(plain_gpus(), 4, Collective::reduce_scatter, 16'000,
                           {Algorithm::ring, Protocol::simple}),
            nanoseconds(5'000 + 3 * 11'999));
  EXPECT_EQ(time_of_choice(plain_gpus(), 4, Collective::broadcast, 4000, {Algorithm::ring, Protocol::simple}),
            nanoseconds(5'000 + 3 * 11'999));
  EXPECT_EQ(time_of_choice(plain_gpus(), 4, Collective::reduce, 4000, {Algorithm::ring, Protocol::simple}),
            nanoseconds(5'000 + 3 * 11'999));
}

// LL sends 8,000 B for 4,000 B, LL128 sends 4,267 B.
TEST(NcclGroup, ProtocolsTakeWhatTheySendOnTheWire) {
  EXPECT_EQ(time_of_choice(plain_gpus(), 4, Collective::all_reduce, 16'000, {Algorithm::ring, Protocol::ll}),
            nanoseconds(5'000 + 6 * (1'000 + 2'000 + 5'000 + 7'999)));
  EXPECT_EQ(
      time_of_choice(plain_gpus(), 4, Collective::all_reduce, 16'000, {Algorithm::ring, Protocol::ll128}),
      nanoseconds(5'000 + 6 * (1'000 + 2'000 + 5'000 + 4'266)));
}

// n - 1 of the steps add up.
TEST(NcclGroup, AddingUpTakesItsTime) {
  EXPECT_EQ(time_of_choice(plain_gpus({"nccl.reduce-per-byte=0.25 ns/B"}), 4, Collective::all_reduce, 16'000,
                           {Algorithm::ring, Protocol::simple}),
            nanoseconds(5'000 + 6 * 11'999 + 3 * 1'000));
}

// Up and down a chain of 4 GPUs, with one chunk: 6 hops.
TEST(NcclGroup, TreesGoUpAndDown) {
  EXPECT_EQ(
      time_of_choice(plain_gpus(), 4, Collective::all_reduce, 4000, {Algorithm::tree, Protocol::simple}),
      nanoseconds(5'000 + 6 * 11'999));
  // Two nodes of one GPU: one hop up and one down between nodes.
  EXPECT_EQ(time_of_choice(plain_gpus({"nccl.gpus-per-node=1 GPU"}), 2, Collective::all_reduce, 4000,
                           {Algorithm::tree, Protocol::simple}),
            nanoseconds(5'000 + 2 * (4'000 + 2'000 + 5'000 + 3'999)));
}

// The network carries 1 GB/s and takes 5 us for a byte.
TEST(NcclGroup, EstimatesWhatAnUncontendedRingTakes) {
  const NcclGroup group(plain_gpus(), 4, Placement(), 1);
  EXPECT_NEAR(group.rates().scale_up, 1e9, 1e3);
  EXPECT_NEAR(group.rates().scale_up_latency, 5e-6, 1e-12);
  const nccl::Choice ring{Algorithm::ring, Protocol::simple};
  const double estimate = group.estimate(Collective::all_reduce, 16'000, ring);
  EXPECT_NEAR(estimate, group.time_of(group.plan(Collective::all_reduce, 16'000, ring)).seconds(),
              1e-3 * estimate);
}

// NCCL's own latencies on the network of loggp-example: LL takes the fewest hops' time, Simple the fewest
// bytes.
TEST(NcclGroup, ChoosesProtocolsBySize) {
  const NcclGroup group(Platform::load("loggp-example"), 4, Placement(), 1);
  EXPECT_EQ(group.choose(Collective::all_gather, 64).protocol, Protocol::ll);
  EXPECT_EQ(group.choose(Collective::all_gather, 64 << 20).protocol, Protocol::simple);
  EXPECT_EQ(group.choose(Collective::all_gather, 64, {}, Protocol::ll128).protocol, Protocol::ll128);
}

std::string refusal_of_group(std::size_t ranks, const std::vector<std::string>& overrides,
                             const CollectiveTimer::How& how = {}) {
  try {
    CollectiveTimer(Platform::load("loggp-example", overrides), CollectiveLibrary::nccl,
                    {Collective::all_gather, ranks})
        .time(Bytes(1024), how);
  } catch (const Error& error) {
    return error.what();
  }
  return "it ran";
}

TEST(NcclGroup, RefusesWhatItDoesNotHave) {
  EXPECT_THAT(refusal_of_group(12, {}), HasSubstr("12 ranks do not fill nodes of 8 GPUs"));
  EXPECT_THAT(refusal_of_group(16, {"nccl.rails=9 rails"}), HasSubstr("no 9 rails"));
  EXPECT_THAT(refusal_of_group(4, {}, {"tree"}), HasSubstr("no algorithm \"tree\" for all-gather"));
  EXPECT_THAT(refusal_of_group(4, {}, {"bruck"}), HasSubstr("no algorithm \"bruck\""));
  EXPECT_THAT(refusal_of_group(4, {}, {"ring", "ll64"}), HasSubstr("no protocol \"ll64\""));
  EXPECT_THAT(refusal_of_group(16, {"hosts.count=8"}), HasSubstr("hosts.count"));
}

}  // namespace
}  // namespace morgana
