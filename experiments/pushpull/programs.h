#pragma once

#include <set>
#include <string>

#include "experiments/experiment.h"

namespace morgana::push_pull_paper {

/// Defines the tests named as workloads: each runs its program live, with two ranks, once for all of its
/// sizes, and has their values as figures. Computing is the program's own modelled time
/// (benchmarks/pushpull/README.md), so that all runs are the same.
void define_tests(Laboratory& laboratory, const ExperimentOptions& options,
                  const std::set<std::string>& workloads);

}  // namespace morgana::push_pull_paper
