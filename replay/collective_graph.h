#pragma once

#include "emulator/collectives/nccl_parameters.h"
#include "emulator/collectives/nccl_schedule.h"
#include "traces/dependency_graph.h"

namespace morgana {

/// A collective of NCCL as a graph of sends, receives and work. Each worker of a GPU is a CPU of its rank;
/// its receives and its sends have CPUs of their own, as NCCL's proxy has threads of its own. A worker's
/// work:
///   - once, before everything else: Parameters::launch and Costs::start;
///   - of each primitive, before it is sent on: the hop's latency, and per_byte of its data times the number
///   of
///     workers that share the GPU (reduce_per_byte, too, where data are added up).
/// Of trees the hop's latency passes next to the worker's work on the next chunks, of up to 8 at a time.
/// A worker takes the next primitive when it has started the last one; its receives are posted one ahead.
DependencyGraph graph_of(const nccl::Plan& plan, const nccl::Parameters& parameters);

}  // namespace morgana
