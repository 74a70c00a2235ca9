#pragma once

#include <cstdint>

namespace morgana::nccl {

/// Parts of a buffer begin at multiples of this.
inline constexpr std::int64_t alignment = 16;
/// Of a channel's buffer of Simple, which has 8 (NCCL 2.30.7, src/include/device.h).
inline constexpr std::int64_t simple_step = 512 << 10;

/// Less traffic than this is not worth another channel (src/enqueue.cc, MinTrafficPerChannel): what ranks
/// send for the data, 2 B for each byte of an all-reduce.
inline constexpr std::int64_t least_traffic_of_channel = 32 << 10;

constexpr std::int64_t divided(std::int64_t bytes, std::int64_t by) {
  return (bytes + by - 1) / by;
}

constexpr std::int64_t aligned(std::int64_t bytes) {
  return divided(bytes, alignment) * alignment;
}

struct ChunkPiece {
  std::int64_t offset, bytes;
};

}  // namespace morgana::nccl
