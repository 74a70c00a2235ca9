#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/collectives/nccl/nccl_parameters.h"
#include "emulator/collectives/nccl/nccl_schedule.h"
#include "emulator/operations/operation.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// A collective of NCCL as a graph of sends, receives and work. Each worker of a GPU is a CPU of its rank;
/// its receives and its sends have CPUs of their own, as NCCL's proxy has threads of its own. A worker's
/// work:
///   - once, before everything else: Parameters::launch and Costs::start;
///   - of each primitive, before it is sent on: the hop's latency, and per_byte of its data times the number
///     of workers that share the GPU (reduce_per_byte, too, where data are added up).
/// Of pat a block takes pat_block in addition where its first chunk is sent. Of trees, of pat, and where
/// switches add up, the hop's latency passes next to the worker's work on the next chunks, of up to 8 at a
/// time. Units of switches (nccl::SwitchUnits) are ranks whose work takes no time. A worker takes the next
/// primitive when it has started the last one; its receives are posted one ahead. Nodes of a ring are
/// computed when they are looked at (rule_of_ring()): there are millions of them.
/// @throws Error if a ring has more nodes than a graph may have
DependencyGraph graph_of(const nccl::Plan& plan, const nccl::Parameters& parameters);
/// The same with every node in memory, whatever the algorithm.
DependencyGraph stored_graph_of(const nccl::Plan& plan, const nccl::Parameters& parameters);

/// Where a collective stands in the graph of one of its ranks.
struct CollectivePlace {
  std::span<const Rank> members;  ///< by the plan's ranks
  int member = 0;                 ///< whose part it is
  std::uint32_t first_cpu = 0;    ///< it uses cpus_of() from here on
  std::uint32_t first_tag = 0;    ///< and nccl::streams_of() tags from here on
  std::uint32_t after = 0;        ///< the node whose end begins it
};
std::uint32_t cpus_of(const nccl::Plan& plan);

/// Adds a rank's part to its graph.
/// @param last  gets the nodes with whose ends the part has ended; its storage is reused
void add_collective(const nccl::Plan& plan, const nccl::Parameters& parameters, const CollectivePlace& place,
                    RankGraphBuilder& builder, std::vector<std::uint32_t>& last);

}  // namespace morgana
