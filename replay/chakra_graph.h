#pragma once

#include <cstdint>
#include <string>

#include "emulator/platform/platform.h"
#include "replay/execution_account.h"
#include "traces/import/chakra.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

class ComputeTimes;

/// An execution trace as the graph of what its ranks do on a platform.
///   - A node takes its duration times hosts.compute-scale. Without one it takes its operations over
///     hosts.peak-tflops, or its tensor_size over hosts.memory-rate, whichever is longer; without operations,
///     no time.
///   - Nodes of one stream (or tid; CPU and GPU apart) but collectives follow each other. What can go on,
///     does: first ready, first served.
///   - A collective begins at a rank when the one before it with the same process group, and the one before
///     it on the same stream, have ended there; it is carried out by collectives.library.
/// Compute times are scaled already.
/// @param roles  gets what the graph's nodes stand for; may be null
/// @param times  vary what the nodes of the trace compute, not what collectives add up; may be null
///     Where switches add up, each is a rank behind the trace's (DependencyGraph::switches).
/// @param notice  gets a sentence about collectives that are GPUs' and carried out by MPICH's algorithms as
/// nothing says whose; may be null
/// @throws Error naming the node whose time the platform does not know, and if nothing takes any time
DependencyGraph graph_of(const chakra::Trace& trace, const Platform& platform, const Placement& placement,
                         std::uint64_t seed, ExecutionRoles* roles = nullptr, ComputeTimes* times = nullptr,
                         std::string* notice = nullptr);

}  // namespace morgana
