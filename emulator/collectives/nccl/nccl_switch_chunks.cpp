#include "emulator/collectives/nccl/nccl_switch_chunks.h"

#include <algorithm>

#include "emulator/collectives/nccl/nccl_chunks.h"

namespace morgana::nccl {
namespace {

constexpr std::int64_t kibi = 1 << 10;
/// Of a channel's thread, times the threads that these algorithms have (threadThresholds, NCCL_MAX_NTHREADS).
constexpr std::int64_t least_of_thread = 64, threads = 640;
/// What NVLS has for a step of its buffers (src/transport/nvls.cc, NVLS_CHUNKSIZE).
constexpr std::int64_t nvls_step = 128 * kibi;
constexpr int many_nodes = 4;  // of NVLS trees, whose chunks are shorter then

/// Channels are dealt out in cells of data that make 32 KiB of traffic.
int channels_by_cells(const Plan& plan) {
  const bool blocks = has_blocks(plan.collective);
  const std::int64_t data = blocks ? plan.bytes / plan.layout.ranks : plan.bytes;
  const std::int64_t traffic = blocks ? plan.layout.ranks : 2;  // for each byte
  const std::int64_t cell = aligned(divided(least_traffic_of_channel, traffic));
  const std::int64_t cells = divided(data, cell);
  const std::int64_t of_channel = aligned(std::max(least_traffic_of_channel, data * traffic) / plan.channels);
  const std::int64_t each = std::min(cells, divided(of_channel, cell * traffic));
  return static_cast<int>(std::min<std::int64_t>(plan.channels, divided(cells, each)));
}

/// Down to 16, 8, 4, 2 and 1: on the way to each, half of it above, half as much is enough for a thread.
int channels_of_collnet_direct(const Plan& plan) {
  std::int64_t channels = plan.channels, least = least_of_thread;
  const auto too_many = [&] { return plan.bytes < channels * threads * heads_of(plan) * least; };
  for (std::int64_t stage = 16; stage >= 1 && too_many(); stage /= 2)
    while (too_many() && channels > stage) {
      if (channels == stage + stage / 2) least /= 2;
      --channels;
    }
  return static_cast<int>(channels);
}

}  // namespace

int heads_of(const Plan& plan) {
  if (plan.algorithm == Algorithm::collnet_chain) return 1;
  return plan.algorithm == Algorithm::collnet_direct ? plan.layout.rails : plan.layout.gpus();
}

int channels_in_network(const Plan& plan) {
  switch (plan.algorithm) {
    case Algorithm::nvls:
      return plan.layout.nodes() > 1 ? plan.channels : channels_by_cells(plan);
    case Algorithm::nvls_tree:
      return channels_by_cells(plan);
    case Algorithm::collnet_direct:
      return channels_of_collnet_direct(plan);
    default:
      return static_cast<int>(
          std::clamp<std::int64_t>(plan.bytes / (threads * least_of_thread), 1, plan.channels));
  }
}

std::int64_t chunk_in_network(const Plan& plan) {
  const std::int64_t bytes = plan.bytes, channels = channels_in_network(plan), heads = heads_of(plan);
  std::int64_t chunk = simple_step;
  const auto halve = [&](std::int64_t chunks, std::int64_t least) {
    while (bytes / (channels * heads * chunk) < chunks && chunk > least) chunk /= 2;
  };
  const auto at_most = [&](std::int64_t chunks, std::int64_t limit) {
    if (bytes < chunks * channels * heads * chunk) chunk = std::min(chunk, limit);
  };
  switch (plan.algorithm) {
    case Algorithm::nvls:
      chunk = plan.layout.nodes() > 1 && plan.nvls_is_slow ? 32 * kibi : nvls_step;
      at_most(64, 64 * kibi);
      at_most(8, 32 * kibi);
      at_most(2, 16 * kibi);
      break;
    case Algorithm::nvls_tree:
      chunk = plan.layout.nodes() >= many_nodes ? 64 * kibi : nvls_step;
      at_most(4, 64 * kibi);
      at_most(1, 32 * kibi);
      break;
    case Algorithm::collnet_chain: {
      const std::int64_t depth = plan.layout.gpus();
      chunk = 256 * kibi;
      halve(64 * depth, 128 * kibi);
      halve(8 * depth, 64 * kibi);
      halve(depth, 32 * kibi);
      break;
    }
    default: {
      const std::int64_t depth = heads > 1 ? 2 : 1;
      halve(64 * depth, 128 * kibi);
      halve(8 * depth, 64 * kibi);
      halve(8 * depth, 32 * kibi);
    }
  }
  return chunk;
}

}  // namespace morgana::nccl
