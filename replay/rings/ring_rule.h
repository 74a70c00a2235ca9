#pragma once

#include <memory>

#include "emulator/collectives/nccl/nccl_schedule.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// The nodes of a collective of NCCL along rings (stored_graph_of() has them all), with nothing stored but
/// the ring's order: a node follows from its lane, round, step and slice, which are the digits of its number.
/// A worker has three CPUs: its own, that of its receives, that of its sends.
/// @param plan  by Algorithm::ring; copied  @param parameters  copied
/// @return null if there are more numbers than a graph may have: some have no node
/// @throws Error if there are more nodes
std::unique_ptr<const GraphRule> rule_of_ring(const nccl::Plan& plan, const nccl::Parameters& parameters);

}  // namespace morgana
