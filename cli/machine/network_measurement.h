#pragma once

#include <string>

#include "runs/fit/measured_times.h"
#include "runs/fit/network_fit.h"

namespace morgana::cli {

/// Runs network.measure over this machine's MPI, with two ranks. @throws Error if it fails, or is not built
MeasuredTimes measure_network();

/// What was found, and how near it comes to what was measured.
std::string fit_report(const NetworkFit& fit, const MeasuredTimes& times, const std::vector<Residual>& left);
/// "latencies within 1.2 % in the mean, 5.3 % at most (at 256 bytes); bandwidths within ..."
std::string nearness(const std::vector<Residual>& left);

}  // namespace morgana::cli
