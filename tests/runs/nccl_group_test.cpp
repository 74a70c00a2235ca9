#include "runs/nccl_group.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "runs/collective_time.h"
#include "tests/support/messages.h"

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

// A rank sends one block and then two, 2,000 B each, of which it begins none twice: 10 us of work a block and
// 0.5 ns a byte, a hop of 4 us, 5 us and 1 ns a byte after the first on the network. Nothing is done for what
// comes.
TEST(NcclGroup, BlocksOfPatTakeTheirTimeWhereTheyAreSent) {
  const Platform platform =
      plain_gpus({"nccl.gpus-per-node=1 GPU", "nccl.pat-start=3 us", "nccl.pat-network-hop=4 us",
                  "nccl.pat-network-per-byte=0.5 ns/B", "nccl.pat-block=10 us"});
  EXPECT_EQ(time_of_choice(platform, 4, Collective::all_gather, 8'000, {Algorithm::pat, Protocol::simple}),
            nanoseconds(5'000 + (10'000 + 1'000 + 4'000 + 5'000 + 1'999) +
                        (20'000 + 2'000 + 4'000 + 5'000 + 3'999)));
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

/// GPUs at 1 ns/B and 100 ns of cable below a switch that takes 100 ns and whole packets; leaf switches above
/// it at the end of 500 ns. Launch 2 us, start of NVLS 3 us, 4 us on the way into the network's switches.
Platform gpus_below_switches(int per_node, std::vector<std::string> more = {}) {
  std::vector<std::string> overrides{fmt::format("nccl.gpus-per-node={} GPUs", per_node),
                                     fmt::format("nccl.rails={} rails", per_node),
                                     fmt::format("network.hosts-per-switch={} hosts", per_node),
                                     fmt::format("network.parents={}", per_node),
                                     fmt::format("hosts.count={}", 4 * per_node),
                                     "network.rate=8 Gb/s",
                                     "network.propagation=100 ns",
                                     "network.forwarding=store-and-forward",
                                     "network.tiers=levels 1-2 at 8 Gb/s over 500 ns",
                                     "nccl.launch=2 us",
                                     "nccl.channels=1 channel",
                                     "nccl.nvls-channels=1 channel",
                                     "nccl.nvls-start=3 us",
                                     "nccl.nvls-tree-start=3 us",
                                     "nccl.nvls-tree-network-hop=4 us",
                                     "nccl.nvls-efficiency=100 %",
                                     "nccl.collnet-chain-network-hop=4 us"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return Platform::load("dgx-h100", overrides);
}

// Three GPUs, 1,600 B for each head h, from 5 us on. A request is a packet of 1 B, 1 ns: heads' requests are
// at the unit at 5.201 us and 1 ps (its own cable), those for head 0 at all GPUs at 5.402 us and 2 ps, of the
// others 1 ns and 2 ns later. With s = 5.402 us and 2 ps, parts leave every GPU at s + 1.6 h us, and are at
// the unit 1.8 us and 1 ps later. Sums are at their heads at s + 3.6 + 1.6 h us and 2 ps: from the unit 100
// ns of switch, 1.6 us and 100 ns of cable. Heads' results leave at s + 4.8 us (head 0, whose parts leave
// until then), 5.2 us and 6.8 us, and are at the unit 1.8 us later. Copies of the first result go down at s
// + 6.7 us and 2 ps, when head 2 has got its sum, the others one after the other behind it; the third is
// there at s + 11.6 us and 2 ps.
TEST(NcclGroup, NvlsGoesUpToTheSwitchAndDownFromIt) {
  EXPECT_EQ(time_of_choice(gpus_below_switches(3), 3, Collective::all_reduce, 4'800,
                           {Algorithm::nvls, Protocol::simple}),
            SimTime::from_ps(17'002'004));
}

// Half of a link's bytes are data, so parts, sums and results take 3.2 us each. Parts leave at s + 3.2 h us,
// sums are at their heads at s + 6.8 + 3.2 h us, results leave at s + 9.6, 10.0 and 13.2 us, copies go down
// at s + 13.1, 16.3 and 19.5 us (and 2 ps).
TEST(NcclGroup, NvlsTakesTheLongerTheLessOfALinkIsData) {
  EXPECT_EQ(time_of_choice(gpus_below_switches(3, {"nccl.nvls-efficiency=50 %"}), 3, Collective::all_reduce,
                           4'800, {Algorithm::nvls, Protocol::simple}),
            SimTime::from_ps(28'202'004));
}

// One GPU on each of two nodes: 2 us of launch, 4 us of hop; 1 us to the node's switch, 1 us to the leaf's,
// with 100 ns, 100 ns, 500 ns and 100 ns between; and the same back.
TEST(NcclGroup, CollNetAddsUpInTheSwitchBetweenNodes) {
  EXPECT_EQ(time_of_choice(gpus_below_switches(1, {"nccl.collnet=yes"}), 2, Collective::all_reduce, 1'000,
                           {Algorithm::collnet_chain, Protocol::simple}),
            SimTime::from_ps(11'600'002));
}

std::string refusal_by_switches(Algorithm algorithm, std::size_t ranks,
                                const std::vector<std::string>& more = {},
                                const std::string& platform = "dgx-h100",
                                std::optional<Protocol> protocol = {}) {
  try {
    const NcclGroup group(Platform::load(platform, more), ranks, Placement(), 1);
    group.choose(Collective::all_reduce, 1 << 20, algorithm, protocol);
  } catch (const Error& error) {
    return error.what();
  }
  return "it was taken";
}

TEST(NcclGroup, SaysWhichSwitchesAlgorithmsLack) {
  const auto by = refusal_by_switches;
  EXPECT_THAT(by(Algorithm::nvls, 8, {}, "dgx-a100", {}), HasSubstr("nccl.nvls is \"no\""));
  EXPECT_THAT(by(Algorithm::nvls, 2, {}, "dgx-h100", {}),
              HasSubstr("3 to 32 GPUs of a node, and these are 2"));
  EXPECT_THAT(by(Algorithm::nvls, 8, {"nccl.nvls=yes"}, "loggp-example", {}), HasSubstr("\"fabric\""));
  EXPECT_THAT(by(Algorithm::nvls, 16, {}, "dgx-h100", {}), HasSubstr("nvls-tree needs none"));
  EXPECT_THAT(by(Algorithm::nvls_tree, 8, {}, "dgx-h100", {}), HasSubstr("the 8 ranks are on one"));
  EXPECT_THAT(by(Algorithm::collnet_chain, 16, {}, "dgx-h100", {}), HasSubstr("nccl.collnet is \"no\""));
  EXPECT_THAT(by(Algorithm::nvls, 8, {}, "dgx-h100", Protocol::ll), HasSubstr("by simple alone"));
  EXPECT_THAT(by(Algorithm::collnet_direct, 16, {"nccl.collnet=yes"}, "dgx-h100", {}), "it was taken");
  EXPECT_THAT(by(Algorithm::collnet_direct, 16, {"nccl.collnet=yes", "network.faults=switch 4 at 1 s"},
                 "dgx-h100", {}),
              HasSubstr("collnet-direct is not modelled with network.faults"));
}

// Ranks behind the GPUs' are those of units.
TEST(NcclGroup, SaysWhichRanksOfADeadlockAreSwitches) {
  const NcclGroup group(
      Platform::load("dgx-h100", std::vector<std::string>{"network.faults=switch 0 at 500 us"}), 8,
      Placement(), 1);
  try {
    group.time_of(group.plan(Collective::all_reduce, 256 << 20, {Algorithm::nvls, Protocol::simple}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("\n  rank 8 adds up in switch 0"));
  }
}

// NVIDIA/nccl-tests, issue 309, of 8 H100: Ring LL up to 1 MiB, NVLS from 2 MiB on.
TEST(NcclGroup, ChoosesNvlsWhereNcclDoes) {
  const NcclGroup group(Platform::load("dgx-h100"), 8, Placement(), 1);
  EXPECT_EQ(group.choose(Collective::all_reduce, 8).algorithm, Algorithm::ring);
  EXPECT_EQ(group.choose(Collective::all_reduce, 1 << 20).algorithm, Algorithm::ring);
  EXPECT_EQ(group.choose(Collective::all_reduce, 2 << 20).algorithm, Algorithm::nvls);
  EXPECT_EQ(group.choose(Collective::all_reduce, std::int64_t{8} << 30).algorithm, Algorithm::nvls);
}

/// What one node after the other takes, whatever the numbers of its ranks.
TEST(NcclGroup, OrdersRanksByNodeAndGpu) {
  const Platform platform = Platform::load("dgx-h100");
  Placement mixed;
  mixed.kind = Placement::Kind::listed;
  mixed.origin = "map";
  for (std::uint32_t rank = 0; rank < 16; ++rank) mixed.hosts.push_back(rank % 2 * 8 + rank / 2 * 5 % 8);
  const NcclGroup in_order(platform, 16, Placement(), 1), interleaved(platform, 16, mixed, 1);
  for (const nccl::Choice& choice : {nccl::Choice{Algorithm::ring, Protocol::ll},
                                     {Algorithm::tree, Protocol::simple},
                                     {Algorithm::nvls_tree, Protocol::simple}})
    EXPECT_EQ(in_order.time_of(in_order.plan(Collective::all_reduce, 1 << 20, choice)),
              interleaved.time_of(interleaved.plan(Collective::all_reduce, 1 << 20, choice)));
  mixed.hosts.front() = 16;  // 7 on one node, 8 on the next, 1 on the third
  EXPECT_THROW(NcclGroup(platform, 16, mixed, 1), Error);
}

// NCCL joins nodes in the order of their first ranks (nccl, issue 1340), so a ring that alternates between
// the two halves of a pod crosses its upper switches, 1.2 us each time, six times and not twice.
TEST(NcclGroup, OrdersNodesByTheirFirstRanks) {
  const Platform pod = Platform::load("dgx-h100-pod");
  const auto of_nodes = [&](const std::vector<std::uint32_t>& nodes) {
    Placement placement;
    placement.kind = Placement::Kind::listed;
    placement.origin = "map";
    for (const std::uint32_t node : nodes)
      for (std::uint32_t gpu = 0; gpu < 8; ++gpu) placement.hosts.push_back(8 * node + 7 - gpu);
    const NcclGroup group(pod, placement.hosts.size(), placement, 1);
    const nccl::Plan plan = group.plan(Collective::all_reduce, 16 << 20, {Algorithm::ring, Protocol::ll128});
    EXPECT_EQ(plan.root, 7);  // rank 0 is GPU 7 of its node, the first one
    return group.time_of(plan);
  };
  const SimTime in_order = of_nodes({0, 1, 2, 32, 33, 34}), alternating = of_nodes({0, 32, 1, 33, 2, 34});
  EXPECT_GT(alternating, in_order + nanoseconds(1'200));
  EXPECT_EQ(of_nodes({32, 33, 34, 0, 1, 2}), in_order);
}

// Search of ncclTopoSearchTryNvls on Hopper (NCCL 2.30.7): n + 1 shares of 370.8 GB/s, 0.85 of which are
// data; bandwidths for the size in GB/s. n = 3: 3 heads of 60 GB/s * 0.85 * 2 / 3 * 2, times 3 / 4. n = 8:
// of 40. Rings have 370.8 * n / (2 (n - 1)): 278.1 and 247.2 with 3 and 4 GPUs.
TEST(NcclGroup, EstimatesNvlsAsNcclDoes) {
  const auto bandwidth = [](std::size_t ranks, Algorithm algorithm) {
    const NcclGroup group(Platform::load("dgx-h100", std::vector<std::string>{"nccl.collnet=yes"}), ranks,
                          Placement(), 1);
    constexpr std::int64_t bytes = std::int64_t{1} << 40;
    const nccl::Choice choice{algorithm, Protocol::simple};
    return static_cast<double>(bytes) / 1e9 /
           (group.estimate(Collective::all_reduce, 2 * bytes, choice) -
            group.estimate(Collective::all_reduce, bytes, choice));
  };
  EXPECT_NEAR(bandwidth(3, Algorithm::nvls), 153, 0.1);
  EXPECT_NEAR(bandwidth(4, Algorithm::nvls), 204, 0.1);
  EXPECT_NEAR(bandwidth(8, Algorithm::nvls), 272, 0.1);
  // perChMaxNVLSTreeBws: 57.7 GB/s a head of two nodes, 45.5 of more.
  EXPECT_NEAR(bandwidth(16, Algorithm::nvls_tree), 8 * 57.7 * 16 / 30, 0.1);
  EXPECT_NEAR(bandwidth(32, Algorithm::nvls_tree), 8 * 45.5 * 32 / 62, 0.1);
  EXPECT_NEAR(bandwidth(16, Algorithm::collnet_direct), 0.85 * 370.8 / 2, 1.5);
}

TEST(NcclGroup, TakesRingsWhereNcclEstimatesThatNvlsIsSlower) {
  constexpr std::int64_t bytes = std::int64_t{8} << 30;
  for (const std::size_t ranks : {3U, 4U, 32U})
    EXPECT_EQ(NcclGroup(Platform::load("dgx-h100"), ranks, Placement(), 1)
                  .choose(Collective::all_reduce, bytes)
                  .algorithm,
              Algorithm::ring)
        << ranks;
  EXPECT_EQ(NcclGroup(Platform::load("dgx-h100"), 16, Placement(), 1)
                .choose(Collective::all_reduce, bytes)
                .algorithm,
            Algorithm::nvls_tree);
}

// NICs of 100 Gb/s: 8 of 12 GB/s are 51 GB/s of the size, below NCCL's 150.
TEST(NcclGroup, NvlsOfSlowNetworksHasShortChunks) {
  const auto is_slow = [](const std::vector<std::string>& more) {
    std::vector<std::string> overrides{"nccl.collnet=yes"};
    overrides.insert(overrides.end(), more.begin(), more.end());
    const NcclGroup group(Platform::load("dgx-h100", overrides), 16, Placement(), 1);
    return group.plan(Collective::all_reduce, 1 << 30, {Algorithm::nvls, Protocol::simple}).nvls_is_slow;
  };
  EXPECT_FALSE(is_slow({}));
  EXPECT_TRUE(is_slow({"network.tiers=levels 1-2 at 96 Gb/s over 500 ns"}));
}

TEST(NcclGroup, NvlsHasChannelsOfItsOwn) {
  const NcclGroup group(
      Platform::load("dgx-h100",
                     std::vector<std::string>{"nccl.channels=4 channels", "nccl.nvls-channels=12 channels"}),
      8, Placement(), 1);
  const auto channels = [&](Algorithm algorithm) {
    return group.plan(Collective::all_reduce, 1 << 30, {algorithm, Protocol::simple}).channels;
  };
  EXPECT_EQ(channels(Algorithm::ring), 4);
  EXPECT_EQ(channels(Algorithm::nvls), 12);
  const nccl::Choice nvls{Algorithm::nvls, Protocol::simple};
  EXPECT_EQ(nvls.channels_of(group.parameters(), 2), 4U);  // over several nodes both limits
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
  expect_message(refusal_of_group(12, {}), {"12 ranks", "8 GPUs", "nccl.gpus-per-node"});
  expect_message(refusal_of_group(16, {"nccl.rails=9 rails"}), "no 9 rails");
  expect_message(refusal_of_group(4, {}, {"tree"}), {"\"tree\"", "all-gather"});
  expect_message(refusal_of_group(4, {}, {"bruck"}), "\"bruck\"");
  expect_message(refusal_of_group(4, {}, {"ring", "ll64"}), "\"ll64\"");
  expect_message(refusal_of_group(16, {"hosts.count=8"}), "hosts.count");
}

}  // namespace
}  // namespace morgana
