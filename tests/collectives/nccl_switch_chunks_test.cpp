#include "emulator/collectives/nccl/nccl_switch_chunks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace morgana::nccl {
namespace {

/// Its units are those of one node.
Plan switch_plan(Algorithm algorithm, const GpuLayout& layout, std::int64_t bytes, int channels) {
  Plan plan;
  plan.algorithm = algorithm;
  plan.layout = layout;
  plan.bytes = bytes;
  plan.channels = channels;
  plan.units = std::make_shared<SwitchUnits>(SwitchUnits{1, {0}, {}, {-1}});
  return plan;
}

/// NCCL 2.30.7, src/enqueue.cc: NVLS of one node and its tree by cells of 16 KiB (all-reduce) or of 32 KiB /
/// n a rank; of several nodes all channels; a chain one for each 640 threads of 64 B.
TEST(NcclSchedule, SwitchesHaveChannelsForTheirData) {
  const GpuLayout node{8, 8, 8}, nodes{16, 8, 8};
  const auto in_use = [](const Plan& plan) { return channels_in_use(plan); };
  EXPECT_EQ(in_use(switch_plan(Algorithm::nvls, node, 64 << 10, 16)), 4);
  EXPECT_EQ(in_use(switch_plan(Algorithm::nvls, node, 8, 16)), 1);
  EXPECT_EQ(in_use(switch_plan(Algorithm::nvls, node, 256 << 10, 16)), 16);
  EXPECT_EQ(in_use(switch_plan(Algorithm::nvls, node, 17 * (16 << 10), 16)), 9);  // two cells each
  EXPECT_EQ(in_use(switch_plan(Algorithm::nvls_tree, nodes, 64 << 10, 16)), 4);
  EXPECT_EQ(in_use(switch_plan(Algorithm::nvls, nodes, 8, 16)), 16);
  EXPECT_EQ(in_use(switch_plan(Algorithm::collnet_chain, nodes, 3 * 40'960 - 4, 16)), 2);
  Plan gather = switch_plan(Algorithm::nvls, node, 64 << 10, 16);
  gather.collective = MeasuredCollective::all_gather;
  EXPECT_EQ(in_use(gather), 2);
  // 40 KiB a head and channel, down to 12 channels; 20 KiB down to 6, 10 KiB to 3, 5 KiB to 1.
  const auto direct = [&](std::int64_t kibi) {
    return in_use(switch_plan(Algorithm::collnet_direct, nodes, kibi << 10, 16));
  };
  EXPECT_EQ(direct(16 * 8 * 40), 16);
  EXPECT_EQ(direct(14 * 8 * 40), 14);
  EXPECT_EQ(direct(12 * 8 * 40 - 1), 11);
  EXPECT_EQ(direct(8 * 8 * 20), 8);
  EXPECT_EQ(direct(1), 1);
}

/// Two lanes of eight channels, eight heads, 64 KiB a channel: a head's 32 MiB of a lane's 256 MiB are 256
/// chunks in four groups of two channels; of twice as much there would be 512, and so two groups of four
/// channels have them.
TEST(NcclSchedule, LongDataAlongATreeOfNodesGoInFewerGroups) {
  const auto asked = [](std::int64_t bytes) {
    std::pair<int, std::int64_t> chunks{0, 0};  // how many, and the largest
    for_each_primitive(switch_plan(Algorithm::nvls_tree, {64, 8, 8}, bytes, 16), 0,
                       [&](const Primitive& one) {
                         if (!one.asks || one.asked) return;
                         ++chunks.first;
                         chunks.second = std::max(chunks.second, one.bytes);
                       });
    return chunks;
  };
  EXPECT_EQ(asked(std::int64_t{256} << 20), std::pair(2 * 128, std::int64_t{128} << 10));
  EXPECT_EQ(asked(std::int64_t{512} << 20), std::pair(2 * 256, std::int64_t{128} << 10));
  EXPECT_EQ(asked(std::int64_t{1} << 30), std::pair(2 * 256, std::int64_t{256} << 10));
}

/// A head asks for two chunks of each group of channels ahead of sums, and a group has a quarter of the
/// channels: of 1 channel (12 chunks of 32 KiB a head) 2 of them, of 16 channels (64 KiB each) 8 of four
/// each.
TEST(NcclSchedule, HeadsAskForTwoChunksOfFourGroups) {
  struct Asked {
    int most_ahead = 0, chunks = 0;
    std::int64_t largest = 0;
  };
  const auto asked_for = [](std::int64_t bytes, int channels) {
    Asked asked;
    int ahead = 0;
    std::optional<std::uint32_t> worker;
    for_each_primitive(switch_plan(Algorithm::nvls, {4, 8, 8}, bytes, channels), 0,
                       [&](const Primitive& one) {
                         if (one.asks && !one.asked) {
                           worker = one.worker;
                           ++asked.chunks;
                           asked.most_ahead = std::max(asked.most_ahead, ++ahead);
                           asked.largest = std::max(asked.largest, one.bytes);
                         } else if (worker == one.worker) {
                           --ahead;
                         }
                       });
    EXPECT_EQ(ahead, 0);
    return asked;
  };
  const Asked one = asked_for(4 * 12 * (32 << 10), 1);
  EXPECT_EQ(one.most_ahead, 2);
  EXPECT_EQ(one.chunks, 12);
  EXPECT_EQ(one.largest, 32 << 10);
  const Asked sixteen = asked_for(64 << 20, 16);
  EXPECT_EQ(sixteen.most_ahead, 8);
  EXPECT_EQ(sixteen.chunks, 64);
  EXPECT_EQ(sixteen.largest, 4 * (64 << 10));
}

/// NCCL 2.30.7, src/enqueue.cc, calcCollChunking: nvlsChunkSize is 128 KiB; trees of 4 nodes and more have at
/// most 64 KiB, and NVLS whose network is slow 32 KiB; shorter where a head has few chunks of a channel.
TEST(NcclSchedule, SwitchesHaveNcclsChunks) {
  constexpr std::int64_t kibi = 1 << 10;
  const auto chunk = [&](Algorithm algorithm, const GpuLayout& layout, std::int64_t bytes) {
    return chunk_in_network(switch_plan(algorithm, layout, bytes, 16)) / kibi;
  };
  const GpuLayout one{8, 8, 8}, two{16, 8, 8}, four{32, 8, 8};
  const std::int64_t all_heads = 16 * 8 * kibi;  // 1 KiB of each head and channel
  EXPECT_EQ(chunk(Algorithm::nvls, one, 64 * 128 * all_heads), 128);
  EXPECT_EQ(chunk(Algorithm::nvls, one, 64 * 128 * all_heads - 8), 64);
  EXPECT_EQ(chunk(Algorithm::nvls, one, 8 * 64 * all_heads - 8), 32);
  EXPECT_EQ(chunk(Algorithm::nvls, one, 2 * 32 * all_heads - 8), 16);
  for (const std::int64_t bytes : {4 * 128 * all_heads, (std::int64_t{8} << 30) + 512}) {
    EXPECT_EQ(chunk(Algorithm::nvls_tree, two, bytes), 128) << bytes;
    EXPECT_EQ(chunk(Algorithm::nvls_tree, four, bytes), 64) << bytes;
  }
  EXPECT_EQ(chunk(Algorithm::nvls_tree, two, 4 * 128 * all_heads - 8), 64);
  EXPECT_EQ(chunk(Algorithm::nvls_tree, four, 64 * all_heads - 8), 32);
  Plan slow = switch_plan(Algorithm::nvls, two, std::int64_t{8} << 30, 16);
  EXPECT_EQ(chunk_in_network(slow), 128 * kibi);
  slow.nvls_is_slow = true;
  EXPECT_EQ(chunk_in_network(slow), 32 * kibi);
  // A step of Simple, 512 KiB, where there are 64 of them for each of two levels.
  EXPECT_EQ(chunk(Algorithm::collnet_direct, two, 128 * 512 * all_heads), 512);
  EXPECT_EQ(chunk(Algorithm::collnet_direct, two, 128 * 512 * all_heads - 8), 256);
  EXPECT_EQ(chunk(Algorithm::collnet_chain, two, std::int64_t{8} << 30), 256);
}

}  // namespace
}  // namespace morgana::nccl
