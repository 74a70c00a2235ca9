#pragma once

#include <cstdint>

#include "emulator/collectives/nccl/nccl_schedule.h"

namespace morgana::nccl {

/// Heads of a lane, of an algorithm in which switches add up: GPUs of a node that each have a part of it.
int heads_of(const Plan& plan);

/// Of the plan's channels those that such an algorithm uses for its data, >= 1 (NCCL 2.30.7, src/enqueue.cc,
/// topoGetAlgoInfo and scheduleCollTasksToPlan). Over several nodes NVLS uses all of them.
int channels_in_network(const Plan& plan);

/// A channel's chunk, in bytes (src/enqueue.cc, calcCollChunking).
std::int64_t chunk_in_network(const Plan& plan);

}  // namespace morgana::nccl
