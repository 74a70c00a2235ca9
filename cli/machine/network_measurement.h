#pragma once

#include <cstddef>
#include <string>

#include "runs/fit/measured_times.h"
#include "runs/fit/network_fit.h"

namespace morgana::cli {

/// Runs network.measure over this machine's MPI, with two ranks.
/// @param although_busy  also where other programs leave fewer than two processors free
/// @throws Error if it fails, or is not built, or the machine is busy
MeasuredTimes measure_network(bool although_busy);

/// Of --although-busy.
constexpr const char* although_busy_help =
    "Measure this machine's MPI also while other programs compute on its processors";

/// What was found, and how near it comes to what was measured.
std::string fit_report(const NetworkFit& fit, const MeasuredTimes& times, const std::vector<Residual>& left);
/// "latencies within 1.2 % in the mean, 5.3 % at most (at 256 bytes); bandwidths within ..."
std::string nearness(const std::vector<Residual>& left);

}  // namespace morgana::cli
