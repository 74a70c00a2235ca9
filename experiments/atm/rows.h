#pragma once

#include "experiments/experiment.h"
#include "runs/scripted_ranks.h"

namespace morgana::atm_paper {

// Each adds its rows and figures.
void add_validation(Experiment& experiment);    ///< A-01 to A-07
void add_traffic(Experiment& experiment);       ///< A-10 to A-14
void add_environments(Experiment& experiment);  ///< A-20 to A-25: Table 2.2
void add_network(Experiment& experiment);       ///< A-30, A-31, A-36, A-37: Table 2.3, figures 2.2 and 2.4
void add_bursts(Experiment& experiment);        ///< A-38: figure 2.3
void add_hosts(Experiment& experiment);         ///< A-32 to A-35, A-39: Table 2.4, figure 2.5

// Synthetic workloads, in a name each: "echo N" of N cells, "burst N" of bursts of N cells.
void define_echo(Laboratory& laboratory);
void define_bursts(Laboratory& laboratory);

/// Runs scripted ranks, each on a host of its own. Figures: those of every run, mean_latency_us and total_us.
RunOutcome play(ScriptedRanks& ranks, const Platform& platform, std::uint64_t seed);

}  // namespace morgana::atm_paper
