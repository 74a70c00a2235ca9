#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "experiments/experiment.h"

namespace morgana::atm_paper {

/// The platforms of Table 2.2 and everything on them as conditions. Kernels run with four workers and a
/// master, class `paper`.
Condition on(const std::string& kernel, const std::string& platform);
/// The ideal ATM network with other people's traffic and a host's work on each cell.
/// @param load  rho, in per cent. @param host_delay  in microseconds
Condition on_atm(const std::string& kernel, int switches, int load, int host_delay = 0);

/// Runs each kernel named, live, on the ideal ATM network and records it, or takes its recording; measures
/// its traffic and its computing; and defines it as a workload, with computing scaled so that on the ideal
/// ATM network it takes what Table 2.2 says, and by Table 2.1's GFLOPS on the others. Every run has the
/// computing of the one recorded, so that nothing differs but the environment; except for live runs
/// everywhere, whose computing is measured anew. Figures:
///   total_s, communication_s (mean of the workers), share (of the total), bytes, estimated_loss
/// and the workload "NAME traffic", replayed on any platform:
///   messages, mean_bytes, median_bytes, during_computing (messages sent by a worker that still computes)
void define_kernels(Laboratory& laboratory, const ExperimentOptions& options,
                    const std::set<std::string>& workloads,
                    const std::function<void(const std::string&, double)>& told);

}  // namespace morgana::atm_paper
