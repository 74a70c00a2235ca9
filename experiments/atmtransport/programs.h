#pragma once

#include <array>
#include <functional>
#include <set>
#include <string>

#include "experiments/atmtransport/bursts_of_pde1.h"
#include "experiments/experiment.h"

namespace morgana::atm_transport_paper {

/// The programs of section 5.3.3, in the order in which the paper says that their time follows latency: most
/// first.
inline const std::array<std::string, 3> programs{"pde1", "solver", "pde2"};

/// A program's recorded traffic in a setting of section 5.3.2.
Condition program(const std::string& name, const BurstSetting& point);

/// Records each of the programs named among the workloads, live, with four workers, or takes its recording,
/// and defines it as a workload. Each is a part of class `paper`: 3 of PDE1's 350 iterations, 1 of SOLVER's
/// 50, and 1 of PDE2's 2 cycles, on 17 instead of 513 points a side; with as large a part of the computing
/// that Table 2.2 leaves it on the Alphas as of Table A.1's messages. Whole programs would take hours of
/// simulated time beyond rho 1. Figures as of the bursts: total_s, latency_s, loss.
void define_programs(Laboratory& laboratory, const ExperimentOptions& options,
                     const std::set<std::string>& workloads,
                     const std::function<void(const std::string&, double)>& told);

}  // namespace morgana::atm_transport_paper
