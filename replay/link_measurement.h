#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "emulator/core/link_load.h"
#include "emulator/platform/platform.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// What the network carries from one rank to another while nothing else is sent, as NCCL asks for the
/// topology before it chooses.
struct MeasuredLink {
  double rate = 1;     ///< of a long message's later bytes, in bytes a second
  double latency = 0;  ///< of a byte, in seconds
};

/// Sends a few messages on machines of their own.
/// @param ranks  that are placed, of which `from` and `to` are two
/// @throws Error if the platform has too few processors, or loses a message
MeasuredLink measure_link(const Platform& platform, const Placement& placement, std::uint64_t seed,
                          std::size_t ranks, std::int32_t from, std::int32_t to);

/// Where each rank, a GPU, is: hosts 0, 1, ... are node by node, nccl.gpus-per-node of them on each.
struct GpuPlaces {
  std::vector<std::int64_t> nodes;  ///< by rank. Where several ranks share a host, ranks are node by node
  std::vector<HostId> hosts;        ///< by rank
  bool host_each = true;            ///< no two ranks share one
};
GpuPlaces places_of_gpus(const Platform& platform, const Placement& placement, std::uint64_t seed,
                         std::size_t ranks);

class DependencyGraph;
/// From the start of a graph, on a machine of its own whose compute times are not scaled, until its last rank
/// ends. Where there is background traffic, it has settled before the start.
/// @param progress  called now and then with the share done; may be empty
/// @param units  PlatformNetwork::with_units: the graph's last ranks are theirs
/// @param links  if not null, gets what the network's links have carried
/// @throws Error if a message is lost
SimTime time_of_graph(const Platform& platform, const DependencyGraph& graph, const Placement& placement,
                      std::uint64_t seed, const std::function<void(double)>& progress = {},
                      std::span<const SwitchId> units = {}, NetworkLinks* links = nullptr);

}  // namespace morgana
