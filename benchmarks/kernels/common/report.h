#pragma once

#include <string>

#include "benchmarks/kernels/common/command_line.h"

namespace morgana::kernels {

/// What a kernel prints at its end: the problem, the figures, PASS or FAIL, the time. All but the last line
/// is the same for the same sizes and number of workers, wherever it runs.
std::string report(const Kernel& kernel, const Request& request, int workers, const Outcome& outcome);

/// Collects what the workers have sent at the first one; collecting counts for nothing itself.
/// @return at the first worker, the traffic of all
Traffic traffic_of_all(Team& team);

}  // namespace morgana::kernels
