#pragma once

#include <cstdint>
#include <vector>

#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/collectives/nccl/nccl_schedule.h"
#include "emulator/core/random.h"

namespace morgana::testing {

inline std::int64_t between(RandomStream& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most - least + 1)));
}

/// Any collective along rings on 1 to 4 nodes.
inline nccl::Plan random_ring(RandomStream& random) {
  using Collective = MeasuredCollective;
  nccl::Plan plan;
  plan.collective =
      std::vector{Collective::all_reduce, Collective::all_gather, Collective::reduce_scatter,
                  Collective::broadcast, Collective::reduce}[static_cast<std::size_t>(random.below(5))];
  plan.algorithm = nccl::Algorithm::ring;
  plan.protocol = static_cast<nccl::Protocol>(random.below(nccl::protocols));
  plan.layout.per_node = static_cast<int>(between(random, 2, 8));
  const auto nodes = static_cast<int>(between(random, 1, 4));
  plan.layout.ranks =
      nodes == 1 ? static_cast<int>(between(random, 2, plan.layout.per_node)) : nodes * plan.layout.per_node;
  plan.layout.rails = static_cast<int>(between(random, 1, plan.layout.per_node));
  plan.channels = static_cast<int>(between(random, 1, 24));
  plan.slices = static_cast<int>(between(random, 1, 4));
  plan.root = static_cast<int>(between(random, 0, plan.layout.ranks - 1));
  // From a few bytes to several rounds.
  plan.bytes = between(random, 1, std::int64_t{1} << between(random, 4, 26));
  if (has_blocks(plan.collective)) plan.bytes = (plan.bytes / plan.layout.ranks + 1) * plan.layout.ranks;
  return plan;
}

inline nccl::Parameters ring_parameters() {
  nccl::Parameters all;
  all.launch = SimTime::from_ps(1'234'567);
  all.reduce_per_byte = ByteCost::from_fs(417);
  for (auto& algorithm : all.costs)
    for (nccl::Costs& costs : algorithm) {
      costs.per_byte = ByteCost::from_fs(1'301);
      costs.network_per_byte = ByteCost::from_fs(2'603);
    }
  return all;
}

}  // namespace morgana::testing
