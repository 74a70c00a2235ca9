#pragma once

#include <cstdint>
#include <functional>

#include "emulator/collectives/nccl/nccl_schedule.h"

namespace morgana::nccl {

/// NCCL's PAT (from 2.23 on), parallel aggregated trees: all-gathers and reduce-scatters of nodes with one
/// GPU each. The block of each rank goes along a binomial tree of all ranks, shifted by its rank: that of the
/// rank at distance s comes from distance s less its lowest bit. All trees move in step, far ranks first, so
/// in each step a rank sends to one other rank and receives from one. Blocks that go the same way at the same
/// time share a message, as far as they fit into a step of a channel's buffer; so many blocks (aggregated) as
/// fit into all steps of the buffer are spread in log2 of their number of steps, then the rest of the trees
/// follows branch by branch, so that few blocks wait to be passed on. A reduce-scatter goes the same ways
/// backwards, near ranks first. Source: Jeaugey, "PAT: a new algorithm for all-gather and reduce-scatter
/// operations at scale", arXiv 2506.20252, 2025; sizes of chunks and numbers of blocks: NCCL 2.30.7,
/// src/enqueue.cc, src/include/collectives.h.
void write_pat(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit);
/// Of the trees: log2 of the ranks, rounded up. @param ranks  > 1
std::uint32_t dimensions_of_pat(int ranks);

/// Ranks' blocks that a primitive begins to send: each once, with its first chunk.
std::int64_t blocks_begun(const Plan& plan, const Primitive& one);

/// How blocks are brought together.
struct PatAggregation {
  int per_message = 1;  ///< blocks that share a message, at most
  int blocks = 1;       ///< spread first: a power of two
  int branches = 2;     ///< of the trees, that follow: the ranks, rounded up to a power of two, over `blocks`
  std::int64_t chunk = 0;  ///< of a block, of all channels
};
PatAggregation aggregation_of_pat(const Plan& plan);

}  // namespace morgana::nccl
