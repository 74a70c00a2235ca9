#pragma once

#include <span>
#include <vector>

#include "benchmarks/kernels/common/team.h"

namespace morgana::kernels {

// What the workers do together, made of the messages of Team, so that both faces send the same ones. The
// order of every sum is fixed by the number of workers alone.

/// Element by element, the sum over all workers; only the first one gets it.
/// Traffic: one message from each other worker to the first.
void sum_to_first(Team& team, std::span<double> values);

/// The greatest over all workers; only the first one gets it. Traffic as of sum_to_first.
void greatest_to_first(Team& team, double& value);

/// Element by element, the sum over all workers, the same bits for all. Recursive doubling: log2(size)
/// messages from each worker; workers beyond the greatest power of two hand their values in first and get the
/// sum last.
void sum_to_all(Team& team, std::span<double> values);

/// The piece of each worker reaches all. `starts` has size() + 1 entries: piece w lies in `values` from
/// starts[w] to starts[w + 1], and this worker's own must be there. Dissemination: ceil(log2(size)) messages
/// from each worker, of 1, 2, 4, ... pieces.
void gather_to_all(Team& team, std::span<double> values, const std::vector<int>& starts);

}  // namespace morgana::kernels
