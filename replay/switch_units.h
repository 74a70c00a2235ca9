#pragma once

#include <memory>
#include <span>
#include <vector>

#include "emulator/collectives/nccl/nccl_in_network.h"
#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/collectives/nccl/nccl_schedule.h"
#include "emulator/host/host_id.h"
#include "emulator/platform/platform.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// Where units of switches are that add up for a group of GPUs.
struct SwitchUnitPlaces {
  std::shared_ptr<const nccl::SwitchUnits> units;  ///< null: none can be
  std::vector<SwitchId> at;                        ///< by unit
};

/// A unit at the switch of each node, which has all its GPUs.
/// @param hosts  of the GPUs, by rank
/// @return without units if a node's GPUs are at several switches
SwitchUnitPlaces units_of_nodes(const SwitchGraph& graph, std::span<const HostId> hosts,
                                const nccl::GpuLayout& layout);

/// A tree of units for each rail: from each node's switch to the one above it for the rail, and so on, until
/// all meet. Of switches above a switch (further from those with hosts) a rail takes number `rail / W` mod n
/// of n, by their numbers, where W is the product of such numbers below: so does D-mod-K.
/// @param with_nodes  units_of_nodes(), before them; null: none
/// @return without units if they don't meet, or there is one node
SwitchUnitPlaces units_of_network(const SwitchGraph& graph, std::span<const HostId> hosts,
                                  const nccl::GpuLayout& layout, const SwitchUnitPlaces* with_nodes);

/// Of a group on a platform, as far as its switches add up (nccl.nvls, nccl.collnet).
/// @param hosts  of the GPUs, by rank: each of another one
/// @param layout  gets who adds up (Layout::nvls, Layout::collnet)
SwitchUnitPlaces units_of_group(const Platform& platform, const nccl::Parameters& parameters,
                                std::span<const HostId> hosts, nccl::GpuLayout& layout);

}  // namespace morgana
